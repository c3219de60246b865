/** Reads the body of a request within a limit. */

/** Read and discarded: a proxy that cannot finish sending the body would answer 502 instead of our answer. */
const discardedBytesDefaultMax = 1_048_576;

/** "too-long" for more than `bytesMax`. A much longer body stays unread, so its connection cannot be reused. */
export async function readBytes(
  request: Request,
  bytesMax: number,
  discardedBytesMax = discardedBytesDefaultMax,
): Promise<Uint8Array | "too-long"> {
  const readMax = bytesMax + discardedBytesMax;
  if (Number(request.headers.get("content-length")) > readMax) return "too-long";
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length <= bytesMax) chunks.push(chunk);
    else if (length > readMax) break;
  }
  return length > bytesMax ? "too-long" : Buffer.concat(chunks);
}
