/** Results of workers at the head. All of it is untrusted: sizes, sums, format and identity are checked before anything is used. */
import { constants, zstdDecompressSync } from "node:zlib";
import { type TSchema, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { evidenceWithoutErrorPage } from "../evidence/evidence.ts";
import { boundedText, withoutSecrets } from "../evidence/redact.ts";
import { type ScanErrorCode, scanErrorCodes } from "../evidence/scan.ts";
import { parseJpeg } from "../parse/image-size.ts";
import { type JsonSize, jsonSize } from "../parse/json.ts";
import { screenshotBytesMax, viewport } from "../probe/browser/page-screenshot.ts";
import { subjectOf } from "../scan/subject.ts";
import type { Gathered } from "../scan/task.ts";
import { unreachableBecause } from "../scan/unreachable.ts";
import { fleetProtocol, partBytesMax, type ResultManifest, type SentBytes } from "./messages.ts";
import { isKnownEvidenceVersion, type ResultFault, receivedEvidence } from "./received-evidence.ts";
import { packedBytesMax, refusalCharsMax, refusalsMax, resultBytesMax, sha256Of } from "./result-parts.ts";

export interface ResultLimits {
  /** Of the compressed JSON. */
  readonly packedBytesMax: number;
  /** Of the JSON. */
  readonly resultBytesMax: number;
  readonly screenshotBytesMax: number;
}

const defaultResultLimits: ResultLimits = { packedBytesMax, resultBytesMax, screenshotBytesMax };

export interface ResultAssembly {
  /** `part` as in `ResultAddress`. In any order; the same part twice counts once. After a fault, every further call returns it. */
  add(part: number | null, bytes: Uint8Array): "more" | "complete" | ResultFault;
  /** Bytes held. */
  bytes(): number;
  /** Null until `add` returned `complete`. */
  received(): ReceivedBytes | null;
}

export interface ReceivedBytes {
  readonly limits: ResultLimits;
  readonly manifest: ResultManifest;
  readonly result: Uint8Array;
  readonly screenshot: Uint8Array | null;
}

/** Bytes of a manifest; a real one has 300. */
const manifestBytesMax = 2_000;
const partsMaxOf = (bytes: number) => Math.ceil(bytes / partBytesMax);

const sentBytes = Type.Object({
  bytes: Type.Integer({ minimum: 1, maximum: packedBytesMax }),
  sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
  parts: Type.Integer({ minimum: 1, maximum: partsMaxOf(packedBytesMax) }),
});
const manifestSchema = TypeCompiler.Compile(
  Type.Object({
    v: Type.Literal(fleetProtocol),
    evidenceVersion: Type.Integer({ minimum: 0 }),
    result: sentBytes,
    screenshot: Type.Union([sentBytes, Type.Null()]),
  }),
);

/** Collects the parts of one `JobDelivery`. Holds at most the bytes of its limits, and a manifest. */
export function createResultAssembly(limits: ResultLimits = defaultResultLimits): ResultAssembly {
  const parts = new Map<number, Uint8Array>();
  const partsMax = partsMaxOf(limits.packedBytesMax) + partsMaxOf(limits.screenshotBytesMax);
  let manifest: { readonly value: ResultManifest; readonly bytes: Uint8Array } | null = null;
  let held = 0;
  let fault: ResultFault | null = null;

  function addManifest(bytes: Uint8Array): string | null {
    if (manifest !== null) return isSame(manifest.bytes, bytes) ? null : "sent two different manifests";
    const value = bytes.length > manifestBytesMax ? null : jsonOf(bytes);
    if (!manifestSchema.Check(value)) return "sent an invalid manifest";
    const wrong = [value.result, value.screenshot].find((sent) => sent !== null && sent.parts !== partsMaxOf(sent.bytes));
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
    add: (part, bytes) => {
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
    bytes: () => held,
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
/** Names are those of probes; milliseconds. */
const timingNamesMax = 64;
const timingName = "^[A-Za-z][A-Za-z0-9]{0,31}$";
const milliseconds = Type.Integer({ minimum: 0, maximum: 24 * 60 * 60 * 1_000 });
const oneOf = (values: readonly string[]): TSchema => Type.Union(values.map((value) => Type.Literal(value)));
const failedSchema = TypeCompiler.Compile(Type.Object({ failed: oneOf(scanErrorCodes) }));
const timingsSchema = TypeCompiler.Compile(
  Type.Record(Type.String({ pattern: timingName }), milliseconds, { maxProperties: timingNamesMax, additionalProperties: false }),
);
const refusalsSchema = TypeCompiler.Compile(Type.Array(Type.String({ maxLength: refusalCharsMax }), { maxItems: refusalsMax }));

/** Checks a complete result and reads it. `gathered` is a code if the worker could not gather. Never throws. */
export function unpackResult(
  assembly: Pick<ResultAssembly, "received">,
  expected: ExpectedResult,
): { readonly gathered: Gathered | ScanErrorCode } | ResultFault {
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
  if (failedSchema.Check(sent)) return { gathered: (sent as { readonly failed: ScanErrorCode }).failed };
  return gatheredIn(sent, { manifest, screenshot, expected });
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

/** Null for other formats and for more bytes. The output grows with what is decompressed, and stops at the limit. */
function decompressed(bytes: Uint8Array, maxOutputLength: number): Uint8Array | null {
  const params = { [constants.ZSTD_d_windowLogMax]: Math.ceil(Math.log2(maxOutputLength)) };
  try {
    return zstdDecompressSync(bytes, { maxOutputLength, params });
  } catch {
    return null;
  }
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  } catch {
    return null;
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
