/** Reads the body of a request within a limit. */

/** Read and discarded: a proxy that cannot finish sending the body would answer 502 instead of our answer. */
const discardedBytesDefaultMax = 1_048_576;

/** The client is gone before the end of its body: no fault of the server, and no answer reaches anybody. */
export class BodyBrokenOff extends Error {}

/** "too-long" for more than `bytesMax`. A much longer body stays unread, so its connection cannot be reused. @throws BodyBrokenOff */
export async function readBytes(
  request: Request,
  bytesMax: number,
  discardedBytesMax = discardedBytesDefaultMax,
): Promise<Uint8Array | "too-long"> {
  const readMax = bytesMax + discardedBytesMax;
  if (Number(request.headers.get("content-length")) > readMax) return "too-long";
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of request.body ?? []) {
      length += chunk.length;
      if (length <= bytesMax) chunks.push(chunk);
      else if (length > readMax) break;
    }
  } catch (error) {
    throw request.signal.aborted ? new BodyBrokenOff("the body ended too early", { cause: error }) : error;
  }
  return length > bytesMax ? "too-long" : Buffer.concat(chunks);
}
