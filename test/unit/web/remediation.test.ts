/** Parsing of all built-in remediations, and of forms that only plugin checks write. */
import { describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { readRemediation } from "../../../src/web/components/remediation.tsx";

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
