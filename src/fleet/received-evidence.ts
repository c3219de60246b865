/** Evidence as a worker sent it, checked against what the head knows of its own scan. */
import { type Evidence, failed, readingNames, type Subject } from "../evidence/evidence.ts";
import { evidenceVersion } from "../evidence/version.ts";

/** Versions that the head takes. Readings that an older worker does not know come in as `not-asked`. */
export function isKnownEvidenceVersion(version: number): boolean {
  return version === evidenceVersion || version === evidenceVersion - 1;
}

/** `fault` is the end of a sentence that begins with "its result". */
export function receivedEvidence(
  sent: unknown,
  expected: Subject,
  version: number,
): { readonly evidence: Evidence } | { readonly fault: string } {
  if (!isObject(sent) || !isObject(sent.subject)) return { fault: "holds no evidence" };
  if (!isSameSubject(sent.subject, expected)) return { fault: "holds evidence of another scan" };
  const readings: [name: string, reading: unknown][] = [];
  for (const name of readingNames) {
    const reading = sent[name] ?? (version < evidenceVersion ? failed("not-asked") : undefined);
    if (!isObject(reading)) return { fault: `lacks the reading ${name}` };
    readings.push([name, reading]);
  }
  return { evidence: { subject: expected, ...Object.fromEntries(readings) } as unknown as Evidence };
}

function isSameSubject(sent: Readonly<Record<string, unknown>>, expected: Subject): boolean {
  const wanted = Object.entries(expected);
  return Object.keys(sent).length === wanted.length && wanted.every(([name, value]) => sent[name] === value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
