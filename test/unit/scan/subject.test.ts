/** Subject of a scan, from its URL. */
import { describe, expect, test } from "vitest";
import { headerLimitOf } from "../../../src/evidence/evidence.ts";
import { subjectOf } from "../../../src/scan/task.ts";

const at = "2026-11-21T12:00:00.000Z";

describe("subjectOf", () => {
  test.each([
    ["https://www.Site.co.uk/a?b=c#d", "https://www.site.co.uk/a?b=c", "www.site.co.uk", "site.co.uk"],
    ["https://user.github.io/", "https://user.github.io/", "user.github.io", "user.github.io"],
    ["https://github.io/", "https://github.io/", "github.io", "github.io"],
    ["https://vercel.app/", "https://vercel.app/", "vercel.app", "vercel.app"],
    ["https://s3.amazonaws.com/", "https://s3.amazonaws.com/", "s3.amazonaws.com", "amazonaws.com"],
    ["https://service.gov.uk/", "https://service.gov.uk/", "service.gov.uk", "service.gov.uk"],
    ["http://b\u00fccher.de:8080", "http://xn--bcher-kva.de:8080/", "xn--bcher-kva.de", "xn--bcher-kva.de"],
    ["https://example.com./", "https://example.com./", "example.com", "example.com"],
    ["https://co.uk/", "https://co.uk/", "co.uk", null],
    ["https://127.0.0.1/", "https://127.0.0.1/", "127.0.0.1", null],
    ["https://[2001:DB8::1]/", "https://[2001:db8::1]/", "2001:db8::1", null],
    ["http://localhost:3000/", "http://localhost:3000/", "localhost", null],
    ["http://intranet/", "http://intranet/", "intranet", null],
  ])("%s", (url, ascii, host, registrableDomain) => {
    expect(subjectOf(url, at)).toEqual({ url: ascii, host, registrableDomain, scannedAt: at });
  });

  test.each(["a.test", "a.example", "a.invalid", "a.localhost", "printer.local", "a.onion", "router.home.arpa", "db.internal", "a.alt"])(
    "%s is not in the public DNS",
    (host) => expect(subjectOf(`https://www.${host}/`, at).registrableDomain).toBeNull(),
  );
});

describe("the limit of header values", () => {
  test("is in the subject only if it is not the default", () => {
    expect("headerValueCharsMax" in subjectOf("https://site.example/", at, 512)).toBe(false);
    expect(subjectOf("https://site.example/", at, 4_096).headerValueCharsMax).toBe(4_096);
  });

  test("is the default in evidence of older versions", () => {
    expect([headerLimitOf(subjectOf("https://site.example/", at)), headerLimitOf(subjectOf("https://site.example/", at, 600))]).toEqual([
      512, 600,
    ]);
  });
});
