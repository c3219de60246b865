/** Answers that are redirects, and answers that only resemble them. */
import { describe, expect, test } from "vitest";
import { browserRedirects, redirectsAmong, redirectTarget } from "../../../src/parse/header-fields.ts";
import { answer } from "../../support/evidence.ts";

const at = (status: number, location?: string | readonly string[]) =>
  answer({ url: "http://site.example/a/b", status, headers: location === undefined ? {} : { Location: location } });

describe("target of an answer", () => {
  test.each([301, 302, 303, 307, 308])("status %i redirects", (status) => {
    expect(redirectTarget(at(status, "https://site.example/"))).toBe("https://site.example/");
  });

  test.each([200, 201, 300, 304, 305, 404, 503])("status %i does not redirect", (status) => {
    expect(redirectTarget(at(status, "https://site.example/"))).toBeNull();
  });

  test.each([
    ["c", "http://site.example/a/c"],
    ["/c", "http://site.example/c"],
    ["//other.example", "http://other.example/"],
    ["?q", "http://site.example/a/b?q"],
    ["", "http://site.example/a/b"],
    ["http://[", null],
  ])("%j is resolved against the request URL", (location, expected) => {
    expect(redirectTarget(at(302, location))).toBe(expected);
  });

  test("no target without a location", () => {
    expect(redirectTarget(at(301))).toBeNull();
  });
});

test("internal upgrades of the browser are excluded, server redirects are kept", () => {
  const hop = (url: string, internal: boolean) => ({ ...answer({ url, status: 307 }), internal });
  const navigation = {
    hops: [hop("https://a.example/", false), hop("http://b.example/", true)],
    finalUrl: "https://b.example/",
    finalStatus: 200,
    remoteAddress: null,
    security: null,
  };
  expect(browserRedirects(navigation)).toEqual([{ from: "https://a.example/", to: "http://b.example/" }]);
});

test("a chain ends at an answer without a redirect, or at a target that was not followed", () => {
  const first = at(301, "/next");
  expect(redirectsAmong([first, answer({ url: "http://site.example/next" })])).toEqual([
    { from: first.url, to: "http://site.example/next" },
  ]);
  expect(redirectsAmong([first])).toEqual([{ from: first.url, to: "http://site.example/next" }]);
  expect(redirectsAmong([])).toEqual([]);
});
