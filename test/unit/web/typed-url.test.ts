/** Properties of typed URLs: every input has a result, and a plain URL contains no secret. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withoutSecrets } from "../../../src/evidence/redact.ts";
import { parseScanUrl, scanUrlCharsMax } from "../../../src/parse/scan-url.ts";
import { readTypedUrl } from "../../../src/web/scans/typed-url.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { randomRuns } from "../../support/random-runs.ts";
import { unicodeText } from "../../support/unicode-text.ts";

const pieces = fc.constantFrom(
  ...["https://", "http:", "//", "user", ":", "@", "site.test", "/", "?", "&", ";", "#", "=", "token", "key", "abcdef", "[", "]", "::1"],
  ...["%", "\u00fc", " ", "\\", ".", "8443", "javascript:", "mailto:"],
);
const typed = fc.oneof(
  fc.array(pieces, { maxLength: 20 }).map((parts) => parts.join("")),
  fc.array(pieces, { maxLength: 12 }).map((parts) => `https://site.test/${parts.join("")}`),
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  unicodeText({ maxLength: 60 }),
);

describe("typed text", () => {
  test("is a fault, a harmless URL, or two URLs that can be scanned", () => {
    fc.assert(
      fc.property(typed, (text) => {
        const read = readTypedUrl(text);
        if (read.kind === "fault") return;
        const harmless = read.kind === "plain" ? read.url : read.stripped;
        expect(withoutSecrets(harmless)).toBe(harmless);
        expect(readTypedUrl(harmless)).toEqual({ kind: "plain", url: harmless });
        for (const url of [harmless, ...(read.kind === "sensitive" && read.unstripped !== null ? [read.unstripped] : [])]) {
          expect(parseScanUrl(url)).toEqual({ url });
          expect(new URL(url).username + new URL(url).password).toBe("");
        }
      }),
      { numRuns: randomRuns(5_000) },
    );
  });

  test.each(["?token=a&", ";token=abc/", "&", "//a@", "https://", "?"])("is read in linear time when %s repeats", (piece) => {
    const text = `https://site.test/${piece.repeat(scanUrlCharsMax)}`.slice(0, scanUrlCharsMax);
    const fromMs = cpuMs();
    readTypedUrl(text);
    expect(cpuMs() - fromMs).toBeLessThan(1_000);
  });
});
