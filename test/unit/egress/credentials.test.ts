/** Which request carries credentials, and which texts of evidence are redacted because of them. */
import { describe, expect, test } from "vitest";
import { cookieFieldFor, headersFor, secretsOf, type TargetCredentials } from "../../../src/egress/credentials.ts";
import { withoutSecrets } from "../../../src/evidence/redact.ts";

const cookie = { value: "cookie-value-1", domain: "site.test", hostOnly: true, expiresAt: null };
const credentials: TargetCredentials = {
  origin: "https://site.test",
  headers: [
    { name: "Authorization", value: `Basic ${Buffer.from("anna:open sesame").toString("base64")}` },
    { name: "X-Forwarded-Proto", value: "https" },
    { name: "Accept-Language", value: "german-language" },
  ],
  cookies: [
    { ...cookie, name: "short", path: "/" },
    { ...cookie, name: "long", path: "/a" },
  ],
};

describe("credentials", () => {
  test.each([
    "http://site.test/",
    "https://site.test:8443/",
    "https://www.site.test/",
    "https://site.test.evil/",
    "https://site.test@evil/",
    "blob:x",
    "",
    "nonsense",
  ])("are not for %s", (url) => {
    expect(headersFor(credentials, url)).toEqual([]);
    expect(cookieFieldFor(credentials, url)).toBeNull();
  });

  test("are for every spelling of their origin, with cookies of longer paths first", () => {
    expect(headersFor(credentials, "HTTPS://SITE.test:443/x")).toHaveLength(3);
    expect(cookieFieldFor(credentials, "https://site.test/a/b?c")).toBe("long=cookie-value-1; short=cookie-value-1");
    expect(cookieFieldFor(credentials, "https://site.test/ab")).toBe("short=cookie-value-1");
  });

  test("give way to cookies that the site has set since", () => {
    expect(cookieFieldFor(credentials, "https://site.test/", "short=new; other=1")).toBe("short=new; other=1");
    expect(cookieFieldFor(credentials, "https://evil.test/", "own=1")).toBe("own=1");
  });

  test("are redacted with their parts and spellings, but not what is no secret", () => {
    const secrets = secretsOf(credentials);
    const clean = (text: string) => withoutSecrets({ text }, secrets).text;
    expect(clean("a open sesame b open%20sesame c anna:open sesame")).toBe("a *** b *** c ***");
    expect(clean(Buffer.from("anna:open sesame").toString("base64"))).toBe("***");
    expect(clean("https://site.test/ german-language")).toBe("https://site.test/ german-language");
    expect(clean("cut at the limit: cookie-va")).toBe("cut at the limit: ***");
    expect(clean("a cook")).toBe("a cook");
  });

  test("of few characters are redacted as whole words alone", () => {
    expect(withoutSecrets(["secret1 secret12", "Secret1"], ["secret1"])).toEqual(["*** secret12", "***"]);
  });
});
