/** Style sheet and script: size, self-containment, and no unused rules. */
import { afterAll, describe, expect, test } from "vitest";
import { fileStyle } from "../../../src/export/html.tsx";
import { script } from "../../../src/web/client/script.ts";
import { style } from "../../../src/web/style.ts";
import { startPages } from "../../support/pages.ts";
import { unusedClasses } from "../../support/style-classes.ts";

const styleBytesMax = 14 * 1_024;
const scriptBytesMax = 12 * 1_024;

const pages = await startPages();
afterAll(() => pages.stop());

async function sentOf(pattern: RegExp): Promise<Uint8Array> {
  const path = pattern.exec(await (await fetch(`${pages.url}/`)).text())?.[0] ?? "";
  const answer = await fetch(`${pages.url}${path}`, { headers: { "accept-encoding": "br, gzip" }, decompress: false });
  expect([answer.status, answer.headers.get("content-encoding")]).toEqual([200, "gzip"]);
  return answer.bytes();
}

test.each([
  ["gzip;q=0", null],
  ["gzip;q=0, *", null],
  ["identity, *;q=0", null],
  ["br, gzip ; q=0.5", "gzip"],
  ["GZIP", "gzip"],
  ["*", "gzip"],
  ["xgzip", null],
])("a client that accepts %j gets %s", async (accepted, coding) => {
  const headers = { "accept-encoding": accepted };
  expect((await fetch(`${pages.url}/`, { headers, decompress: false })).headers.get("content-encoding")).toBe(coding);
});

describe("the style sheet", () => {
  test("is small when compressed", async () => {
    expect((await sentOf(/\/assets\/[\da-f]+\.css/)).length).toBeLessThan(styleBytesMax);
  });

  test("refers to no external resource", () => {
    expect(style).not.toMatch(/url\(|@import|https?:/);
  });

  test("defines every colour variable that it uses", () => {
    const names = (pattern: RegExp) => new Set([...style.matchAll(pattern)].map(([, name]) => name));
    const named = names(/^\s*(--[\w-]+):/gm);
    expect([...names(/var\((--[\w-]+)\)/g)].filter((name) => !named.has(name))).toEqual([]);
  });
});

test("every CSS class is used by a page, or by an HTML file", () => {
  expect(unusedClasses(style, ["src/web", "src/report", "src/text", "src/export/client-report"])).toEqual([]);
  expect(unusedClasses(fileStyle, ["src/web", "src/report", "src/text", "src/export"])).toEqual([]);
});

describe("the script", () => {
  test("is small when compressed", async () => {
    expect((await sentOf(/\/assets\/[\da-f]+\.js/)).length).toBeLessThan(scriptBytesMax);
  });

  test("parses as a script and creates no HTML", () => {
    expect(() => new Function(script)).not.toThrow();
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|\bimport\b/);
  });
});
