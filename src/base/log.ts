/** Log lines on stderr, for people or for programs; what a scan met is quoted, and secrets stay out. */

const logLevels = ["debug", "info", "warn", "error"] as const;
type LogLevel = (typeof logLevels)[number];

/** `event` is a fixed phrase that can be searched for; what differs from case to case goes into `fields`. */
export type LogLine = (event: string, fields?: Readonly<Record<string, string | number | boolean | null>>) => void;

export type Log = { readonly [L in LogLevel]: LogLine };

export interface LogOptions {
  /** The least important level that is written. */
  readonly level: LogLevel;
  /** `auto`: text on a terminal, JSON elsewhere. */
  readonly format: "auto" | "text" | "json";
  /** Where finished lines go; stderr when left out. */
  readonly write?: (line: string) => void;
}

/** Characters kept of one field: most of what is logged about a scan was written by a stranger. */
const fieldCharsMax = 500;

export function createLog({ level, format, write = (line) => void process.stderr.write(line) }: LogOptions): Log {
  const asText = format === "text" || (format === "auto" && process.stderr.isTTY === true);
  const lineOf = (at: LogLevel): LogLine => {
    if (logLevels.indexOf(at) < logLevels.indexOf(level)) return () => {};
    return (event, fields = {}) => {
      const shown = Object.entries(fields).map(([name, value]) => [name, typeof value === "string" ? presentable(value) : value] as const);
      const time = new Date().toISOString();
      const text = shown.map(([name, value]) => ` ${name}=${JSON.stringify(value)}`).join("");
      write(asText ? `${time} ${at} ${event}${text}\n` : `${JSON.stringify({ time, level: at, event, ...Object.fromEntries(shown) })}\n`);
    };
  };
  return { debug: lineOf("debug"), info: lineOf("info"), warn: lineOf("warn"), error: lineOf("error") };
}

/** Queries and credentials of URLs, and API tokens, are replaced; so are characters that could write lines (U+2028 and U+2029 too, to some readers) or colours of their own. */
function presentable(text: string): string {
  return text
    .slice(0, fieldCharsMax)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?")
    .replace(/\bassay_\w+/g, "assay_...")
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]*@/gi, "$1...@")
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#]*)[?#]\S*/gi, "$1?...");
}

/** What to say of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
