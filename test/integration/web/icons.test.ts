/** Icons for browsers and systems that take no SVG. */
import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { freshIcons } from "../../../build/icons.ts";
import { startPages } from "../../support/pages.ts";

const pages = await startPages();
afterAll(() => pages.stop());

/** Width and height of a PNG file, in pixels. */
function pngSize(bytes: Buffer): readonly [number, number] {
  expect(bytes.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

test("are those that `npm run icons` makes of the SVG", async () => {
  for (const { path, bytes } of await freshIcons()) expect(readFileSync(path).equals(bytes), path).toBe(true);
});

test("favicon.ico holds PNG images of 16, 32 and 48 pixels", async () => {
  const answer = await fetch(`${pages.url}/favicon.ico`, { headers: { "accept-encoding": "gzip" } });
  const headers = ["content-type", "cache-control", "content-encoding"].map((name) => answer.headers.get(name));
  expect([answer.status, ...headers]).toEqual([200, "image/x-icon", "public, max-age=86400", null]);
  const ico = Buffer.from(await answer.arrayBuffer());
  expect([ico.readUInt16LE(0), ico.readUInt16LE(2), ico.readUInt16LE(4)]).toEqual([0, 1, 3]);
  const images = [0, 1, 2].map((at) => ico.subarray(6 + 16 * at, 22 + 16 * at));
  const ends = images.map((entry) => entry.readUInt32LE(12) + entry.readUInt32LE(8));
  expect(ends.at(-1)).toBe(ico.length);
  for (const [at, px] of [16, 32, 48].entries()) {
    const entry = images[at] as Buffer;
    expect([entry.readUInt8(0), entry.readUInt8(1)]).toEqual([px, px]);
    expect(pngSize(ico.subarray(entry.readUInt32LE(12), ends[at]))).toEqual([px, px]);
  }
});

test("apple-touch-icon.png has 180 pixels, and every page links all icons", async () => {
  const answer = await fetch(`${pages.url}/apple-touch-icon.png`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"]);
  expect(pngSize(Buffer.from(await answer.arrayBuffer()))).toEqual([180, 180]);
  const html = await (await fetch(`${pages.url}/about`)).text();
  for (const path of ["/favicon.ico", "/favicon.svg", "/apple-touch-icon.png"]) expect(html).toContain(`href="${path}"`);
});
