/** Header and cookie files: what is taken, and that a refusal names the line but nothing of its content. */
import { describe, expect, test } from "vitest";
import { cookiePathMatches, isCookieOfHost, parseCookieFile, parseHeaderFile } from "../../../src/parse/credential-files.ts";

describe("a header file", () => {
  test("has a header a line, with comments and blank lines", () => {
    expect(parseHeaderFile("# gate\r\n\r\nAuthorization: Bearer a:b\r\nX-Two:two words \n")).toEqual({
      headers: [
        { name: "Authorization", value: "Bearer a:b" },
        { name: "X-Two", value: "two words" },
      ],
    });
  });

  test.each([
    ["X-A: 1\nhush", 2, "Name: value"],
    [": hush", 1, "Name: value"],
    ["X A: hush", 1, "not that of a header"],
    [" X-A: hush", 1, "not that of a header"],
    ["X-A: 1\n folded: hush", 2, "not that of a header"],
    ["X-A:  ", 1, "no value"],
    ["X-A: hush\x00", 1, "printable ASCII"],
    ["X-A: hush\rX-B: hush", 1, "printable ASCII"],
    ["X-A: hush\u00e9", 1, "printable ASCII"],
    ["Cookie: hush=1", 1, "--cookie-file"],
    ["X-A: hush\n# c\nx-a: hush", 3, "an earlier line"],
    [`X-A: ${"hush".repeat(3_000)}`, 1, "8000 characters"],
    [Array.from({ length: 51 }, (_, at) => `X-${at}: hush`).join("\n"), 51, "more than 50 headers"],
    ["# hush", 1, "names no header"],
  ])("is refused: %j", (text, line, reason) => {
    const fault = parseHeaderFile(text);
    expect(fault).toEqual({ line, reason: expect.stringContaining(reason) });
    expect(JSON.stringify(fault)).not.toContain("hush");
  });

  test.each([
    "Host",
    "connection",
    "Content-Length",
    "Cookie2",
    "Proxy-Authorization",
    "TRANSFER-ENCODING",
    "Sec-Fetch-Site",
    "Origin",
    "Referer",
    "If-None-Match",
    "Range",
    "Upgrade",
    "TE",
    "Accept-Encoding",
    "Keep-Alive",
    "Expect",
    "Via",
    "Access-Control-Request-Method",
  ])("cannot set %s", (name) => {
    expect(parseHeaderFile(`${name}: 1`)).toEqual({ line: 1, reason: expect.stringContaining("must not be set") });
  });
});

const line = (given: Partial<Record<"domain" | "sub" | "path" | "secure" | "expiry" | "name" | "value", string>> = {}) => {
  const { domain = "site.test", sub = "FALSE", path = "/", secure = "TRUE", expiry = "0", name = "id", value = "hush" } = given;
  return [domain, sub, path, secure, expiry, name, value].join("\t");
};
const first = (text: string) => {
  const parsed = parseCookieFile(text);
  const cookie = "cookies" in parsed ? parsed.cookies[0] : undefined;
  if (cookie === undefined) throw new Error(JSON.stringify(parsed));
  return cookie;
};

describe("a cookie file", () => {
  test("has session cookies, HttpOnly cookies and empty values", () => {
    expect(
      parseCookieFile(
        `# Netscape\n#HttpOnly_${line({ domain: ".Site.test", sub: "TRUE" })}\r\n\n${line({ expiry: "2000000000.5", value: "" })}`,
      ),
    ).toEqual({
      cookies: [
        { name: "id", value: "hush", domain: "site.test", hostOnly: false, path: "/", expiresAt: null },
        { name: "id", value: "", domain: "site.test", hostOnly: true, path: "/", expiresAt: 2_000_000_000.5 },
      ],
    });
  });

  test.each([
    [line().replace("\t", " "), "sixth field"],
    ["hush", "7 fields"],
    [`${line()}\thush`, "7 fields"],
    [line({ domain: "" }), "first field"],
    [line({ sub: "hush" }), "second field"],
    [line({ path: "hush" }), "third field"],
    [line({ secure: "1" }), "fourth field"],
    [line({ expiry: "hush" }), "fifth field"],
    [line({ name: "a=b" }), "sixth field"],
    [line({ value: "hush; path=/" }), "the value"],
    [line({ value: "hush\x01" }), "the value"],
    [line({ value: "hush\u00fc" }), "the value"],
  ])("is refused: %j", (text, reason) => {
    const fault = parseCookieFile(`# comment\n${text}`);
    expect(fault).toMatchObject({ line: 2 });
    if (reason !== "sixth field" || text.includes("a=b")) expect(fault).toMatchObject({ reason: expect.stringContaining(reason) });
    expect(JSON.stringify(fault)).not.toContain("hush");
  });

  test.each([
    ["site.test", "FALSE", "site.test", true],
    ["site.test", "FALSE", "www.site.test", false],
    [".site.test", "TRUE", "www.site.test", true],
    [".site.test", "TRUE", "site.test", true],
    ["site.test", "TRUE", "othersite.test", false],
    ["www.site.test", "TRUE", "site.test", false],
    ["0.0.1", "TRUE", "127.0.0.1", false],
    ["127.0.0.1", "TRUE", "127.0.0.1", true],
    ["[::1]", "FALSE", "::1", true],
  ])("domain %s with subdomains %s, for %s: %s", (domain, sub, host, matches) => {
    expect(isCookieOfHost(first(line({ domain, sub })), host, 1_000)).toBe(matches);
  });

  test("has cookies until they expire", () => {
    expect(isCookieOfHost(first(line({ expiry: "1000" })), "site.test", 999)).toBe(true);
    expect(isCookieOfHost(first(line({ expiry: "1000" })), "site.test", 1_000)).toBe(false);
  });

  test.each([
    ["/", "/any", true],
    ["/a", "/a", true],
    ["/a", "/a/b", true],
    ["/a", "/ab", false],
    ["/a/", "/a", false],
    ["/a/", "/a/b", true],
  ])("path %s, for %s: %s", (cookiePath, requestPath, matches) => {
    expect(cookiePathMatches(cookiePath, requestPath)).toBe(matches);
  });
});
