/** Reads a request body as JSON, up to a limit. */
import { readBytes } from "../http/request-body.ts";
import { bodyTooLarge, invalidBody } from "./errors.ts";

/** Of a body with one URL: eight times the longest. */
export const bodyBytesMax = 16_384;

/** Levels of lists and objects. A megabyte of nested lists would take the parser most of a second. */
const nestingMax = 100;

interface BodyTerms {
  readonly bytesMax: number;
  /** Field that an unreadable body lacks; null if none is required. */
  readonly field: string | null;
}

/**
 * The caller validates the parsed body.
 * @throws ApiError 413 for more than `bytesMax`, 400 for anything but JSON with its media type.
 */
export async function readJson(request: Request, { bytesMax, field }: BodyTerms): Promise<unknown> {
  const mediaType = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const bytes = await readBytes(request, bytesMax);
  if (bytes === "too-long") throw bodyTooLarge(bytesMax);
  if (bytes.length === 0) throw invalidBody("is empty", field);
  if (mediaType !== "application/json") throw invalidBody("must come with Content-Type: application/json", field);
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
