/** Reads evidence from a JSON file: captured evidence, or a full report that contains it. */
import { readFileSync, statSync } from "node:fs";
import { isObject } from "../base/is-object.ts";
import { tryOr } from "../base/try-or.ts";
import { type Evidence, evidenceWithoutErrorPage, failed, type ReadingName } from "../evidence/evidence.ts";
import { readingNames } from "../evidence/facts.ts";
import { jsonFaultPosition } from "../parse/json.ts";

/** A full report has 1 MB at most; a landmark less. */
const fileBytesMax = 16 * 1024 ** 2;

/** A file without usable evidence. The message is one sentence that begins with the file. */
export class EvidenceFileError extends Error {
  override readonly name = "EvidenceFileError";
}

/** @throws EvidenceFileError for a file that cannot be read or holds no evidence. */
export function readEvidenceFile(file: string): Evidence {
  const document = jsonIn(file);
  const parsed = evidenceIn(isObject(document) && "evidence" in document ? document.evidence : document);
  if ("fault" in parsed) throw unusable(file, `${parsed.fault}${removalIn(document)}`);
  // Evidence of an older version takes an error page for the page.
  return evidenceWithoutErrorPage(parsed.evidence);
}

/** A server removes the evidence of old scans. */
function removalIn(document: unknown): string {
  const at = isObject(document) && document.evidence === null ? document.evidenceRemovedAt : null;
  return typeof at === "string" && !Number.isNaN(Date.parse(at)) ? `: its server removed it on ${new Date(at).toISOString()}` : "";
}

/** The fault completes a sentence about the source. Readings are checked as far as the ledger itself reads them. */
export function evidenceIn(value: unknown): { readonly evidence: Evidence } | { readonly fault: string } {
  if (!isObject(value) || !isObject(value.subject)) return { fault: "holds no evidence" };
  const { subject } = value;
  const missing = ["url", "host", "scannedAt"].find((field) => typeof subject[field] !== "string");
  if (missing !== undefined) return { fault: `holds evidence without subject.${missing}` };
  if (!URL.canParse(String(subject.url))) return { fault: "holds evidence whose subject.url is not a URL" };
  // Evidence of an older version lacks readings of newer probes.
  const readings = readingNames.map((name) => [name, value[name] ?? failed("not-asked")] as const);
  const malformed = readings.find(
    ([name, reading]) => !isObject(reading) || !(reading.status === "failed" || isUsable(name, reading.facts)),
  );
  if (malformed !== undefined) return { fault: `holds evidence with a malformed reading, ${malformed[0]}` };
  return { evidence: { subject, ...Object.fromEntries(readings) } as unknown as Evidence };
}

/** The ledger itself reads these facts, before any check that could be blamed. */
function isUsable(name: ReadingName, facts: unknown): boolean {
  if (!isObject(facts)) return false;
  if (name === "navigation") return typeof facts.finalUrl === "string" && Array.isArray(facts.hops);
  if (name !== "page") return true;
  const isField = (field: unknown) => isObject(field) && typeof field.name === "string" && typeof field.value === "string";
  return Array.isArray(facts.headers) && facts.headers.every(isField);
}

function jsonIn(file: string): unknown {
  let text: string;
  try {
    if (statSync(file).size > fileBytesMax) throw unusable(file, `is larger than ${fileBytesMax / 1024 ** 2} MB`);
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof EvidenceFileError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw unusable(file, code === "ENOENT" ? "does not exist" : `cannot be read (${code})`);
  }
  const value: unknown = tryOr(() => JSON.parse(text), undefined);
  if (value !== undefined) return value;
  const position = jsonFaultPosition(text);
  throw unusable(file, position === null ? "is not JSON" : `is not JSON: line ${position.line}, column ${position.column}`);
}

function unusable(file: string, because: string): EvidenceFileError {
  return new EvidenceFileError(`${file} ${because}`);
}
