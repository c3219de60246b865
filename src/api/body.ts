/** Reads a request's body as JSON, and never more of it than is allowed. */
import { readBytes } from "../http/bytes.ts";
import { bodyTooLarge, invalidBody } from "./errors.ts";

/** A URL of the longest kind fits eight times over. */
export const bodyBytesMax = 16_384;

/**
 * The parsed body. What it must look like is the schema's business.
 * @throws ApiError 413 as soon as it is longer than `bodyBytesMax`, 400 when it is not JSON or does not say that it is.
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
