/** Every fuzz target: the parsers of `src/parse`, and other functions that read untrusted text. */
import { isAntiForgeryName, isSessionName } from "../../src/check/cookies.ts";
import { ruleNames, rulesOn } from "../../src/check/csp.ts";
import { distinct, foundAtAddresses } from "../../src/check/verdict.ts";
import { randomBitsOf } from "../../src/evidence/random-bits.ts";
import { boundedHeaders, boundedSetCookie, boundedText, withoutCookieValue, withoutSecrets } from "../../src/evidence/redact.ts";
import { anchorPath, hostSegment, locationPath } from "../../src/export/exported-report.ts";
import { codeSpan, escapedMarkdown, fenced, plainLine, plainText, shortened } from "../../src/export/safe-text.ts";
import { parseCsp } from "../../src/parse/csp.ts";
import { librariesInAnswers, librariesInHead, librariesInUrl } from "../../src/probe/browser/library-detection.ts";
import { addressTargets } from "./address-targets.ts";
import { credentialTargets } from "./credential-targets.ts";
import { documentTargets } from "./document-targets.ts";
import { fieldTargets } from "./field-targets.ts";
import { libraryTargets } from "./library-targets.ts";
import { nameTargets } from "./name-targets.ts";
import { notificationTargets } from "./notification-targets.ts";
import { recordTargets } from "./record-targets.ts";
import { resultTargets } from "./result-targets.ts";
import type { FuzzTarget } from "./target.ts";
import { uploadTargets } from "./upload-targets.ts";

/** A test fails for a parser of `src/parse` that is not listed here. */
export const parserTargets: readonly FuzzTarget[] = [
  ...addressTargets,
  ...credentialTargets,
  ...documentTargets,
  ...fieldTargets,
  ...libraryTargets,
  ...nameTargets,
  ...notificationTargets,
  ...recordTargets,
  ...resultTargets,
  ...uploadTargets,
].sort((a, b) => (a.name < b.name ? -1 : 1));

const otherTargets: readonly FuzzTarget[] = [
  {
    name: "evidence/redact",
    tokens: [
      ...";=&?#:@/ \"'<>\\",
      "https://",
      "user:password@",
      "access_token=",
      "session",
      "jsessionid=",
      "secret",
      "key",
      "state]=",
      "-",
      "author=",
      "0123456789",
    ],
    samples: ["https://user:password@site.example/;jsessionid=ABCDEF?access_token=0123456789&x=1#state=abc", "sid=0123456789; Path=/"],
    functions: {
      withoutSecrets,
      withoutSecretsOfField: (text) => withoutSecrets({ name: text, value: text }),
      withoutCookieValue,
    },
    properties: {
      "a secret is redacted in any surrounding text": (text) =>
        !withoutSecrets(`${text} https://user:hunter22@site.example/?access_token=hunter22 ${text}`).includes("hunter22"),
      "redaction never lengthens the text": (text) => withoutSecrets(text).length <= text.length,
      "a cookie keeps its attributes": (text) => withoutCookieValue(text).endsWith(text.includes(";") ? text.slice(text.indexOf(";")) : ""),
    },
  },
  {
    name: "evidence/bound",
    tokens: [..."\0\x1f\x7f\t\r\n", "\ud800", "\udc00", "\u{1f600}", "set-cookie", "a=b"],
    samples: ["a=b; Path=/", "text"],
    functions: {
      boundedText: (text) => boundedText(text, 100),
      boundedHeaders: (text) =>
        boundedHeaders([
          [text, text],
          ["set-cookie", text],
        ]),
      boundedSetCookie: (text) => boundedSetCookie(text, 100),
    },
    properties: {
      "a bounded text keeps its limit": (text) => boundedText(text, 10).text.length <= 10,
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the property is about control characters
      "no control character is left": (text) => !/[\x00-\x08\x0a-\x1f\x7f]/.test(boundedText(text, 100).text),
    },
  },
  {
    name: "evidence/random-bits",
    tokens: [..."{}\"':,;|%=-_+/", "0", "a", "F", "iv", "%22", "eyJ", "f81d4fae-7dec-41d0-a765-00a0c91e6bf6", "9f86d081884c7d65"],
    samples: ["s%3A9f86d081884c7d659a2feaa0c55ad015.c2ln", "eyJpdiI6IiJ9", "theme-dark"],
    functions: { randomBitsOf },
    properties: {
      "bits are a whole number from 0 to 256": (text) => {
        const bits = randomBitsOf(text);
        return Number.isInteger(bits) && bits >= 0 && bits <= 256;
      },
    },
  },
  {
    name: "check/cookies",
    tokens: [..."_-.", "sid", "Session", "PHPSESSID", "auth", "or", "token", "csrf", "__Host-", "_ga", "access", "A", "1"],
    samples: ["__Host-userSession_id", "XSRF-TOKEN", "wordpress_logged_in_1"],
    functions: { isSessionName, isAntiForgeryName },
    properties: { "no name is both session and anti-forgery": (text) => !(isSessionName(text) && isAntiForgeryName(text)) },
  },
  {
    name: "probe/browser/library-detection",
    tokens: [
      ..."/*!-._@v \n",
      "https://site.example/",
      "jquery",
      "jQuery v",
      "Bootstrap v",
      "3.5.1",
      ".min",
      ".js",
      "min",
      "(c)",
      "@license ",
      "beta",
    ],
    samples: [
      "https://cdn.example/npm/jquery@3.5.1/dist/jquery.slim.min.js",
      "https://site.example/js/bootstrap-3.3.7.bundle.min-0a1b2c3d.js",
      "/*! jQuery v3.5.1 | (c) JS Foundation */\n/*!\n * Bootstrap v3.3.7 (http://getbootstrap.com) */",
    ],
    functions: {
      librariesInUrl,
      librariesInHead: (text) => librariesInHead(text, "https://site.example/a.js"),
      librariesInAnswers,
    },
    properties: {
      "a version in a URL has three components": (text) => librariesInUrl(text).every(({ version }) => version.split(".").length >= 3),
    },
  },
  {
    name: "check/finding-values",
    tokens: [..." ,;:/[]", "https://", "site.example", "script-src", "default-src "],
    samples: ["https://site.example/a https://site.example/b", "default-src 'self'; script-src *"],
    functions: {
      foundAtAddresses: (text) => foundAtAddresses("security.test.found", text.split(" ")),
      distinct: (text) => distinct(text.split(" ")),
      ruleNames: (text) => ruleNames(rulesOn(parseCsp([text]), "script-src")),
    },
  },
];

