/** Hosts of URLs, and registry suffixes. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { hostOf, isRegistrySuffix } from "../../../src/parse/site.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { unicodeText } from "../../support/unicode-text.ts";

test.each([
  ["com", true],
  ["co.uk", true],
  ["CO.UK", true],
  ["example.com", false],
  ["github.io", false],
  ["corp", false],
  ["", false],
  ["192.0.2.1", false],
])("%s: %s", (name, expected) => {
  expect(isRegistrySuffix(name)).toBe(expected);
});

test("never throws, and takes linear time", () => {
  fc.assert(fc.property(unicodeText(), (name) => typeof isRegistrySuffix(name) === "boolean"));
  const fromMs = cpuMs();
  for (const piece of ["a", ".", "a.", "[", ":", "/", "@"]) isRegistrySuffix(piece.repeat(65_536 / piece.length));
  expect(cpuMs() - fromMs).toBeLessThan(3_000);
});

test.each([
  ["https://Site.example:8443/a?b#c", "site.example"],
  ["https://site.example./", "site.example"],
  ["https://b\u00fccher.example/", "xn--bcher-kva.example"],
  ["https://[2001:DB8::1]/", "2001:db8::1"],
  ["http://0x7f.1/", "127.0.0.1"],
  ["data:,x", null],
  ["/path", null],
  ["", null],
])("the host of %s is %s", (url, host) => {
  expect(hostOf(url)).toBe(host);
});
