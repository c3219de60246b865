/** Products and comments of Server and Via, and hostile input. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Products, parseProducts } from "../../../src/parse/products.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { unicodeText } from "../../support/unicode-text.ts";

test.each<[string, Products]>([
  ["nginx", { words: ["nginx"], comments: [] }],
  ["nginx/1.18.0 (Ubuntu)", { words: ["nginx/1.18.0"], comments: ["Ubuntu"] }],
  ["Apache/2.4 (Unix) mod_ssl/2.4", { words: ["Apache/2.4", "mod_ssl/2.4"], comments: ["Unix"] }],
  ["Jetty(9.4.z)", { words: ["Jetty"], comments: ["9.4.z"] }],
  ["a (b (c) d) e", { words: ["a", "e"], comments: ["b (c) d"] }],
  ["a (b \\) c) d", { words: ["a", "d"], comments: ["b \\) c"] }],
  ["a (b", { words: ["a"], comments: ["b"] }],
  ["a) b", { words: ["a)", "b"], comments: [] }],
  ["1.1 varnish, 1.1 google", { words: ["1.1", "varnish", "1.1", "google"], comments: [] }],
  ["", { words: [], comments: [] }],
])("%j", (value, expected) => {
  expect(parseProducts(value)).toEqual(expected);
});

test("never throws", () => {
  fc.assert(fc.property(unicodeText(), (text) => void parseProducts(text)));
});

test.each(["a", " ", "(", ")", "()", "\\", "(a)", ",", "(\\"])("64 KiB of %j in linear time", (piece) => {
  const fromMs = cpuMs();
  const text = piece.repeat(65_536 / piece.length);
  parseProducts(text);
  parseProducts(`(${text}`);
  // A quadratic algorithm would take minutes.
  expect(cpuMs() - fromMs).toBeLessThan(3_000);
});
