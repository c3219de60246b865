/** Bodies of requests: what an operation declares of them, and how they are read. */
import type { Static, TObject } from "@sinclair/typebox";
import { readBytes } from "../http/request-body.ts";
import { bodyTooLarge, type FieldErrors, invalidBody } from "./errors.ts";
import type { Call } from "./operation.ts";
import type { ResponseContent } from "./responses.ts";
import { type BodyFields, validatorOf } from "./validation.ts";

/** Limit of a body with one URL: eight times the longest URL. */
const bodyBytesMax = 16_384;
/** As many of the longest URLs as a request may have, in ASCII. */
export const bulkBodyBytesMax = 2_097_152;

/** Levels of lists and objects. A megabyte of nested lists would take the parser most of a second. */
const nestingMax = 100;

export interface RequestBody<B> {
  readonly content: ResponseContent;
  /** Null if the operation describes the refusal of a longer body itself. */
  readonly bytesMax: number | null;
  /**
   * The given function validates. It is called after the token was checked again.
   * @throws ApiError 413, 400
   */
  read(request: Request): Promise<(call: Call) => B>;
}

interface JsonBodyTerms {
  readonly bytesMax?: number;
  /** Faults that the domain finds in a refused body, beside the faults of the schema; null without any. */
  readonly faultsOf?: (fields: BodyFields, call: Call) => FieldErrors | null;
}

/** A JSON object of this schema. */
export function jsonBody<S extends TObject>(schema: S, { bytesMax = bodyBytesMax, faultsOf }: JsonBodyTerms = {}): RequestBody<Static<S>> {
  const { required, check } = validatorOf(schema);
  return {
    content: { "application/json": { schema } },
    bytesMax,
    read: async (request) => {
      const body = await readJson(request, bytesMax, required);
      return (call) => check(body, faultsOf && ((fields) => faultsOf(fields, call)));
    },
  };
}

export function mediaTypeOf({ headers }: Request): string | undefined {
  return headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
}

/**
 * `field`: what an unreadable body lacks; null if none is required.
 * @throws ApiError 413 for more than `bytesMax`, 400 for anything but JSON with its media type.
 */
async function readJson(request: Request, bytesMax: number, field: string | null): Promise<unknown> {
  const bytes = await readBytes(request, bytesMax);
  if (bytes === "too-long") throw bodyTooLarge(bytesMax);
  if (bytes.length === 0) throw invalidBody("is empty", field);
  if (mediaTypeOf(request) !== "application/json") throw invalidBody("must come with Content-Type: application/json", field);
  if (isNestedDeeper(bytes, nestingMax)) throw invalidBody("is nested too deeply", field);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw invalidBody("is not JSON", field);
  }
}

/** Counts brackets outside of strings. The bytes of other characters than ASCII are all above it. */
function isNestedDeeper(json: Uint8Array, levelsMax: number): boolean {
  const [quote, backslash, openList, closeList, openObject, closeObject] = Buffer.from('"\\[]{}');
  let levels = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === backslash) at++;
    else if (byte === quote) inString = !inString;
    else if (inString) continue;
    else if (byte === openList || byte === openObject) levels++;
    else if (byte === closeList || byte === closeObject) levels--;
    if (levels > levelsMax) return true;
  }
  return false;
}
