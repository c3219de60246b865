/** Bodies: kept up to what is allowed, thrown away a good way beyond it, and cut where somebody goes on and on. */
import { expect, test } from "vitest";
import { readBytes } from "../../../src/http/request-body.ts";

const mebibyte = 1_048_576;

/** A body in chunks of 64 KiB, and how many of them were taken. */
function bodyOf(bytes: number, headers: Record<string, string> = {}) {
  const chunk = 65_536;
  const body = {
    taken: 0,
    request: new Request("http://127.0.0.1/", {
      method: "POST",
      headers,
      body: new ReadableStream({
        pull(controller) {
          const rest = bytes - body.taken;
          if (rest <= 0) return controller.close();
          body.taken += Math.min(chunk, rest);
          controller.enqueue(new Uint8Array(Math.min(chunk, rest)));
        },
      }),
    }),
  };
  return body;
}

test("what is allowed is read whole", async () => {
  expect(await readBytes(bodyOf(100_000).request, 100_000)).toHaveLength(100_000);
  expect(await readBytes(new Request("http://127.0.0.1/"), 10)).toHaveLength(0);
});

test("one byte more is too long, and all of it is taken, so that its sender gets to hear it", async () => {
  const body = bodyOf(100_001);
  expect(await readBytes(body.request, 100_000)).toBe("too-long");
  expect(body.taken).toBe(100_001);
});

test("nobody is listened to for ever", async () => {
  const body = bodyOf(1_000 * mebibyte);
  expect(await readBytes(body.request, 1_000)).toBe("too-long");
  expect(body.taken).toBeLessThan(2 * mebibyte);
});

test("who says beforehand that it will be far too long is not listened to at all", async () => {
  const body = bodyOf(3 * mebibyte, { "content-length": String(3 * mebibyte) });
  expect(await readBytes(body.request, 1_000)).toBe("too-long");
  expect(body.taken).toBeLessThan(mebibyte);
});
