/** Evidence as a worker sent it: checked against the schema, and against what the head knows of its own scan. */
import type { TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { isObject } from "../base/is-object.ts";
import { type Evidence, evidenceVersion, failed, type ReadingName, type Subject } from "../evidence/evidence.ts";
import { factsSchema, readingNames } from "../evidence/facts.ts";
import { date, failedReading } from "../evidence/fields.ts";

/** Clause that continues a sentence about a worker, such as "sent an invalid manifest". It has no text of the worker itself. */
export interface ResultFault {
  readonly fault: string;
}

/** The head takes its own version and the one before. */
export function isKnownEvidenceVersion(version: number): boolean {
  return version === evidenceVersion || version === evidenceVersion - 1;
}

/**
 * Evidence with the readings and fields that the schema knows. Unknown ones are removed rather than refused: a newer release may add an
 * optional field without a new version, and nothing unknown may reach the store. In evidence of the version before, a reading that is
 * missing or has another shape comes in as `not-asked`.
 */
export function receivedEvidence(sent: unknown, expected: Subject, version: number): { readonly evidence: Evidence } | ResultFault {
  if (!isObject(sent) || !isObject(sent.subject)) return { fault: "sent a result without evidence" };
  const subject = receivedSubject(sent.subject, expected);
  if ("fault" in subject) return subject;
  const readings: [name: string, reading: unknown][] = [];
  for (const name of readingNames) {
    const read = receivedReading(name, sent[name]);
    if ("fault" in read && version === evidenceVersion) return read;
    readings.push([name, "fault" in read ? failed("not-asked") : read]);
  }
  return { evidence: { subject, ...Object.fromEntries(readings) } as unknown as Evidence };
}

function receivedReading(name: ReadingName, sent: unknown): { readonly status: string } | ResultFault {
  if (!isObject(sent)) return { fault: `sent evidence without the reading ${name}` };
  if (sent.status !== "read") {
    const { status, because } = sent;
    const reading = { status, because };
    return failedCheck().Check(reading) ? reading : { fault: `sent the reading ${name} without facts and without a known failure` };
  }
  const check = factsCheck(name);
  const facts = check.Check(sent.facts) ? sent.facts : knownPart(factsSchema.properties[name], sent.facts);
  if (check.Check(facts)) return { status: "read", facts } as { readonly status: string };
  return { fault: `sent the reading ${name} with invalid facts at ${check.Errors(facts).First()?.path || "/"}` };
}

/** Copy without the fields that the schema does not know. A value of another type stays, for the check to refuse. */
function knownPart(schema: TSchema, value: unknown): unknown {
  if (Array.isArray(value)) return schema.type === "array" ? value.map((each) => knownPart(schema.items, each)) : value;
  const members: readonly TSchema[] = schema.anyOf ?? [];
  const parts = members.map((member) => [member, knownPart(member, value)] as const);
  if (members.length > 0) return parts.find(([member, part]) => Value.Check(member, part))?.[1] ?? value;
  if (!isObject(value) || schema.type !== "object") return value;
  const names = Object.keys(schema.properties).filter((name) => Object.hasOwn(value, name));
  return Object.fromEntries(names.map((name) => [name, knownPart(schema.properties[name], value[name])]));
}

const compiled = new Map<ReadingName, TypeCheck<(typeof factsSchema.properties)[ReadingName]>>();

/** Compiled with the first result of a worker. */
function factsCheck(name: ReadingName) {
  const known = compiled.get(name) ?? TypeCompiler.Compile(factsSchema.properties[name]);
  compiled.set(name, known);
  return known;
}

let compiledFailure: TypeCheck<typeof failedReading> | null = null;

function failedCheck() {
  compiledFailure ??= TypeCompiler.Compile(failedReading);
  return compiledFailure;
}

/**
 * The worker derives its subject from the same URL and instant. A difference is another scan, or another program. The public suffix list is
 * the worker's own, and its date stays. But the domain that the worker asked about must be the one that the findings will name.
 */
function receivedSubject(sent: Readonly<Record<string, unknown>>, expected: Subject): Subject | ResultFault {
  const { publicSuffixesDate, ...own } = sent;
  const { publicSuffixesDate: _ofHead, ...wanted } = expected;
  const names = new Set([...Object.keys(wanted), ...Object.keys(own)]);
  const different = [...names].filter((name) => own[name] !== wanted[name as keyof typeof wanted]);
  const isOtherDomain = typeof (own.registrableDomain ?? "") === "string";
  if (different.join() === "registrableDomain" && isOtherDomain)
    return { fault: "sent another registered domain, by another public suffix list; set the same public_suffixes.file for both" };
  if (different.length > 0) return { fault: "sent evidence of another scan" };
  if (publicSuffixesDate === undefined) return wanted;
  return Value.Check(date, publicSuffixesDate)
    ? { ...wanted, publicSuffixesDate }
    : { fault: "sent an invalid date of its public suffix list" };
}
