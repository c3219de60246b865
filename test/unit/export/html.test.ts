/** The HTML file: content, self-containment, unique ids, and texts of hostile sites. */
import { describe, expect, test } from "vitest";
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import type { FindingMark } from "../../../src/policy/finding-mark.ts";
import { exportedScan } from "../../support/exported-scans.ts";
import { knownScans } from "../../support/finished-scans.ts";
import { poisonedScan } from "../../support/poisoned-scan.ts";
import { htmlCases, htmlOf, several, shop } from "./html-cases.ts";

/** Uncompressed size limit of a file with one report of a faulty shop. */
const shopBytesMax = 400_000;

const texts = enGb.pages.report;

const idsOf = (html: string) => [...html.matchAll(/<[^>]+? id="([^"]*)"/g)].map(([, id = ""]) => id);
const hrefsOf = (html: string) => [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, href = ""]) => href);

describe.each(htmlCases)("a file with %s", (_words, scans) => {
  test("loads nothing, runs nothing and sends nothing", () => {
    const html = htmlOf(scans);
    expect(html).not.toMatch(/<(script|img|iframe|object|embed|form|input|button|base|audio|video|source)\b/);
    expect(html).not.toMatch(/<[^>]*\s(src|srcset|style|on\w+)=/);
    expect(html.match(/<link [^>]*>/g)).toEqual([expect.stringMatching(/^<link rel="icon" href="data:image\/svg\+xml,/)]);
    const style = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? "";
    expect(style).not.toMatch(/url\(|@import|https?:/);
    const hash = new Bun.CryptoHasher("sha256").update(style).digest("base64");
    expect(html).toContain(`content="default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'"`);
  });

  test("has unique ids, and links that lead somewhere", () => {
    const html = htmlOf(scans);
    const ids = idsOf(html);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    const inside = hrefsOf(html).filter((href) => href.startsWith("#"));
    expect(inside.filter((href) => !ids.includes(href.slice(1)))).toEqual([]);
    const outside = [...html.matchAll(/<a [^>]*href="(?!#)[^>]*>/g)].map(([tag]) => tag);
    for (const tag of outside) expect(tag).toMatch(/href="https?:\/\/[^"]*" rel="nofollow noopener noreferrer"/);
  });
});

describe("a report", () => {
  const html = htmlOf([shop]);

  test("starts with the verdict and the first steps, then has findings, ledger and evidence", () => {
    const order = [
      texts.score.heading,
      texts.firstSteps.heading,
      texts.score.how,
      "findings</h2>",
      texts.ledger.heading,
      enGb.pages.evidence.heading,
    ];
    const places = order.map((text) => html.indexOf(text.endsWith(">") ? text : `>${text}<`));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  test("has every finding and every check", () => {
    for (const { code } of shop.result?.findings ?? []) expect(idsOf(html)).toContain(code);
    for (const { key } of shop.result?.ledger ?? []) expect(idsOf(html)).toContain(key);
  });

  test("opens lines for the server of the site, and folds those for others", () => {
    expect(html).toContain("Lines to paste are for Apache, which the response of the site names.");
    const finding = /<details class="finding-row".*?<\/footer>/s.exec(html)?.[0] ?? "";
    const [open = "", folded = ""] = finding.split(`<summary>${enGb.pages.lines.others}</summary>`);
    const labels = (part: string) => [...part.matchAll(/<figcaption><span[^>]*>([^<]*)/g)].map(([, label]) => label);
    expect(labels(open)).toEqual(["Apache"]);
    expect(labels(folded)).toContain("nginx");
    expect(labels(folded)).not.toContain("Apache");
  });

  test("names the version of assay, the time of the scan and the catalog", () => {
    expect(html).toContain("Made by assay 1.2.3");
    expect(html).toContain(`<time datetime="${shop.scan.endedAt}">`);
    expect(html).toContain(`catalogue ${shop.result?.catalogVersion}</p>`);
  });

  test("has no time relative to now", () => {
    expect(html).not.toContain('class="ago');
  });

  test("links to its appliance only if there is one", () => {
    expect(hrefsOf(html).filter((href) => href.includes("/checks/"))).toEqual([]);
    const linked = htmlOf([shop], { origin: "https://assay.example" });
    expect(hrefsOf(linked)).toContain("https://assay.example/checks/tls-trust-chain");
  });

  test("is small", () => {
    expect(Buffer.byteLength(html)).toBeLessThan(shopBytesMax);
  });
});

describe("the policy of a pipeline", () => {
  const codes = knownScans.shop.result.findings.map(({ code }) => code);
  const [first = "", second = "", third = ""] = shop.result?.findings.map(({ code }) => code) ?? [];
  const mark = (given: Partial<FindingMark>): FindingMark => ({ accepted: null, inBaseline: true, ...given });
  const marks = new Map([
    ...codes.map((code) => [code, mark({})] as const),
    [first, mark({ accepted: { reason: "Until <b>relaunch</b>\u202e", until: "2027-03-01" } })],
    [second, mark({ accepted: { reason: "Never again", until: null } })],
    [third, mark({ inBaseline: false })],
  ]);
  const html = htmlOf([{ ...shop, marks }]);
  const rowOf = (code: string) => html.split('<details class="finding-row"').find((row) => row.includes(` id="${code}"`)) ?? "";

  test("marks accepted findings with reason and last day", () => {
    expect(rowOf(first)).toContain(`>${texts.marks.accepted}</span>`);
    expect(rowOf(first)).toContain("Accepted until 1 Mar 2027:");
    expect(rowOf(first)).toContain("Until &lt;b>relaunch&lt;/b>");
    expect(rowOf(first)).toContain("U+202E");
    expect(rowOf(second)).toContain("Never again");
    expect(html).toContain("2 findings are accepted.");
  });

  test("marks what is new since the baseline", () => {
    expect(rowOf(third)).toContain(`>${texts.marks.new}</span>`);
    expect(html.match(new RegExp(`>${texts.marks.new}</span>`, "g"))).toHaveLength(1);
    expect(html).toContain("1 finding is new since the baseline.");
  });

  test("leaves accepted findings out of the one configuration", () => {
    const all = (file: string) => /<details class="paste all-lines".*?<\/figure>/s.exec(file)?.[0] ?? "";
    const hsts = "security.missing-header.strict-transport-security";
    const accepted = new Map([[hsts, mark({ accepted: { reason: "Not yet", until: null } })]]);
    expect(all(htmlOf([shop]))).toContain("Strict-Transport-Security");
    const without = all(htmlOf([{ ...shop, marks: accepted }]));
    expect(without).toContain("X-Content-Type-Options");
    expect(without).not.toContain("Strict-Transport-Security");
  });

  test("leaves accepted findings out of the first steps and folds them", () => {
    const steps = /<section class="first-steps".*?<\/section>/s.exec(html)?.[0] ?? "";
    expect(hrefsOf(steps)).toContain(`#${third}`);
    for (const code of [first, second]) {
      expect(hrefsOf(steps)).not.toContain(`#${code}`);
      expect(rowOf(code)).not.toMatch(/^[^>]* open/);
    }
    expect(rowOf(third)).toMatch(/^[^>]* open/);
  });
});

describe("several scans", () => {
  const html = htmlOf(several);

  test("are listed with links, the lowest scores first, and failed ones last", () => {
    const table = /<table.*?<\/table>/s.exec(html)?.[0] ?? "";
    expect(hrefsOf(table)).toEqual(["#r1-report", "#r2-report", "#r3-report", "#r4-report", "#r5-report"]);
    const scores = [...table.matchAll(/<strong>(\d+)<\/strong><span class/g)].map(([, score]) => Number(score));
    expect(scores).toHaveLength(4);
    expect(scores).toEqual(scores.toSorted((one, other) => one - other));
    expect(table.lastIndexOf(texts.file.failed)).toBeGreaterThan(table.indexOf("#r5-report"));
    expect(html).toContain("1 scan failed.");
  });

  test("follow in that order, failed ones with reason and advice", () => {
    const articles = html.split("<article").slice(1);
    expect(articles).toHaveLength(5);
    expect(articles[4]).toContain(enGb.pages.failed.next.unreachable);
    expect(articles[4]).toContain("unreachable.example");
  });

  test("do not depend on the order in which they are given", () => {
    expect(htmlOf(several.toReversed())).toBe(html);
  });
});

test.each(["en-gb", "de-de"])("texts of a site stay texts in %s", (locale) => {
  const html = htmlOf([exportedScan(poisonedScan())], { locale });
  expect(html).toContain("&lt;script>alert(1)");
  expect(html).not.toMatch(/<[^>]*\sonerror=/);
  expect(html).toContain('<span class="sign">U+202E</span>');
  expect(html.replaceAll("\u2060<", "<").match(/(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu) ?? []).toEqual([]);
  expect(html).not.toMatch(/href="javascript:/i);
});

test("an address that is no web address is not linked", () => {
  const { navigation } = knownScans.bare.evidence;
  if (navigation.status === "failed") throw new Error("the known navigation was read");
  const facts = { ...navigation.facts, finalUrl: "javascript:alert(1)//https://x" };
  const evidence = { ...knownScans.bare.evidence, navigation: { status: "read", facts } } as const;
  const html = htmlOf([exportedScan("bare", { evidence })]);
  expect(html).toContain("javascript:alert(1)");
  expect(html).not.toMatch(/href="javascript:/i);
});
