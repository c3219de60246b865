/** Translator: paths with dots, both locales, hostile values. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTexts } from "../../../src/text/i18n.ts";
import { checksTexts } from "../../support/stored.ts";

const texts = createTexts(checksTexts);
const detail = ["checks", "sample-header", "findings", "security.sample.weak", "detail"];

describe("lookup", () => {
  test("a code with dots is one segment of the path", () => {
    expect(texts.translate("en-gb", ["checks", "sample-header", "findings", "security.sample.weak", "title"])).toBe("Weak sample");
  });
  test("each locale has its own text", () => {
    expect(texts.translate("de-de", ["checks", "sample-header", "label"])).toBe("Beispielheader");
  });
  test("other sections of the locale files are found too", () => {
    expect(texts.translate("en-gb", ["scanErrors", "refused"], { host: "site.example" })).toBe("site.example refused the connection.");
  });
  for (const path of [
    ["checks", "no-such-check", "label"],
    ["checks", "constructor", "name"],
    ["checks", "sample-header"],
    ["toString"],
    [],
  ]) {
    test(`no text at [${path.join(", ")}] is null`, () => expect(texts.translate("de-de", path)).toBeNull());
  }
});

describe("values come out verbatim", () => {
  const hostile = [
    "{{host}}",
    "{{url}} {{sent}} {{- host}}",
    "$t(scanErrors/refused)",
    '$t(checks/sample-header/label, {"lng": "de-de"})',
    "{{",
    "}}",
    "{{host",
    "$& $1 $` $'",
    "<script>alert('&amp;')</script>",
    "\u0000\u001b[31m",
    "__proto__",
    "{{a, uppercase}}",
  ];
  for (const sent of hostile) {
    test(JSON.stringify(sent), () => {
      const values = { host: "site.example", url: "https://site.example/", sent };
      expect(texts.translate("en-gb", detail, values)).toBe(`site.example sent ${sent} at https://site.example/, and site.example again.`);
    });
  }
  test("for any string", () => {
    const piece = fc.oneof(fc.constantFrom("{{", "}}", "{", "}", "host", "sent", "url", "$t(", ")", "- ", ", ", "$&", "\\"), fc.string());
    const value = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(value, value, value, (host, url, sent) => {
        expect(texts.translate("en-gb", detail, { host, url, sent })).toBe(`${host} sent ${sent} at ${url}, and ${host} again.`);
      }),
      { numRuns: 2_000 },
    );
  });
  test("in every value at once", () => {
    expect(texts.translate("en-gb", detail, { host: "{{sent}}", url: "$t(label)", sent: "{{host}}" })).toBe(
      "{{sent}} sent {{host}} at $t(label), and {{sent}} again.",
    );
  });
  test("names of i18next options are plain placeholders", () => {
    const values = {
      host: "h",
      url: "u",
      sent: 0,
      count: 2,
      lng: "de-de",
      context: "x",
      defaultValue: "y",
      replace: "z",
      returnObjects: 1,
    };
    expect(texts.translate("en-gb", detail, values)).toBe("h sent 0 at u, and h again.");
  });
  test("a text is interpolated on each call", () => {
    for (const host of ["a", "b"])
      expect(texts.translate("en-gb", ["scanErrors", "refused"], { host })).toBe(`${host} refused the connection.`);
  });
  test("inherited properties are no values", () => {
    const { "sample-header": sample } = checksTexts["en-gb"];
    const odd = { ...sample, label: "{{ spaced }} {{toString}} {{constructor}}" } as NonNullable<typeof sample>;
    const own = createTexts({ "en-gb": { odd }, "de-de": { odd } });
    expect(own.translate("en-gb", ["checks", "odd", "label"], { spaced: "x" })).toBe("x {{toString}} {{constructor}}");
  });
  test("a placeholder without a value stays visible", () => {
    expect(texts.translate("en-gb", detail, { host: "h", url: "u" })).toBe("h sent {{sent}} at u, and h again.");
  });
});
