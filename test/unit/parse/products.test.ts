/**
 * Products and comments of Server and Via, and hostile input. Fields with a product and its version; the table of the check
 * `information-disclosure` has the values.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { namesVersion, type Products, parseProducts, productVersionFields } from "../../../src/parse/products.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { headerFields } from "../../support/evidence.ts";
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

test("fields come in order with their names as sent", () => {
  const fields = headerFields({ server: "nginx/1.18.0", "X-Jenkins": "2.401.1", date: "x", warning: '299 elasticsearch/7.17.1 "old"' });
  expect(productVersionFields(fields)).toEqual(["X-Jenkins: 2.401.1", 'warning: 299 elasticsearch/7.17.1 "old"']);
});

test("a version has a dot or follows a slash", () => {
  expect(["a 1.2", "a/1", "a/v2", "Drupal 10", "S3", ""].map(namesVersion)).toEqual([true, true, true, false, false, false]);
});
