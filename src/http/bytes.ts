/** Reads a request's body, and keeps never more of it than is allowed. */

/**
 * What is read of a body beyond that, and thrown away: whoever still sends does not listen, and a proxy whose sending is cut short tells
 * its visitor of a broken server (502) in place of our answer.
 */
const thrownAwayBytesMax = 1_048_576;

/** "too-long" for more than `bytesMax`. Of a body that is far longer the rest is left unread, so the connection cannot be used again. */
export async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array | "too-long"> {
  const readMax = bytesMax + thrownAwayBytesMax;
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
