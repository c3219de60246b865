/** Reads a request's body, and never more of it than is allowed. */

/** "too-long" as soon as it is longer than `bytesMax`; the rest is then not read, so the connection cannot be used again. */
export async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array | "too-long"> {
  if (Number(request.headers.get("content-length")) > bytesMax) return "too-long";
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > bytesMax) return "too-long";
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
