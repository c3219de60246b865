/** Memory of the network recorder. Its facts are tested with a real browser in `page.test.ts`. */
import { heapStats } from "bun:jsc";
import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import type { CDPSession } from "../../../../src/browser/browser-page.ts";
import { headerValueCharsMax } from "../../../../src/evidence/limits.ts";
import { watchNetwork } from "../../../../src/probe/browser/page-network.ts";

const fieldBytes = 256 * 1_024;
const requests = 400;

/** A new string that shares no memory with others. */
function text(seed: number): string {
  return Buffer.alloc(fieldBytes, 97 + (seed % 26)).toString("latin1");
}

/** Records the answers, and returns by how much that made the memory grow. */
function grownBytes(): number {
  const events = new EventEmitter();
  const network = watchNetwork(events as unknown as CDPSession, "frame");
  Bun.gc(true);
  const before = heapStats().heapSize + heapStats().extraMemorySize;
  for (let at = 0; at < requests; at++) {
    const requestId = `request-${at}`;
    const url = `https://site.test/${at}`;
    const headers = { "x-large": text(at), "set-cookie": `c=${text(at)}` };
    events.emit("Network.requestWillBeSent", { requestId, loaderId: "loader", frameId: "frame", type: "Image", request: { url } });
    events.emit("Network.responseReceivedExtraInfo", { requestId, statusCode: 200, headers });
    events.emit("Network.responseReceived", { requestId, response: { url, status: 200, headers, mimeType: "" }, hasExtraInfo: true });
    events.emit("Network.loadingFinished", { requestId });
  }
  Bun.gc(true);
  const grown = heapStats().heapSize + heapStats().extraMemorySize - before;
  expect(network.requests().total).toBe(requests);
  return grown;
}

test("large header fields of hundreds of subresources are not kept in memory", () => {
  // Other memory of the process is counted too, and grows in the first run at most.
  const grown = [grownBytes(), grownBytes(), grownBytes()];
  expect(Math.min(...grown)).toBeLessThan((requests * fieldBytes) / 10);
});

test("a media type of 256 KB is truncated", () => {
  const events = new EventEmitter();
  const network = watchNetwork(events as unknown as CDPSession, "frame");
  const url = "https://site.test/";
  const request = { requestId: "loader", loaderId: "loader", frameId: "frame", type: "Document", request: { url } };
  events.emit("Network.requestWillBeSent", request);
  const response = { url, status: 200, headers: {}, mimeType: text(0) };
  events.emit("Network.responseReceived", { requestId: "loader", response, hasExtraInfo: false });
  expect(network.page()?.mediaType).toHaveLength(headerValueCharsMax);
});
