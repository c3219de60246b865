/** Request bodies: read up to the limit, discarded somewhat beyond it, and not read at all if far too long. */
import { expect, test } from "vitest";
import { readBytes } from "../../../src/http/request-body.ts";

const mebibyte = 1_048_576;

/** A body in chunks of 64 KiB, and the number of bytes read. */
function bodyOf(bytes: number, headers: Record<string, string> = {}) {
  const chunk = 65_536;
  const body = {
    bytesRead: 0,
    request: new Request("http://127.0.0.1/", {
      method: "POST",
      headers,
      body: new ReadableStream({
        pull(controller) {
          const rest = bytes - body.bytesRead;
          if (rest <= 0) return controller.close();
          body.bytesRead += Math.min(chunk, rest);
          controller.enqueue(new Uint8Array(Math.min(chunk, rest)));
        },
      }),
    }),
  };
  return body;
}

test("a body within the limit is read completely", async () => {
  expect(await readBytes(bodyOf(100_000).request, 100_000)).toHaveLength(100_000);
  expect(await readBytes(new Request("http://127.0.0.1/"), 10)).toHaveLength(0);
});

test("one byte more is too long, but is read completely so that the client receives the answer", async () => {
  const body = bodyOf(100_001);
  expect(await readBytes(body.request, 100_000)).toBe("too-long");
  expect(body.bytesRead).toBe(100_001);
});

test("an endless body is not read to its end", async () => {
  const body = bodyOf(1_000 * mebibyte);
  expect(await readBytes(body.request, 1_000)).toBe("too-long");
  expect(body.bytesRead).toBeLessThan(2 * mebibyte);
});

test.each([
  [2_000, true],
  [2_001, false],
])("of 1000 bytes, and 1000 that are discarded, a body that announces %i is read: %s", async (bytes, isRead) => {
  const { request } = bodyOf(bytes, { "content-length": String(bytes) });
  expect(await readBytes(request, 1_000, 1_000)).toBe("too-long");
  expect(request.bodyUsed).toBe(isRead);
});

test("a body with a far too large content-length is not read", async () => {
  const body = bodyOf(3 * mebibyte, { "content-length": String(3 * mebibyte) });
  expect(await readBytes(body.request, 1_000)).toBe("too-long");
  expect(body.bytesRead).toBeLessThan(mebibyte);
});
