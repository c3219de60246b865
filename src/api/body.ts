/** Reads a request body as JSON, up to a limit. */
import { readBytes } from "../http/request-body.ts";
import { bodyTooLarge, invalidBody } from "./errors.ts";

/** Eight times the longest URL. */
export const bodyBytesMax = 16_384;

/**
 * The schema validates the parsed body.
 * @throws ApiError 413 for more than `bodyBytesMax`, 400 for anything but JSON with its media type.
 */
export async function readJson(request: Request): Promise<unknown> {
  const mediaType = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const bytes = await readBytes(request, bodyBytesMax);
  if (bytes === "too-long") throw bodyTooLarge(bodyBytesMax);
  if (bytes.length === 0) throw invalidBody("is empty");
  if (mediaType !== "application/json") throw invalidBody("must come with Content-Type: application/json");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw invalidBody("is not JSON");
  }
}
