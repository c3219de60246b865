/** Results of scans, as workers pack them and as the head unpacks them. The limits are the same for both sides. */
import { createHash } from "node:crypto";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { type TSchema, Type } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { isObject } from "../base/is-object.ts";
import { type Evidence, evidenceVersion, evidenceWithoutErrorPage, failed, type ReadingName, type Subject } from "../evidence/evidence.ts";
import { factsSchema, readingNames } from "../evidence/facts.ts";
import { date, failedReading, literalOf } from "../evidence/fields.ts";
import { observationSchema } from "../evidence/observation.ts";
import { boundedText, withoutSecrets } from "../evidence/redact.ts";
import { type ScanErrorCode, scanErrorCodes } from "../evidence/scan.ts";
import { parseJpeg } from "../parse/image-size.ts";
import { type JsonSize, jsonSize } from "../parse/json.ts";
import { screenshotBytesMax, viewport } from "../probe/browser/page-screenshot.ts";
import { type Gathered, subjectOf, unreachableBecause, type Visited } from "../scan/task.ts";
import {
  fleetProtocol,
  jsonOf,
  packedBytesMax,
  parseResultManifest,
  partBytesMax,
  type ResultManifest,
  type SentBytes,
} from "./messages.ts";

/** The head derives from the evidence whether the page was reachable. The screenshot is sent apart. */
export type SentResult = Pick<Gathered, "evidence" | "timings" | "refusals"> | SentVisit | { readonly failed: ScanErrorCode };

/** A visit for a proof. */
export interface SentVisit extends Pick<Visited, "refusals"> {
  readonly visited: Pick<Visited, "readings" | "observation">;
}

/** Bytes of the JSON. Evidence of a large site has 0.1 MB, and 2 MB at most so far. */
export const resultBytesMax = 8 * 1024 ** 2;
/** Parts of one result besides its manifest. */
export const partsMax = partsFor(packedBytesMax) + partsFor(screenshotBytesMax);
/** Refusals of the SSRF guard in one result, and characters of each: the first ones show the cause. */
const refusalsMax = 50;
const refusalCharsMax = 500;

export interface PackedResult {
  /** Parts of the result first, then parts of the screenshot. Each has at most `partBytesMax` bytes. */
  readonly parts: readonly Uint8Array[];
  readonly manifest: ResultManifest;
}

/** A result that exceeds the limits is packed as failed with `too-large`. */
export function packResult(gathered: Gathered | ScanErrorCode): PackedResult {
  if (typeof gathered === "string") return packed({ failed: gathered }, null) ?? neverTooLarge(gathered);
  const { evidence, timings, refusals, screenshot } = gathered;
  return packed({ evidence, timings, refusals: firstRefusals(refusals) }, screenshot) ?? packResult("too-large");
}

/** As `packResult`, for the visit of a proof. */
export function packVisit(visited: Visited | ScanErrorCode): PackedResult {
  if (typeof visited === "string") return packResult(visited);
  const { readings, observation, refusals, screenshot } = visited;
  return packed({ visited: { readings, observation }, refusals: firstRefusals(refusals) }, screenshot) ?? packResult("too-large");
}

function firstRefusals(refusals: readonly string[]): readonly string[] {
  return refusals.slice(0, refusalsMax).map((refusal) => boundedText(refusal, refusalCharsMax).text);
}

function packed(result: SentResult, screenshot: Uint8Array | null): PackedResult | null {
  const json = Buffer.from(JSON.stringify(result));
  if (json.length > resultBytesMax) return null;
  const compressed = zstdCompressSync(json);
  if (compressed.length > packedBytesMax) return null;
  const parts = [...cut(compressed), ...cut(screenshot ?? new Uint8Array())];
  const sentScreenshot = screenshot === null ? null : sentBytes(screenshot);
  return { parts, manifest: { v: fleetProtocol, evidenceVersion, result: sentBytes(compressed), screenshot: sentScreenshot } };
}

function neverTooLarge(code: ScanErrorCode): never {
  throw new Error(`the result ${code} exceeds the limits of results`);
}

function cut(bytes: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: partsFor(bytes.length) }, (_, at) => bytes.subarray(at * partBytesMax, (at + 1) * partBytesMax));
}

function sentBytes(bytes: Uint8Array): SentBytes {
  return { bytes: bytes.length, sha256: sha256Of(bytes), parts: partsFor(bytes.length) };
}

