/** Byte order marks, and header values with bytes beyond ASCII, as the browser reads them. Judged by the rows that show it. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { siteIdentity } from "../../support/certificates.ts";
import { cleanUp, keep } from "../../support/clean-up.ts";
import { egressTo, type Routes, startHttps } from "../../support/servers.ts";
import { openTestBrowser, type TestBrowser } from "../../support/test-browser.ts";
import { factsOf, patientDeadlines, verdictsOn, visit } from "../../support/visits.ts";

let browser: TestBrowser;
beforeAll(() => {
  browser = openTestBrowser();
});
afterEach(cleanUp);
afterAll(() => browser.stop());

async function load(answer: Routes[string]) {
  const server = keep(await startHttps(siteIdentity("site.test"), { "/": answer }));
  return visit(browser, "https://site.test/", { egress: egressTo({ "site.test:443": server }), deadlines: patientDeadlines });
}

/** State of a row with its finding codes. */
async function verdict(row: string, answer: Routes[string]): Promise<readonly string[] | undefined> {
  return verdictsOn(await load(answer), "https://site.test/", [row])[row];
}

const text = '<!doctype html><html lang="de"><head><title>Fall</title></head><body><p>gr\u00fcn</p></body></html>';
const html = (body: Uint8Array | string, type = "text/html") => ({ headers: { "content-type": type }, body });
const utf16 = (mark: string) => {
  const bytes = Buffer.from(mark + text, "utf16le");
  return { little: bytes, big: Buffer.from(bytes).swap16() };
};

test.each([
  ["UTF-8", html(`\ufeff${text}`)],
  ["UTF-16, little end first", html(utf16("\ufeff").little)],
  ["UTF-16, big end first", html(utf16("\ufeff").big)],
  ["UTF-8 beside an unknown label", html(`\ufeff${text}`, "text/html; charset=none")],
  ["UTF-8 beside the label of another encoding", html(`\ufeff${text}`, "text/html; charset=iso-8859-1")],
])("a byte order mark declares the encoding: %s", async (_words, answer) => {
  expect(await verdict("content-type-charset", answer)).toEqual(["passed"]);
});

test.each([
  ["UTF-8", html(text)],
  ["only ASCII", html(text.replace("\u00fc", "ue"))],
  ["a mark that does not stand at the start", html(` \ufeff${text}`)],
  ["half a mark", html(Buffer.concat([Buffer.from([0xef, 0xbb]), Buffer.from(text)]))],
  ["Latin-1", html(Buffer.from(text, "latin1"))],
  [
    "Japanese without a mark",
    html(text.replace("gr\u00fcn", "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8\u3067\u3059\u3002".repeat(20))),
  ],
])("without a mark and a name, the encoding is guessed: %s", async (_words, answer) => {
  expect(await verdict("content-type-charset", answer)).toEqual(["violated", "security.content.charset-missing"]);
});

const quoted = "default-src \u2018self\u2019 'unsafe-eval' 'unsafe-inline' cdn.other.test;";
/** The text as a server sends it: header values are bytes. */
const bytes = (value: string) => Buffer.from(value).toString("latin1");

test("a policy of which browsers skip everything is told as sent, with its characters", async () => {
  const answer = { headers: { "content-type": "text/html", "content-security-policy": bytes(quoted) }, body: text };
  expect(await verdict("content-security-policy", answer)).toEqual(["violated", "security.csp.skipped-by-browsers"]);
  const { headers } = factsOf(await load(answer), "page");
  expect(headers.find(({ name }) => name.toLowerCase() === "content-security-policy")?.value).toBe(quoted);
});

test.each([
  ["UTF-8", bytes("gr\u00fcn \u65e5\u672c"), "gr\u00fcn \u65e5\u672c"],
  ["UTF-8 that ends with a byte of white space", bytes("voil\u00e0"), "voil\u00e0"],
])("header values beyond ASCII: %s", async (_words, sent, expected) => {
  const { headers } = factsOf(await load({ headers: { "content-type": "text/html", "x-words": sent }, body: text }), "page");
  expect(headers.find(({ name }) => name.toLowerCase() === "x-words")?.value).toBe(expected);
});
