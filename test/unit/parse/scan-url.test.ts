/** Accepted URLs and their stored form, and rejected URLs. URLs of webhooks: what is stored, and what is refused. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseScanUrl, parseUrlHost, parseWebhookUrl, scanUrlCharsMax, webhookUrlCharsMax } from "../../../src/parse/scan-url.ts";
import { randomRuns } from "../../support/random-runs.ts";
import { unicodeText } from "../../support/unicode-text.ts";

const long = (chars: number) => `https://site.example/${"a".repeat(chars - "https://site.example/".length)}`;

const accepted: readonly [given: string, stored: string][] = [
  ["https://site.example", "https://site.example/"],
  ["http://site.example/", "http://site.example/"],
  ["HTTPS://Site.Example/Path?Q=1", "https://site.example/Path?Q=1"],
  ["https://site.example:443/", "https://site.example/"],
  ["https://site.example:8443/", "https://site.example:8443/"],
  ["https://site.example/path#fragment", "https://site.example/path"],
  ["https://site.example/?q=#", "https://site.example/?q="],
  ["https://b\u00fccher.example/", "https://xn--bcher-kva.example/"],
  ["https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"],
  ["https://site.example/stra\u00dfe", "https://site.example/stra%C3%9Fe"],
  ["https://site.example./", "https://site.example./"],
  ["https://_dmarc.site.example/", "https://_dmarc.site.example/"],
  ["https://a_b.site.example/", "https://a_b.site.example/"],
  ["https://_.site.example/", "https://_.site.example/"],
  ["https://-a.site.example/", "https://-a.site.example/"],
  ["https://a-.site.example/", "https://a-.site.example/"],
  ["https://-.site.example/", "https://-.site.example/"],
  ["https://r3---sn-a5m.site.example/", "https://r3---sn-a5m.site.example/"],
  ["https://b\u00fc-.example/", "https://xn--b--xka.example/"],
  ["https://site.x-/", "https://site.x-/"],
  ["https://intranet-/", "https://intranet-/"],
  ["https://1.example/", "https://1.example/"],
  ["https://\u2460.example/", "https://1.example/"],
  ["https://site\u3002example/", "https://site.example/"],
  ["https://site.example//double", "https://site.example//double"],
  ["https://intranet/", "https://intranet/"],
  ["http://192.0.2.1/", "http://192.0.2.1/"],
  ["http://[2001:DB8::1]:8080/", "http://[2001:db8::1]:8080/"],
  ["http://0x7f.1/", "http://127.0.0.1/"],
  ["https://site.example/{{x}}?$t(y)", "https://site.example/%7B%7Bx%7D%7D?$t(y)"],
  [long(scanUrlCharsMax), long(scanUrlCharsMax)],
];

const refused: readonly [given: string, because: RegExp][] = [
  ["", /absolute URL/],
  ["site.example", /absolute URL/],
  ["//site.example/", /absolute URL/],
  ["/path", /absolute URL/],
  ["https:site.example", /absolute URL/],
  ["https:/site.example", /absolute URL/],
  ["ftp://site.example/", /absolute URL/],
  ["file:///etc/passwd", /absolute URL/],
  ["javascript:alert(1)", /absolute URL/],
  ["data:text/html,x", /absolute URL/],
  ["view-source:https://site.example/", /absolute URL/],
  ["chrome://version", /absolute URL/],
  ["https://", /valid URL/],
  ["https://user@site.example/", /user name or password/],
  ["https://user:secret@site.example/", /user name or password/],
  ["https://:secret@site.example/", /user name or password/],
  [" https://site.example/", /white space/],
  ["https://site.example/a b", /white space/],
  ["https://site.example/\n", /white space/],
  ["https://site.example/\u0000", /white space/],
  ["https://site.example\\@other.example/", /backslashes/],
  ["https:\\\\site.example/", /backslashes/],
  ["https://site..example/", /name a host/],
  ["https://.example/", /name a host/],
  ["https://site.example../", /name a host/],
  ["https://./", /name a host/],
  ["https://\u3002/", /name a host/],
  ["http:///x", /name a host/],
  ["https:///site.example/", /name a host/],
  ["HTTPS:////site.example/", /name a host/],
  ["https:///", /valid URL/],
  ["https://?x", /valid URL/],
  ["https://#x", /valid URL/],
  ["https://:443/", /valid URL/],
  ["https://-/", /name a host/],
  ["https://%2D/", /name a host/],
  ["https://--/", /name a host/],
  ["https://_/", /name a host/],
  ["https://-intranet/", /name a host/],
  ["https://site.-/", /name a host/],
  ["https://site.-x/", /name a host/],
  ["https://site._/", /name a host/],
  ["https://site._x./", /name a host/],
  ["https://site.1/", /valid URL/],
  ["https://*.example/", /name a host/],
  ["https://site,example/", /name a host/],
  ["https://si%te.example/", /valid URL/],
  ["https://256.256.256.256/", /valid URL/],
  ["https://[::1/", /valid URL/],
  ["https://[fe80::1%25eth0]/", /valid URL/],
  ["https://site.example:99999/", /valid URL/],
  [`https://${"a".repeat(64)}.example/`, /name a host/],
  [`https://${"a.".repeat(130)}example/`, /name a host/],
  ["https://xn--a/", /valid URL|name a host/],
  [long(scanUrlCharsMax + 1), /at most 2048/],
  [`https://site.example/${"\u00fc".repeat(1_000)}`, /ASCII form/],
];

describe("accepted", () => {
  for (const [given, stored] of accepted) {
    test(given.slice(0, 80), () => {
      expect(parseScanUrl(given)).toEqual({ url: stored });
      const { hostname } = new URL(stored);
      expect(parseUrlHost(hostname)).toBe(hostname);
    });
  }
});

describe("rejected", () => {
  for (const [given, because] of refused) {
    test(JSON.stringify(given.slice(0, 80)), () => {
      const parsed = parseScanUrl(given);
      expect("fault" in parsed ? parsed.fault : parsed.url).toMatch(because);
    });
  }
});

describe("properties", () => {
  const given = fc.oneof(
    unicodeText(),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.tuple(fc.constantFrom("http://", "https://", "HTTPS://", "https:/"), unicodeText({ maxLength: 40 })).map((parts) => parts.join("")),
  );
  test("never throws, and accepts its stored form unchanged", () => {
    fc.assert(
      fc.property(given, (text) => {
        const parsed = parseScanUrl(text);
        if ("fault" in parsed) return;
        expect(parseScanUrl(parsed.url)).toEqual(parsed);
        expect(parsed.url).toMatch(/^https?:\/\/[a-z0-9._:[\]-]+\//);
        expect(parsed.url).not.toContain("#");
        expect(parsed.url.length).toBeLessThanOrEqual(scanUrlCharsMax);
      }),
      { numRuns: randomRuns(2_000) },
    );
  });
});

const longest = `https://site.test/${"a".repeat(webhookUrlCharsMax - "https://site.test/".length)}`;

test.each([
  ["https://site.test/hook?key=1", "https://site.test/hook?key=1"],
  ["HTTPS://Site.test:443", "https://site.test/"],
  ["https://[::1]:8443/", "https://[::1]:8443/"],
  [longest, longest],
])("%s is stored as %s", (text, url) => expect(parseWebhookUrl(text, { allowHttp: false })).toBe(url));

test.each([
  "",
  "site.test",
  "http://site.test/",
  "ftp://site.test/",
  "https://user@site.test/",
  "https://user:secret@site.test/",
  "https://site.test/#part",
  "https://site.test/#",
  "https://site.test:0/",
  "https:///site.test/",
  "https://site.test/a b",
  "https://site.test/\r\nx: y",
  `${longest}a`,
  // Longer in ASCII.
  `https://site.test/${"\u00fc".repeat(webhookUrlCharsMax / 3)}`,
])("%s is refused", (text) => expect(parseWebhookUrl(text, { allowHttp: false })).toBeNull());

test("http needs the setting, which allows no other scheme", () => {
  expect(parseWebhookUrl("http://site.test/", { allowHttp: true })).toBe("http://site.test/");
  expect(parseWebhookUrl("ftp://site.test/", { allowHttp: true })).toBeNull();
});
