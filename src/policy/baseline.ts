/** Baseline of a pipeline: the findings of each URL when it was written. Only what is new since then fails a build. */
import { isObject } from "../base/is-object.ts";
import { tryOr } from "../base/try-or.ts";
import { isFindingCode } from "../check/check.ts";
import { jsonFaultPosition, jsonValuePosition } from "../parse/json.ts";
import type { TextFault } from "../parse/text.ts";

/** Rises when older programs would misread the file. */
const baselineSchemaVersion = 1;
/** Size of a baseline in bytes: 1,000 URLs with every finding stay below. */
export const baselineBytesMax = 16 * 1024 ** 2;

export interface Baseline {
  /** Codes of findings, by URL in the form that `parseScanUrl` gives. */
  readonly findings: ReadonlyMap<string, ReadonlySet<string>>;
  /** Codes of all findings that the catalog could report. A code beyond them is no regression. */
  readonly knownCodes: ReadonlySet<string>;
}

/** One line for each URL and code, sorted, so that a diff shows what changed. */
export function baselineText({ findings, knownCodes }: Baseline): string {
  const byUrl = [...findings].sort(([a], [b]) => (a < b ? -1 : 1)).map(([url, codes]) => [url, [...codes].sort()] as const);
  const content = {
    schemaVersion: baselineSchemaVersion,
    findings: Object.fromEntries(byUrl),
    knownCodes: [...knownCodes].sort(),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** The first fault of a text that is no baseline. */
export function parseBaseline(text: string): Baseline | { readonly fault: TextFault } {
  const content: unknown = tryOr(() => JSON.parse(text), undefined);
  if (content === undefined) {
    const position = jsonFaultPosition(text) ?? { line: 1, column: 1 };
    return { fault: { reason: "it is not JSON, or was cut off", ...position } };
  }
  const wrong = wrongPart(content);
  if (wrong !== null) return { fault: { reason: wrong.reason, ...jsonValuePosition(text, wrong.path) } };
  const { findings, knownCodes } = content as { findings: Record<string, string[]>; knownCodes: string[] };
  const byUrl = Object.entries(findings).map(([url, codes]) => [url, new Set(codes)] as const);
  return { findings: new Map(byUrl), knownCodes: new Set(knownCodes) };
}

interface WrongPart {
  readonly path: readonly string[];
  readonly reason: string;
}

function wrongPart(content: unknown): WrongPart | null {
  if (!isObject(content)) return { path: [], reason: "a baseline must be an object" };
  const { schemaVersion, findings, knownCodes } = content;
  if (!Number.isSafeInteger(schemaVersion) || Number(schemaVersion) < 1)
    return { path: ["schemaVersion"], reason: '"schemaVersion" must be a whole number; the file is no baseline' };
  if (Number(schemaVersion) > baselineSchemaVersion)
    return {
      path: ["schemaVersion"],
      reason: `the baseline has version ${schemaVersion}, and this program reads version ${baselineSchemaVersion}; update the program, or write the baseline anew`,
    };
  if (!isObject(findings)) return { path: ["findings"], reason: '"findings" must be an object: codes by URL' };
  for (const [url, codes] of Object.entries(findings)) {
    const wrong = wrongCode(codes, ["findings", url]);
    if (wrong !== null) return wrong;
  }
  return wrongCode(knownCodes, ["knownCodes"]);
}

function wrongCode(codes: unknown, path: readonly string[]): WrongPart | null {
  if (!Array.isArray(codes)) return { path, reason: `"${path[0]}" must hold lists of codes` };
  const at = codes.findIndex((code) => typeof code !== "string" || !isFindingCode(code));
  return at === -1 ? null : { path: [...path, String(at)], reason: `a code must be of the form security.<kind>.<name>` };
}

/** Position of the URLs of a baseline, for a message that one is missing. */
export function urlsPosition(text: string) {
  return jsonValuePosition(text, ["findings"]);
}
