/** Reads evidence from a JSON file: captured evidence, or a full report that contains it. */
import { readFileSync, statSync } from "node:fs";
import { jsonFaultPosition } from "../parse/json-position.ts";
import { evidenceWithoutErrorPage } from "./error-page.ts";
import { type Evidence, failed, type ReadingName, readingNames } from "./evidence.ts";

/** A full report has 1 MB at most; a landmark less. */
const fileBytesMax = 16 * 1024 ** 2;

/** A file without usable evidence. The message is one sentence that begins with the file. */
export class EvidenceFileError extends Error {
  override readonly name = "EvidenceFileError";
}

/** @throws EvidenceFileError for a file that cannot be read or holds no evidence. */
export function readEvidenceFile(file: string): Evidence {
  const document = jsonIn(file);
  const inner = isObject(document) && "evidence" in document ? document.evidence : document;
  if (!isObject(inner) || !isObject(inner.subject)) throw unusable(file, "holds no evidence");
  const { subject } = inner;
  for (const field of ["url", "host", "scannedAt"])
    if (typeof subject[field] !== "string") throw unusable(file, `holds evidence without subject.${field}`);
  if (!URL.canParse(String(subject.url))) throw unusable(file, "holds evidence whose subject.url is not a URL");
  // Evidence of an older version lacks readings of newer probes, and takes an error page for the page.
  const readings = readingNames.map((name) => [name, inner[name] ?? failed("not-asked")] as const);
  const malformed = readings.find(
    ([name, reading]) => !isObject(reading) || !(reading.status === "failed" || isUsable(name, reading.facts)),
  );
  if (malformed !== undefined) throw unusable(file, `holds evidence with a malformed reading, ${malformed[0]}`);
  return evidenceWithoutErrorPage({ subject, ...Object.fromEntries(readings) } as unknown as Evidence);
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
  try {
    return JSON.parse(text);
  } catch {
    const position = jsonFaultPosition(text);
    throw unusable(file, position === null ? "is not JSON" : `is not JSON: line ${position.line}, column ${position.column}`);
  }
}

function unusable(file: string, because: string): EvidenceFileError {
  return new EvidenceFileError(`${file} ${because}`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
