/** Hostile servers: endless, huge and malformed responses. Each probe ends in time, and the browser still works afterwards. */
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { headerFieldsMax, headerValueCharsMax, setCookieLinesMax } from "../../../src/evidence/limits.ts";
import {
  crlf,
  forever,
  type HostilePage,
  type HostileSite,
  html,
  htmlHead,
  isAnswered,
  isNothing,
  isRead,
  openHostileSite,
  respond,
  testMs,
} from "../../support/hostile-site.ts";
import { factsOf } from "../../support/visits.ts";

const hostilePages: readonly HostilePage[] = [
  {
    words: "endless redirects",
    answer: (socket, target) => respond(socket, "", [`Location: ${target}x`], "302 Found"),
    expect: isNothing("redirects"),
  },
  {
    words: "an endless body",
    answer: forever(`${htmlHead}${crlf}<!doctype html><title>hostile</title>`, "<p>on and on</p>"),
    expect: isAnswered,
  },
  {
    words: "a body of gigabytes",
    answer: forever(`${htmlHead}${crlf}`, "<p>on and on</p>".repeat(10_000)),
    expect: ({ navigation }) => expect(navigation.status === "read" || navigation.because === "too-large").toBe(true),
  },
  {
    words: "a small answer that decompresses to a gigabyte",
    answer: (socket) => respond(socket, bomb(), ["Content-Encoding: gzip"]),
    // A slow machine may receive nothing before the deadline.
    expect: ({ page }) => expect(page.status === "read" || page.because === "timeout").toBe(true),
  },
  {
    words: "a response that never ends",
    answer: (socket) => socket.write(`${htmlHead}Content-Length: 1000${crlf}${crlf}<!doctype html><title>hostile</title>`),
    expect: isRead,
  },
  { words: "a server that accepts and sends nothing", answer: () => {}, expect: isNothing("timeout") },
  { words: "a head that never ends", answer: forever(htmlHead, `X-More: and more${crlf}`), expect: isNothing("timeout", "invalid") },
  {
    words: "endless early hints",
    answer: forever("", `HTTP/1.1 103 Early Hints${crlf}Link: </x.css>; rel=preload; as=style${crlf}${crlf}`),
    expect: isNothing("timeout", "invalid", "too-large"),
  },
  { words: "a connection closed at once", answer: (socket) => socket.destroy(), expect: isNothing("invalid", "unreachable") },
  { words: "an answer that is not HTTP", answer: (socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"), expect: isNothing("invalid") },
  { words: "no content", answer: (socket) => respond(socket, "", [], "204 No Content"), expect: () => {} },
  {
    words: "endless multipart replacements",
    answer: forever(
      `HTTP/1.1 200 OK${crlf}Content-Type: multipart/x-mixed-replace; boundary=x${crlf}${crlf}`,
      `--x${crlf}Content-Type: text/html${crlf}${crlf}<title>hostile</title>part${crlf}`,
    ),
    expect: ({ page }) => expect(page.status).toBe("read"),
  },
  {
    words: "a download instead of a document",
    answer: (socket) =>
      respond(socket, "binary", ["Content-Type: application/octet-stream", "Content-Disposition: attachment; filename=x.exe"]),
    expect: () => {},
  },
  { words: "a document of 100 MB", answer: (socket) => respond(socket, "<p>word</p>".repeat(10_000_000)), expect: () => {} },
  {
    words: "three hundred cookies in the response",
    answer: html(
      "",
      Array.from({ length: 300 }, (_, at) => `Set-Cookie: c${at}=secret; Path=/`),
    ),
    expect: (readings) => {
      isRead(readings);
      const page = factsOf(readings, "page");
      expect(page.setCookies).toHaveLength(setCookieLinesMax);
      expect(page.setCookiesDropped).toBe(300 - setCookieLinesMax);
      expect(page.headers).toHaveLength(headerFieldsMax);
      expect(page.headersDropped).toBeGreaterThanOrEqual(300 - headerFieldsMax);
      expect(JSON.stringify(page.setCookies)).not.toContain("secret");
    },
  },
  {
    words: "a header field of 100 KB",
    answer: html("", [`X-Long: ${"v".repeat(100 * 1_024)}`]),
    expect: (readings) => {
      isRead(readings);
      const field = factsOf(readings, "page").headers.find(({ name }) => name.toLowerCase() === "x-long");
      expect(field?.truncated).toBe(true);
      expect(field?.value).toHaveLength(headerValueCharsMax);
    },
  },
  {
    words: "header fields of 1 MB",
    answer: html(
      "",
      Array.from({ length: 100 }, (_, at) => `X-Long-${at}: ${"v".repeat(10_240)}`),
    ),
    expect: isNothing("invalid"),
  },
  {
    words: "a document of invalid UTF-8",
    answer: (socket) =>
      respond(
        socket,
        Buffer.concat([
          Buffer.from("<!doctype html><title>hostile"),
          Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x00]),
          Buffer.from("</title><form action='/\x00\uD800'>"),
        ]),
      ),
    expect: (readings) => expect(factsOf(readings, "dom").title).toMatch(/^hostile\ufffd/),
  },
  {
    words: "a header field of binary bytes",
    answer: (socket) =>
      socket.end(
        Buffer.concat([
          Buffer.from(`${htmlHead}X-Bytes: `),
          Buffer.from([0xff, 0xfe, 0x80, 0xc3, 0x28]),
          Buffer.from(`${crlf}Content-Length: 22${crlf}${crlf}<title>hostile</title>`),
        ]),
      ),
    expect: (readings) => {
      isRead(readings);
      expect(factsOf(readings, "page").headers.some(({ name }) => name.toLowerCase() === "x-bytes")).toBe(true);
    },
  },
  { words: "a header field with NUL bytes", answer: html("", ["X-Nul: a\x00b", "X-After: c"]), expect: () => {} },
  { words: "a password prompt with status 200", answer: html("", ['WWW-Authenticate: Basic realm="x"']), expect: isRead },
  {
    words: "a password prompt with status 401",
    answer: (socket) => respond(socket, "<title>hostile</title>", ['WWW-Authenticate: Basic realm="x"'], "401 Unauthorized"),
    expect: ({ page }) => expect(page).toEqual({ status: "failed", because: "sign-in-required" }),
  },
  {
    words: "a prompt for the proxy's password",
    answer: (socket) =>
      respond(socket, "<title>hostile</title>", ['Proxy-Authenticate: Basic realm="x"'], "407 Proxy Authentication Required"),
    expect: () => {},
  },
  // With TLS 1.3 the server refuses after the client's part of the handshake, and the reset may overtake its alert.
  {
    words: "a required client certificate",
    url: "https://demand.test/",
    answer: html(""),
    expect: isNothing("tls", "invalid", "unreachable"),
  },
  { words: "an optional client certificate", url: "https://certificate.test/", answer: html(""), expect: isAnswered },
];

const bomb = () => {
  bombBytes ??= gzipSync(Buffer.alloc(1_024 * 1_024 * 1_024, "<p>word</p>"));
  return bombBytes;
};
let bombBytes: Uint8Array | undefined;

describe("a hostile page", () => {
  let site: HostileSite;
  beforeAll(async () => {
    site = await openHostileSite();
  });
  afterAll(() => site?.stop());

  for (const page of hostilePages) test(page.words, () => site.check(page), testMs);

  test("leaves neither context nor window behind", () => site.expectNothingLeft());
});
