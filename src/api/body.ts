/** Reads a request body as JSON, up to a limit. */
import { readBytes } from "../http/request-body.ts";
import { bodyTooLarge, invalidBody } from "./errors.ts";

/** Of a body with one URL: eight times the longest. */
export const bodyBytesMax = 16_384;

interface BodyTerms {
  readonly bytesMax: number;
  /** Field that an unreadable body lacks. */
  readonly field: "url" | "urls";
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
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw invalidBody("is not JSON", field);
  }
}