const textTargets: readonly FuzzTarget[] = [
  {
    name: "export/plain-text",
    tokens: ["\ud800", "\udc00", "\u202e", "\ufffe", "\0", "\x1b", "\r", "\n", "\t", "\u{1f600}", "a"],
    samples: ["a text\r\nof two lines"],
    functions: { plainText, plainLine, shortened: (text) => shortened(text, 10) },
    properties: {
      "a plain text is well-formed, and stays as it is": (text) => {
        const plain = plainText(text);
        return plain.isWellFormed() && plainText(plain) === plain;
      },
      "a plain line has no control character": (text) => !/(?!\t)\p{Cc}|[\u2028-\u202e\u2066-\u2069]/u.test(plainLine(text)),
      "a shortened text keeps its limit and pairs": (text) => {
        const short = shortened(text.toWellFormed(), 10);
        return short.length <= 10 && short.isWellFormed();
      },
    },
  },
  {
    name: "export/markdown-text",
    tokens: [..."`|*_[]()<>&#@:-+=.1 \t\n", "www.", "GH-", "https://", "mailto:", "<!--"],
    samples: ["a `b` [c](https://d.example) @e #1", "1. a"],
    functions: { escapedMarkdown, codeSpan, fenced },
    properties: { "escaped text has one line": (text) => !escapedMarkdown(text).includes("\n") },
  },
  {
    name: "export/location-path",
    tokens: [..."/:@?#[]%.\\|^ ", "https://", "http://", "host.example", "[::1]", ":8443", "..", "%2e", "%zz", "\u00fc", "\ud800"],
    samples: ["https://host.example:8443/a/b?c#d", "http://[::1]/%zz"],
    functions: { locationPath, anchorPath, hostSegment },
    properties: {
      "a path is relative, and its first segment is no scheme": (text) => /^[\w.-]+\/[\x21-\x7e]*$/.test(locationPath(text)),
      "a file lies below the repository": (text) =>
        !(anchorPath(text) ?? "a").split("/").some((segment) => segment === "" || segment === ".."),
    },
  },
];

export const fuzzTargets: readonly FuzzTarget[] = [...parserTargets, ...otherTargets, ...textTargets];
