/** Hosts of URLs, and registry suffixes. URLs that need no encryption, because they never leave the machine. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { hostOf, isCookieDomainAccepted, isInsecureUrl, isLoopbackUrl, isRegistrySuffix, isRentedSuffix } from "../../../src/parse/site.ts";
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

test.each([
  ["com", true],
  ["vercel.app", true],
  ["GitHub.io", true],
  ["eu-central-1.compute.amazonaws.com", true],
  ["acme.vercel.app", false],
  ["amazonaws.com", false],
  ["corp", false],
  ["192.0.2.1", false],
])("below %s anyone can have a name: %s", (name, expected) => {
  expect(isRentedSuffix(name)).toBe(expected);
});

test.each([
  ["site.example", "site.example", true],
  ["www.site.example", "site.example", true],
  ["a.b.shop.co.uk", "b.shop.co.uk", true],
  ["::1", "[::1]", true],
  ["shop.co.uk", "co.uk", false],
  ["acme.github.io", "github.io", false],
  ["acme.github.io", "io", false],
  ["github.io", "github.io", true],
  ["site.example", "www.site.example", false],
  ["notsite.example", "site.example", false],
  ["192.0.2.1", "2.1", false],
  ["site.example", "", false],
])("%s may set a cookie for %s: %s", (host, domain, expected) => {
  expect(isCookieDomainAccepted(host, domain)).toBe(expected);
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

test.each([
  "http://localhost/",
  "http://LOCALHOST.:80/a",
  "ws://a.b.localhost/",
  "http://127.0.0.1:8080/",
  "http://127.1/",
  "http://[::1]/",
])("%s stays on the machine", (url) => {
  expect(isLoopbackUrl(url)).toBe(true);
  expect(isInsecureUrl(url)).toBe(false);
});

test.each([
  "http://localhost.example/",
  "http://notlocalhost/",
  "http://128.0.0.1/",
  "http://[::2]/",
  "http://127.0.0.1.example/",
  "HTTP://10.0.0.1/",
])("%s crosses a network", (url) => {
  expect(isLoopbackUrl(url)).toBe(false);
  expect(isInsecureUrl(url)).toBe(true);
});

test("https and text without a host are not insecure", () => {
  expect(["https://site.example/", "mailto:a@b", ""].map(isInsecureUrl)).toEqual([false, false, false]);
});
