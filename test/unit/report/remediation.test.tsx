/** Remediations: parsing of all built-in texts and of forms that only plugin checks write, and the blocks for one server. */

import { describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { Remediation, readRemediation } from "../../../src/report/components/remediation.tsx";
import type { ServerPreference } from "../../../src/report/report.ts";
import { pageIn, partHtml } from "../../support/part-html.tsx";

describe("a remediation", () => {
  test("splits into advice and, per target, lines with their indentation", () => {
    const text = 'Do this.\nnginx: a;\nnginx: b;\nCaddy: header {\nCaddy:   defer\nCaddy: }\nDNS: site.example. IN TXT "v=1"';
    expect(readRemediation(text)).toEqual({
      advice: ["Do this."],
      lines: [
        { place: "nginx", text: "a;\nb;" },
        { place: "Caddy", text: "header {\n  defer\n}" },
        { place: "DNS", text: 'site.example. IN TXT "v=1"' },
      ],
    });
  });

  test.each([
    ["nothing", "", { advice: [], lines: [] }],
    ["line breaks only", "\n\n", { advice: [], lines: [] }],
    ["a second paragraph", "One.\n\nTwo: by hand", { advice: ["One."], lines: [{ place: "Two", text: "by hand" }] }],
    ["a line without a target", "One.\n: x\nhttps://site.example/", { advice: ["One.", ": x", "https://site.example/"], lines: [] }],
  ])("of %s", (_words, text, read) => expect(readRemediation(text)).toEqual(read));

  test("keeps every line of every built-in finding under its target", () => {
    for (const { checks } of [enGb, deDe])
      for (const check of Object.values(checks))
        for (const { remediation } of Object.values(check.findings)) {
          const { advice, lines } = readRemediation(remediation);
          const again = lines.flatMap(({ place, text }) => text.split("\n").map((line) => `${place}: ${line}`));
          expect([...advice, ...again].join("\n")).toBe(remediation);
        }
  });
});

/** Labels of the blocks; folded ones in brackets. */
function blocksOf(text: string, server: ServerPreference, serverLines: string | null): readonly string[] {
  const plain = (own: string) => own;
  const remediation = <Remediation text={text} server={server} serverLines={serverLines} advice={plain} lines={plain} />;
  const html = partHtml(remediation, pageIn());
  const folded = new Set([...html.matchAll(/<details.*?<figcaption><span[^>]*>([^<]+)/g)].map(([, label]) => label));
  return [...html.matchAll(/<figcaption><span[^>]*>([^<]+)/g)].map(([, label = ""]) => (folded.has(label) ? `(${label})` : label));
}

describe("the blocks for one server", () => {
  const own = "Remove it.\nnginx: a;\nApache: b\nDNS: c";
  test.each<[string, string, ServerPreference, string | null, readonly string[]]>([
    ["lines of a fix", "Remove it.\nDNS: c", "iis", "<configuration />", ["IIS", "DNS"]],
    ["no lines of a fix", "Remove it.\nDNS: c", "iis", null, ["DNS"]],
    ["lines in the text of a plugin", own, "nginx", null, ["nginx", "DNS"]],
    ["lines in the text of a plugin, for other servers only", own, "caddy", null, ["DNS", "(nginx)", "(Apache)"]],
    ["just an explanation", own, "explain", null, ["DNS"]],
  ])("of %s", (_words, text, server, serverLines, expected) => expect(blocksOf(text, server, serverLines)).toEqual(expected));
});