function partsFor(bytes: number): number {
  return Math.ceil(bytes / partBytesMax);
}

/** Lower-case hex. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

// Results at the head. Nothing in them is trusted: sizes, sums, format and identity are checked before use.

const defaultResultLimits = {
  /** Bytes of the compressed JSON. */
  packedBytesMax,
  /** Bytes of the JSON. */
  resultBytesMax,
  screenshotBytesMax,
};
type ResultLimits = Readonly<typeof defaultResultLimits>;

type ResultAssembly = ReturnType<typeof createResultAssembly>;

interface ReceivedBytes {
  readonly limits: ResultLimits;
  readonly manifest: ResultManifest;
  readonly result: Uint8Array;
  readonly screenshot: Uint8Array | null;
}

/** Collects the parts of one `JobDelivery`. Holds at most the bytes of its limits, and a manifest. */
export function createResultAssembly(limits: ResultLimits = defaultResultLimits) {
  const parts = new Map<number, Uint8Array>();
  const partsMax = partsFor(limits.packedBytesMax) + partsFor(limits.screenshotBytesMax);
  let manifest: { readonly value: ResultManifest; readonly bytes: Uint8Array } | null = null;
  let held = 0;
  let fault: ResultFault | null = null;

  function addManifest(bytes: Uint8Array): string | null {
    if (manifest !== null) return isSame(manifest.bytes, bytes) ? null : "sent two different manifests";
    const value = parseResultManifest(bytes);
    if (value === null) return "sent an invalid manifest";
    const wrong = [value.result, value.screenshot].find((sent) => sent !== null && sent.parts !== partsFor(sent.bytes));
    if (wrong !== undefined) return "sent a manifest whose number of parts does not fit its bytes";
    if (value.result.bytes > limits.packedBytesMax) return `sent a result of more than ${limits.packedBytesMax} bytes`;
    if ((value.screenshot?.bytes ?? 0) > limits.screenshotBytesMax)
      return `sent a screenshot of more than ${limits.screenshotBytesMax} bytes`;
    manifest = { value, bytes: bytes.slice() };
    return null;
  }

  function addPart(part: number, bytes: Uint8Array): string | null {
    if (part >= partsMax) return `sent part ${part}, but a result has ${partsMax} parts at most`;
    const known = parts.get(part);
    if (known !== undefined) return isSame(known, bytes) ? null : `sent two different parts ${part}`;
    if (bytes.length === 0 || bytes.length > partBytesMax) return `sent part ${part} with ${bytes.length} bytes`;
    if (held + bytes.length > limits.packedBytesMax + limits.screenshotBytesMax) return "sent more bytes than a result may have";
    held += bytes.length;
    parts.set(part, bytes);
    return null;
  }

  const countOf = ({ result, screenshot }: ResultManifest) => result.parts + (screenshot?.parts ?? 0);

  function received(): ReceivedBytes | null {
    if (manifest === null || fault !== null) return null;
    const { result, screenshot } = manifest.value;
    if (parts.size < countOf(manifest.value)) return null;
    const joined = (from: number, count: number) =>
      Buffer.concat(Array.from({ length: count }, (_, at) => parts.get(from + at) ?? new Uint8Array()));
    const image = screenshot === null ? null : Uint8Array.from(joined(result.parts, screenshot.parts));
    return { limits, manifest: manifest.value, result: joined(0, result.parts), screenshot: image };
  }

  return {
    /** `part` as in `ResultAddress`. In any order; the same part twice counts once. After a fault, every further call returns it. */
    add: (part: number | null, bytes: Uint8Array): "more" | "complete" | ResultFault => {
      const because = fault === null ? (part === null ? addManifest(bytes) : addPart(part, bytes)) : null;
      if (because !== null) fault = { fault: because };
      if (fault === null && manifest !== null) {
        const count = countOf(manifest.value);
        const beyond = [...parts.keys()].find((each) => each >= count);
        if (beyond !== undefined) fault = { fault: `sent part ${beyond}, but its manifest states ${count} parts` };
        else if (parts.size === count) return "complete";
      }
      if (fault === null) return "more";
      parts.clear();
      held = 0;
      return fault;
    },
    /** Bytes held. */
    bytes: () => held,
    /** Null until `add` returned `complete`. */
    received,
  };
}

/** What the head knows of the scan, from its own store. */
export interface ExpectedResult {
  readonly url: string;
  /** ISO 8601, UTC. */
  readonly scannedAt: string;
  readonly headerCharsMax: number;
}

