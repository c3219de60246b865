/** Reads a request's body as JSON, and never more of it than is allowed. */
import { bodyTooLarge, invalidBody } from "./errors.ts";

/** A URL of the longest kind fits eight times over. */
export const bodyBytesMax = 16_384;

/**
 * The parsed body. What it must look like is the schema's business.
 * @throws ApiError 413 as soon as it is longer than `bodyBytesMax`, 400 when it is not JSON or does not say that it is.
 */
export async function readJson(request: Request): Promise<unknown> {
  if (Number(request.headers.get("content-length")) > bodyBytesMax) throw bodyTooLarge(bodyBytesMax);
  const mediaType = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const bytes = await readBytes(request);
  if (bytes.length === 0) throw invalidBody("is empty");
  if (mediaType !== "application/json") throw invalidBody("must come with Content-Type: application/json");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw invalidBody("is not JSON");
  }
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > bodyBytesMax) throw bodyTooLarge(bodyBytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
