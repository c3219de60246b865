/** Contract of a target: a server, framework or service that lines are rendered for. */
import type enGb from "../../../locales/en-gb.json";
import type { CookieAttribute, Fix } from "../../check/fix.ts";

type NoteTexts = (typeof enGb)["serverNotes"];
/** Comments of a configuration; texts are in the locale files under `serverNotes`. */
export type ServerNote = Exclude<keyof NoteTexts, "place"> | `place.${keyof NoteTexts["place"]}`;

/** Text of a comment, on one line. */
export type WriteNote = (note: ServerNote) => string;

export interface Target {
  /** Name of the product. */
  readonly label: string;
  /** True if there are lines for the fix. False for a value that the syntax cannot contain safely. */
  expresses(fix: Fix): boolean;
  /** Lines of one finding, for fixes that the target expresses. */
  lines(fixes: readonly Fix[]): readonly string[];
  /** One configuration for merged fixes that the target expresses. `notes` come first, as comments. */
  whole(fixes: readonly Fix[], notes: readonly ServerNote[], write: WriteNote): readonly string[];
}

export type FixOf<K extends Fix["kind"]> = Extract<Fix, { readonly kind: K }>;

export const policyName = "Content-Security-Policy";

/** Renderers by kind of fix. A target cannot express a kind without renderer, nor a value for which the renderer returns null. */
export type Renderers<R> = { readonly [K in Fix["kind"]]?: (fix: FixOf<K>) => R | null };

interface TargetSyntax<R> {
  readonly label: string;
  readonly renderers: Renderers<R>;
  /** Lines of rendered fixes, with the comments that come first. */
  readonly lines: (parts: readonly R[], comments: readonly string[]) => readonly string[];
  /** Comment on one line; by default `# text`. */
  readonly comment?: (text: string) => string;
  /** Redirect of a file for both ports, and what else differs there. Absent for a target whose lines are such a file already. */
  readonly bothPorts?: {
    readonly redirect: (host: string) => readonly string[];
    /** Kind of fix whose lines belong outside of the part of a site. */
    readonly outside?: Fix["kind"];
    /** Lines of merged fixes, where they differ from `lines`. */
    readonly lines?: (parts: readonly R[]) => readonly string[];
  };
}

export function createTarget<R>({ label, renderers, lines, comment = (text) => `# ${text}`, bothPorts }: TargetSyntax<R>): Target {
  const render = (fix: Fix) => (renderers[fix.kind] as ((fix: Fix) => R | null) | undefined)?.(fix) ?? null;
  const partsOf = (fixes: readonly Fix[]) => fixes.map(render).filter((part) => part !== null);
  return {
    label,
    expresses: (fix) => render(fix) !== null,
    lines: (fixes) => lines(partsOf(fixes), []),
    whole: (fixes, notes, write) => {
      const say = (note: ServerNote) => comment(write(note));
      const comments = notes.map(say);
      if (bothPorts === undefined) return lines(partsOf(fixes), comments);
      const outside = fixes.filter(({ kind }) => kind === bothPorts.outside);
      const redirects = fixes.filter((fix) => fix.kind === "https-redirect");
      const others = fixes.filter((fix) => fix.kind !== bothPorts.outside && fix.kind !== "https-redirect");
      return [
        ...comments,
        ...(outside.length > 0 ? [say("outside"), ...lines(partsOf(outside), [])] : []),
        ...(redirects.length > 0 ? [say("plain"), ...redirects.flatMap(({ host }) => bothPorts.redirect(host))] : []),
        ...(others.length > 0 && others.length < fixes.length ? [say("secure")] : []),
        ...(bothPorts.lines ?? lines)(partsOf(others), []),
      ];
    },
  };
}

/** Lines of a file with several places, for one of them. */
export function linesIn<P extends string>(
  parts: readonly { readonly in: P; readonly lines: readonly string[] }[],
  place: P,
): readonly string[] {
  return parts.filter((part) => part.in === place).flatMap(({ lines }) => lines);
}

export function indented(lines: readonly string[], depth = 1): readonly string[] {
  return lines.map((line) => "  ".repeat(depth) + line);
}

/** Name of a cookie attribute in lower case. */
export function attributeName(attribute: CookieAttribute): string {
  return attribute.toLowerCase().split("=")[0] ?? "";
}

/** Names of a cookie fix as the body of a regular expression; names hold letters, digits, `_`, `-` and dots only. */
export function cookiePattern({ cookies }: FixOf<"cookie">): string {
  if (cookies === "all") return "";
  if (cookies === "prefixed") return "__(?:Host|Secure)-";
  const names = cookies.names.split(",").map((name) => name.replaceAll(".", "[.]"));
  return `${names.length === 1 ? names[0] : `(?:${names.join("|")})`}=`;
}

/** Suites with forward secrecy and authenticated encryption, by their OpenSSL names. */
export const cipherNames = [
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");