/** Values of the JSON, and lists and objects inside each other: both far above what the limits of evidence allow to a site. */
const jsonSizeMax: JsonSize = { values: 400_000, depth: 32 };
/** Timings have the names of probes, and milliseconds. */
const timingNamesMax = 64;
const timingName = "^[A-Za-z][A-Za-z0-9]{0,31}$";
const milliseconds = Type.Integer({ minimum: 0, maximum: 24 * 60 * 60 * 1_000 });
const failedSchema = TypeCompiler.Compile(Type.Object({ failed: literalOf(...scanErrorCodes) }));
const timingsSchema = TypeCompiler.Compile(
  Type.Record(Type.String({ pattern: timingName }), milliseconds, { maxProperties: timingNamesMax, additionalProperties: false }),
);
const refusalsSchema = TypeCompiler.Compile(Type.Array(Type.String({ maxLength: refusalCharsMax }), { maxItems: refusalsMax }));

/** Checks a complete result and reads it. `gathered` is a code if the worker could not gather. Never throws. */
export function unpackResult(
  assembly: Pick<ResultAssembly, "received">,
  expected: ExpectedResult,
): { readonly gathered: Gathered | ScanErrorCode } | ResultFault {
  const opened = openResult(assembly);
  return "fault" in opened || "gathered" in opened ? opened : gatheredIn(opened.sent, { ...opened, expected });
}

/** As `unpackResult`, for the visit of a proof: a result of another form is a fault. */
export function unpackVisit(assembly: Pick<ResultAssembly, "received">): { readonly gathered: Visited | ScanErrorCode } | ResultFault {
  const opened = openResult(assembly);
  return "fault" in opened || "gathered" in opened ? opened : visitedIn(opened.sent, opened);
}

type OpenedResult = Pick<ReceivedBytes, "manifest" | "screenshot"> & { readonly sent: unknown };

/** Checks sums, format and size, and parses the JSON. */
function openResult(assembly: Pick<ResultAssembly, "received">): OpenedResult | { readonly gathered: ScanErrorCode } | ResultFault {
  const received = assembly.received();
  if (received === null) return { fault: "sent an incomplete result" };
  const { manifest, result, screenshot, limits } = received;
  const wrong = wrongSum("result", result, manifest.result) ?? wrongSum("screenshot", screenshot, manifest.screenshot);
  if (wrong !== null) return { fault: wrong };
  if (!isKnownEvidenceVersion(manifest.evidenceVersion))
    return { fault: `sent evidence of version ${manifest.evidenceVersion}, which this server does not read` };
  const imageFault = screenshot === null ? null : screenshotFault(screenshot);
  if (imageFault !== null) return { fault: imageFault };
  const json = decompressed(result, limits.resultBytesMax);
  if (json === null) return { fault: `sent a result that is not zstd, or has more than ${limits.resultBytesMax} bytes` };
  const { values, depth } = jsonSize(json);
  if (values > jsonSizeMax.values || depth > jsonSizeMax.depth) return { fault: "sent a result with too many values" };
  const sent = jsonOf(json);
  if (failedSchema.Check(sent)) return { gathered: sent.failed };
  return { sent, manifest, screenshot };
}

const visitReadings = ["navigation", "page", "dom", "markup", "requests", "scripts", "scriptLibraries", "hstsPreload"] as const satisfies (
  | ReadingName
  | keyof Visited["readings"]
)[];
const observationCheck = TypeCompiler.Compile(observationSchema);

function visitedIn(
  sent: unknown,
  { manifest, screenshot }: Pick<ReceivedBytes, "manifest" | "screenshot">,
): { readonly gathered: Visited } | ResultFault {
  if (!isObject(sent) || !isObject(sent.visited) || !isObject(sent.visited.readings)) return { fault: "sent no visit" };
  if (!refusalsSchema.Check(sent.refusals)) return { fault: "sent invalid refusals" };
  const read = receivedReadings(visitReadings, sent.visited.readings, manifest.evidenceVersion);
  if ("fault" in read) return read;
  const observation = knownPart(observationSchema, sent.visited.observation);
  if (!observationCheck.Check(observation))
    return { fault: `sent an invalid observation at ${observationCheck.Errors(observation).First()?.path || "/"}` };
  const facts = withoutSecrets({ readings: read.readings as unknown as Visited["readings"], observation });
  const refusals = sent.refusals.map((refusal) => boundedText(refusal, refusalCharsMax).text);
  return { gathered: { ...facts, screenshot, refusals, browserBroke: false } };
}

