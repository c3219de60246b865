/** Markdown summaries, rendered by markdown-it. */
import { describe, expect, test } from "vitest";
import type { ExportedScan, ExportSettings } from "../../../src/export/export.ts";
import { exportFormats } from "../../../src/export/formats.ts";
import { codeSpan, escapedMarkdown, fenced } from "../../../src/export/safe-text.ts";
import { readMarkdown } from "../../support/export-readers.ts";
import { exportedScan, exportSettings, failedExport } from "../../support/exported-scans.ts";

const { extension, mediaType, write } = exportFormats.md;
const bare = exportedScan("bare");
const codes = bare.result?.findings.map(({ code }) => code) ?? [];

function html(scans: readonly ExportedScan[], given: Partial<ExportSettings> = {}): string {
  return readMarkdown(write(scans, exportSettings(given)) ?? "").html;
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

test("has its extension and media type", () => expect([extension, mediaType]).toEqual(["md", "text/markdown; charset=utf-8"]));

describe("a summary", () => {
  const page = html([bare, exportedScan("shop")]);

  test("has a heading with the verdict for each URL", () => {
    expect(page).toContain("<h2><code>https://assay-bare-site.org/</code></h2>\n<p><strong>Score 15 of 100: alarming</strong></p>");
    expect(count(page, /<h2>/g)).toBe(2);
  });

  test("has tables of findings and of all checks, folded", () => {
    expect(count(page, /<table>/g)).toBe(4);
    expect(count(page, /<details><summary>/g)).toBe(4);
    expect(count(page, /<\/details>/g)).toBe(4);
    const [table = ""] = page.split("</table>");
    expect(count(table, /<tr>/g)).toBe(1 + codes.length);
    for (const code of codes) expect(table).toContain(`<code>${code}</code>`);
  });

  test("has the lines to paste as code", () => {
    expect(page).toMatch(/<pre><code>nginx: add_header /);
  });

  test("speaks the language of the settings", () => {
    const german = html([bare], { locale: "de-de" });
    for (const words of ["15 von 100", "Schwere", "Alle Pr\u00fcfungen", "M\u00f6gliche Folge"]) expect(german).toContain(words);
  });

  test("says why there is no score", () => {
    const page = html([failedExport(), exportedScan("old")]);
    expect(page).toContain("<p><strong>unreachable.example could not be reached");
    expect(page).toContain("<p><strong>No score: the page itself could not be read.");
  });

  test("marks and counts what the policy lets pass", () => {
    const [accepted = "", known = ""] = codes;
    const marks = new Map([
      [accepted, { accepted: { reason: "We | know", until: "2027-03-01" }, inBaseline: null }],
      [known, { accepted: null, inBaseline: true }],
    ]);
    const page = html([{ ...bare, marks }]);
    expect(page).toContain("Accepted findings: 1. Findings known from the baseline: 1.");
    expect(page).toContain("<td>Accepted until 2027-03-01: We | know</td>");
    expect(page).toContain("<td>Known: in the baseline</td>");
  });
});

describe("escaped text", () => {
  const rendered = (text: string) => readMarkdown(`Text ${escapedMarkdown(text)}`).html;

  test.each([
    ["a | b", "a | b"],
    ["*a* _b_ **c** ~~d~~ `e`", "*a* _b_ **c** ~~d~~ `e`"],
    ["[a](https://b.example) ![c](d)", "[a](https:<!-- -->//b.example) ![c](d)"],
    ["<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"],
    ["<!-- a --> &lt; \\*", "&lt;!-- a --&gt; &amp;lt; \\*"],
    ["@octocat #12 GH-12 a/b#3", "@<!-- -->octocat #<!-- -->12 GH-<!-- -->12 a/b#<!-- -->3"],
    ["www.evil.example mailto:a@b.example", "www.<!-- -->evil.example mailto:<!-- -->a@<!-- -->b.example"],
    ["$a$ {{host}}", "$a$ {{host}}"],
    ["a\n\n# b\r\n- c", "a  #<!-- --> b - c"],
    ["a\u202eb\u0000", "a\ufffdb\ufffd"],
  ])("%j renders as itself", (text, html) => expect(rendered(text)).toBe(`<p>Text ${html}</p>\n`));
});

test.each([
  "- a",
  "+ a",
  "* a",
  "1. a",
  "2) a",
  "===",
  "---",
  "# a",
  "> a",
  "    a",
  "\ta",
  "```",
  "| a | b |\n| - | - |",
  "<div>",
  "<!-- a -->",
])("%j at the beginning is a paragraph", (text) => {
  const { html, blocks } = readMarkdown(escapedMarkdown(text));
  expect(html).toMatch(/^<p>/);
  expect(blocks).toEqual([text.replaceAll("\n", " ").trim()]);
});

describe("code", () => {
  test.each(["a", "a`b", "``a``", "`", " a ", "a\\", "<b>&amp;", "*a* [b](c) @d #1 https://e.example", "|"])("%j is read back", (text) => {
    const { inline } = readMarkdown(codeSpan(text));
    expect(inline.map(({ type, content }) => [type, content])).toEqual([["code_inline", text]]);
  });

  test.each(["", " ", "\n"])("of %j is nothing", (text) => expect(codeSpan(text)).toBe(""));

  test.each(["a\nb", "```\na\n```", "`````", "</details>"])("%j is read back as lines", (text) => {
    const { html } = readMarkdown(fenced(text));
    expect(html).toBe(`<pre><code>${text.replaceAll("<", "&lt;").replaceAll(">", "&gt;")}\n</code></pre>\n`);
  });
});
