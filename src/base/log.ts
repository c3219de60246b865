/** Writes log lines to stderr as text or JSON; quotes scan data and redacts secrets. */

import { isCompiled } from "./build.ts";

const logLevels = ["debug", "info", "warn", "error"] as const;
type LogLevel = (typeof logLevels)[number];
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;
/** `event` is a fixed, searchable phrase; variable data belongs in `fields`. */
type LogLine = (event: string, fields?: LogFields) => void;
export type Log = { readonly [L in LogLevel]: LogLine };

export interface LogOptions {
  readonly level: LogLevel;
  /** `auto`: JSON if this is the compiled program and stderr is not a terminal, else text. */
  readonly format: "auto" | "text" | "json";
  /** Output for finished lines; stderr by default. */
  readonly write?: (line: string) => void;
}

/** Characters of one field: attackers write most of the data that scans log. */
const fieldCharsMax = 500;

export function createLog({ level, format, write = (line) => void process.stderr.write(line) }: LogOptions): Log {
  const asText = format === "text" || (format === "auto" && (!isCompiled || process.stderr.isTTY === true));
  const lineOf = (at: LogLevel): LogLine => {
    if (logLevels.indexOf(at) < logLevels.indexOf(level)) return () => {};
    return (event, fields = {}) => {
      const shown = Object.entries(fields).map(([name, value]) => [name, typeof value === "string" ? sanitized(value) : value] as const);
      const time = new Date().toISOString();
      const text = shown.map(([name, value]) => ` ${name}=${JSON.stringify(value)}`).join("");
      write(asText ? `${time} ${at} ${event}${text}\n` : `${JSON.stringify({ time, level: at, event, ...Object.fromEntries(shown) })}\n`);
    };
  };
  return logOf(lineOf);
}

/** Adds fields to the end of each line; fields of the line itself win. */
export function logWith(log: Log, added: LogFields): Log {
  return logOf(
    (level) =>
      (event, fields = {}) =>
        log[level](event, { ...fields, ...added, ...fields }),
  );
}

function logOf(lineOf: (level: LogLevel) => LogLine): Log {
  return { debug: lineOf("debug"), info: lineOf("info"), warn: lineOf("warn"), error: lineOf("error") };
}

/** Redacts secrets of URLs and API tokens. Replaces characters that start lines (also U+2028 and U+2029) or colours. */
function sanitized(text: string): string {
  return text
    .slice(0, fieldCharsMax)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?")
    .replace(/\bassay_\w+/g, "assay_...")
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]*@/gi, "$1...@")
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#]*)[?#]\S*/gi, "$1?...");
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