function gatheredIn(
  sent: unknown,
  { manifest, screenshot, expected }: Pick<ReceivedBytes, "manifest" | "screenshot"> & { readonly expected: ExpectedResult },
): { readonly gathered: Gathered } | ResultFault {
  if (typeof sent !== "object" || sent === null) return { fault: "sent a result that is not JSON of an object" };
  const { evidence: sentEvidence, timings, refusals } = sent as Readonly<Record<string, unknown>>;
  if (!timingsSchema.Check(timings)) return { fault: "sent invalid timings" };
  if (!refusalsSchema.Check(refusals)) return { fault: "sent invalid refusals" };
  const expectedSubject = subjectOf(expected.url, expected.scannedAt, expected.headerCharsMax);
  const checked = receivedEvidence(sentEvidence, expectedSubject, manifest.evidenceVersion);
  if ("fault" in checked) return checked;
  // Honest workers have done both already. The subject stays complete: it identifies the scan.
  const evidence = { ...withoutSecrets(evidenceWithoutErrorPage(checked.evidence)), subject: checked.evidence.subject };
  const texts = refusals.map((refusal) => boundedText(refusal, refusalCharsMax).text);
  return { gathered: { evidence, screenshot, timings, refusals: texts, unreachable: unreachableBecause(evidence), browserBroke: false } };
}

function wrongSum(what: string, bytes: Uint8Array | null, sent: SentBytes | null): string | null {
  if (bytes === null || sent === null) return null;
  if (bytes.length !== sent.bytes) return `sent ${bytes.length} bytes of the ${what}, but its manifest states ${sent.bytes}`;
  return sha256Of(bytes) === sent.sha256 ? null : `sent a ${what} with a wrong SHA-256`;
}

function screenshotFault(bytes: Uint8Array): string | null {
  const size = parseJpeg(bytes);
  if (size === null) return "sent a screenshot that is not a JPEG image";
  if (size.width <= viewport.width && size.height <= viewport.height) return null;
  return `sent a screenshot of ${size.width} x ${size.height} pixels, but ${viewport.width} x ${viewport.height} is the largest`;
}

/** Decompressed bytes; null for other formats and beyond the limit. The output grows with what is decompressed, and stops at the limit. */
function decompressed(bytes: Uint8Array, maxOutputLength: number): Uint8Array | null {
  const params = { [constants.ZSTD_d_windowLogMax]: Math.ceil(Math.log2(maxOutputLength)) };
  try {
    return zstdDecompressSync(bytes, { maxOutputLength, params });
  } catch {
    return null;
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

/** Clause that continues a sentence about a worker, such as "sent an invalid manifest". It has no text of the worker itself. */
interface ResultFault {
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
  const read = receivedReadings(readingNames, sent, version);
  return "fault" in read ? read : { evidence: { subject, ...read.readings } as unknown as Evidence };
}

function receivedReadings(
  names: readonly ReadingName[],
  sent: Readonly<Record<string, unknown>>,
  version: number,
): { readonly readings: Readonly<Record<string, unknown>> } | ResultFault {
  const readings: [name: string, reading: unknown][] = [];
  for (const name of names) {
    const read = receivedReading(name, sent[name]);
    if ("fault" in read && version === evidenceVersion) return read;
    readings.push([name, "fault" in read ? failed("not-asked") : read]);
  }
  return { readings: Object.fromEntries(readings) };
}

function receivedReading(name: ReadingName, sent: unknown): { readonly status: string } | ResultFault {
  if (!isObject(sent)) return { fault: `sent evidence without the reading ${name}` };
  if (sent.status !== "read") {
    const { status, because } = sent;
    const reading = { status, because };
    return failedCheck.Check(reading) ? reading : { fault: `sent the reading ${name} without facts and without a known failure` };
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

const failedCheck = TypeCompiler.Compile(failedReading);
const compiled = new Map<ReadingName, TypeCheck<(typeof factsSchema.properties)[ReadingName]>>();

/** Compiled with the first result of a worker. */
function factsCheck(name: ReadingName) {
  const known = compiled.get(name) ?? TypeCompiler.Compile(factsSchema.properties[name]);
  compiled.set(name, known);
  return known;
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
