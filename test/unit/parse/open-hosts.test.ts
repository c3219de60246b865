/** Hosts on which anyone can publish. */
import { expect, test } from "vitest";
import { domainOfTenants, isOpenBelow, isOpenOrigin, openHostIn, openHosts } from "../../../src/parse/open-hosts.ts";

test("each entry has a lower-case host, a path and an https source, and stands once", () => {
  for (const { host, path, source } of openHosts) {
    expect(host).toMatch(/^(?:\*\.)?[a-z0-9-]+(?:\.(?:\*|[a-z0-9-]+))+$/);
    expect(path).toMatch(/^\/(?:[a-z0-9]+[/:])*(?:[a-z0-9]+\/)*$/);
    expect(URL.parse(source)?.protocol).toBe("https:");
  }
  expect(new Set(openHosts.map(({ host, path }) => host + path)).size).toBe(openHosts.length);
});

test("each entry is found by its own host and folder", () => {
  for (const open of openHosts) {
    const host = open.host.replace(/(?<=\.)\*(?=\.)/g, "eu-west-1");
    expect([open.host, openHostIn({ host, path: "" })?.host]).toEqual([open.host, open.host]);
    expect([open.host, openHostIn({ host, path: "/acme/acme.js" })]).toEqual([open.host, null]);
  }
});

test.each([
  ["unpkg.com", "", "unpkg.com"],
  ["unpkg.com", "/", "unpkg.com"],
  ["unpkg.com", "/vue@3/", undefined],
  ["cdn.jsdelivr.net", "/", "cdn.jsdelivr.net"],
  ["cdn.jsdelivr.net", "/NPM/", "cdn.jsdelivr.net"],
  ["cdn.jsdelivr.net", "/npm", undefined],
  ["cdn.statically.io", "/gh/", "cdn.statically.io"],
  ["cdn.statically.io", "/gh/acme/", undefined],
  ["*.jsdelivr.net", "", "cdn.jsdelivr.net"],
  ["*.cdn.jsdelivr.net", "", undefined],
  ["s3.eu-west-1.amazonaws.com", "", "s3.*.amazonaws.com"],
  ["s3.eu.west.amazonaws.com", "", undefined],
  ["*.windows.net", "", "*.blob.core.windows.net"],
  ["*.acme.blob.core.windows.net", "", undefined],
  ["acme.blob.core.windows.net", "", undefined],
  ["notunpkg.com", "", undefined],
  ["*.com.unpkg", "", undefined],
])('%s with the path "%s" allows %s', (host, path, expected) => {
  expect(openHostIn({ host, path })?.host).toBe(expected);
});

test.each([
  ["com", true],
  ["vercel.app", true],
  ["compute.amazonaws.com", true],
  ["kawasaki.jp", true],
  ["city.kawasaki.jp", false],
  ["acme.vercel.app", false],
  ["example.com", false],
  ["internal", false],
])("below %s anyone can have a host: %s", (parent, expected) => {
  expect(isOpenBelow(parent)).toBe(expected);
});

test.each([
  ["https://storage.googleapis.com", true],
  ["http://ipfs.io", true],
  ["https://gcore.jsdelivr.net", false],
  ["https://acme.b-cdn.net", false],
  ["https://*.b-cdn.net", false],
  ["https://ipfs.io:8443", false],
  ["https://ipfs.io/", false],
  ["ipfs.io", false],
  ["blob:https://ipfs.io", false],
  ["null", false],
  ["*", false],
])("anyone has scripts with the origin %s: %s", (text, expected) => {
  expect(isOpenOrigin(text)).toBe(expected);
});

test.each([
  ["b-cdn.net", "b-cdn.net"],
  ["azure.com", "cloudapp.azure.com"],
  ["acme.b-cdn.net", null],
  ["cdn.net", null],
  ["google.com", null],
  ["", null],
])("the names below %s belong to different owners at %s", (domain, expected) => {
  expect(domainOfTenants(domain)).toBe(expected);
});
