/** Form of the texts of every built-in finding, so that lines to paste differ from prose. */
import { describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import type { CheckTexts, FindingTexts } from "../../../src/check/check.ts";

const locales = { "en-gb": enGb.checks, "de-de": deDe.checks } as unknown as Record<string, Record<string, CheckTexts>>;
/** DNS, and files with lines to paste. Lines for servers are rendered from fixes. */
const prefix = /^(DNS|mta-sts\.txt|security\.txt): \S/;
/** Values allowed in a line to paste: names that a site cannot choose freely. Others belong in `detail`. */
const namesInLines = ["host", "tlsHost", "domain", "name", "mailHost", "registrableDomain", "foundAt", "receiver", "expires"];

interface Written {
  readonly code: string;
  readonly locale: string;
  readonly texts: FindingTexts;
}

const written: readonly Written[] = Object.entries(locales).flatMap(([locale, checks]) =>
  Object.values(checks).flatMap(({ findings }) => Object.entries(findings).map(([code, texts]) => ({ code, locale, texts }))),
);

/** `code (locale)` of the findings that break a rule. */
function broken(breaks: (texts: FindingTexts, code: string) => boolean): readonly string[] {
  return written.filter(({ texts, code }) => breaks(texts, code)).map(({ code, locale }) => `${code} (${locale})`);
}

function linesToPaste({ remediation }: FindingTexts): readonly string[] {
  return remediation.split("\n").slice(1);
}

describe("every text of every built-in finding", () => {
  test("exists", () => {
    expect(written.length).toBeGreaterThan(0);
    expect(broken((texts) => Object.values(texts).some((text) => text.trim() === ""))).toEqual([]);
  });
  test("has no superfluous blanks", () => {
    expect(broken((texts) => Object.values(texts).some((text) => /^\s|\s$| {2}| \n|\n\n/.test(text)))).toEqual([]);
  });
  test("has one line, except the remediation", () => {
    expect(broken(({ title, detail, riskStatement }) => /\n/.test(title + detail + riskStatement))).toEqual([]);
  });
});

test("a title is a fact without a full stop", () => {
  expect(broken(({ title }) => /[.!?:;]$/.test(title))).toEqual([]);
});

test("a risk statement is one sentence without values", () => {
  expect(broken(({ riskStatement }) => !/\.$/.test(riskStatement) || /[.!?]["')]?\s+\S/.test(riskStatement))).toEqual([]);
});

describe("a remediation", () => {
  test("begins with a sentence that holds no line to paste", () => {
    expect(
      broken(({ remediation }) => /(?:^|\s)(?:nginx|Apache|Caddy|DNS|mta-sts\.txt|security\.txt): /.test(remediation.split("\n")[0] ?? "")),
    ).toEqual([]);
  });
  test("has only known prefixes before its lines", () => {
    expect(broken((texts) => linesToPaste(texts).some((line) => !prefix.test(line)))).toEqual([]);
  });
  test("has no site-controlled value in its lines", () => {
    const quoted = (line: string) => [...line.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? "");
    expect(broken((texts) => linesToPaste(texts).some((line) => quoted(line).some((name) => !namesInLines.includes(name))))).toEqual([]);
  });
  test("has the same lines in both languages", () => {
    const german = new Map(written.filter(({ locale }) => locale === "de-de").map(({ code, texts }) => [code, linesToPaste(texts)]));
    const english = written.filter(({ locale }) => locale === "en-gb");
    expect(
      english.filter(({ code, texts }) => german.get(code)?.join("\n") !== linesToPaste(texts).join("\n")).map(({ code }) => code),
    ).toEqual([]);
  });
  test("writes DNS records as a zone file does, with the whole name", () => {
    const record = /^DNS: (?:[\w.-]|\{\{\w+\}\})+\. (?:\d+ )?IN (?:TXT "[^"]+"(?: "[^"]+")*|CAA \d+ \w+ "[^"]*"|\S+ .+)$/;
    expect(broken((texts) => linesToPaste(texts).some((line) => line.startsWith("DNS: ") && !record.test(line)))).toEqual([]);
  });
});
