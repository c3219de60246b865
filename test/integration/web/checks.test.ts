/** Check reference: complete in both languages, and correct for plugin checks. */
import { afterAll, describe, expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import type { Catalog } from "../../../src/catalog/catalog.ts";
import { areaOf, type CheckTexts, type FindingDefinition, fixesByCode, locales } from "../../../src/check/check.ts";
import type { AnyCheck } from "../../../src/check/registry.ts";
import { readRemediation } from "../../../src/report/components/remediation.tsx";
import { linesFor, serverNames } from "../../../src/text/servers/server-lines.ts";
import { startPages } from "../../support/pages.ts";

const pages = await startPages();
afterAll(() => pages.stop());

const samples = { host: "www.example.com", tlsHost: "www.example.com" };
const files = { "en-gb": enGb, "de-de": deDe };

async function read(path: string, at = pages.url): Promise<string> {
  const answer = await fetch(`${at}${path}`);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

describe("/checks", () => {
  test.each([...locales])("lists every check with weight, reason and link, in %s", async (locale) => {
    const html = await read(`/checks?locale=${locale}`);
    for (const { key, weight, findings } of builtInChecks) {
      const row = html.split(`<tr id="check-${key}">`)[1]?.split("</tr>")[0] ?? "";
      const { label, reason } = files[locale].checks[key as keyof typeof enGb.checks];
      expect(row).toContain(`<a href="/checks/${key}">${escaped(label)}</a>`);
      expect(row).toContain(`>${escaped(reason)}<`);
      const charges = Object.values<FindingDefinition>(findings).map((finding) => finding.weight ?? weight);
      const [from, to] = [Math.min(...charges), Math.max(...charges)];
      const points = weight === 0 ? files[locale].pages.checks.note : from === to ? `${to}` : `${from} .+ ${to}`;
      expect(row).toMatch(new RegExp(`>${points.replaceAll(/[()]/g, "\\$&")}<`));
    }
    expect(html).not.toContain("{{");
  });

  test("has a section for each used area only", async () => {
    const html = await read("/checks");
    const parts = [...html.matchAll(/<h2 id="area-([^"]+)">/g)].map(([, area]) => area);
    expect(parts).toEqual(["headers", "csp", "transport", "hsts", "cookies", "dns", "mail", "content", "disclosure"]);
    for (const area of parts) expect(html).toContain(`<a href="#area-${area}">`);
  });
});

describe("/checks/{key}", () => {
  const cases = locales.flatMap((locale) => builtInChecks.map((check) => [locale, check.key, check] as const));

  test.each(cases)("%s: %s documents all its findings", async (locale, key, check) => {
    const html = await read(`/checks/${key}?locale=${locale}`);
    const texts: CheckTexts = files[locale].checks[key as keyof typeof enGb.checks];
    const plain = html.replaceAll(/<a href="\/checks\/[^"]+"><code translate="no">([^<]+)<\/code><\/a>/g, "$1");
    for (const text of [texts.label, texts.reason, texts.method ?? "", texts.notApplicable ?? ""]) expect(plain).toContain(escaped(text));
    for (const [code, { scoreCap }] of Object.entries(check.findings)) {
      const article = html.split(`<article id="${code}"`)[1]?.split("</article>")[0] ?? "";
      expect(article).toContain(`href="#${code}"`);
      expect(article.includes(files[locale].pages.check.scoreCap.replace("{{score}}", String(scoreCap)))).toBe(scoreCap !== undefined);
      const ofServers = serverNames.filter((server) => linesFor(server, fixesByCode(check)[code] ?? [], samples) !== null);
      const ofText = readRemediation(texts.findings[code]?.remediation ?? "").lines;
      expect(article.split("<pre").length - 1).toBe(ofServers.length + ofText.length);
    }
    for (const name of check.standards ?? []) expect(html).toContain(escaped(name));
    for (const name of [...check.reads, ...(check.consults ?? [])]) expect(html).toContain(`>${name}</code>`);
    for (const name of check.headers ?? []) expect(html).toMatch(new RegExp(`<code[^>]*>[^<]*\\b${name}\\b`));
    expect(html).not.toContain("{{");
  });

  test.each([...locales])("says what a violation charges, or that the check is a note, in %s", async (locale) => {
    const { check: texts } = files[locale].pages;
    for (const { key, weight, findings } of builtInChecks) {
      const html = await read(`/checks/${key}?locale=${locale}`);
      const charges = Object.values<FindingDefinition>(findings).map((finding) => finding.weight ?? weight);
      const [from, to] = [Math.min(...charges), Math.max(...charges)];
      const differ = from !== to && weight > 0;
      const sentence = to === 1 ? texts.charge.one : texts.charge.other;
      const expected = differ ? texts.chargeBetween : weight === 0 ? texts.note : sentence;
      expect(html).toContain(expected.replace("{{from}}", `${from}`).replace("{{to}}", `${to}`).replace("{{count}}", `${to}`));
      expect(html.includes(texts.held.replace("{{score}}", "79"))).toBe(weight >= 8);
      for (const charge of differ ? charges : [])
        expect(html).toContain((charge === 1 ? texts.findingCharge.one : texts.findingCharge.other).replace("{{count}}", `${charge}`));
    }
  });

  test("has an example for every placeholder", () => {
    for (const locale of locales) {
      const texts = JSON.stringify(files[locale].checks);
      const names = new Set([...texts.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = ""]) => name));
      const samples: object = files[locale].pages.check.samples;
      expect([...names].filter((name) => name !== "expires" && !(name in samples))).toEqual([]);
    }
  });

  test("puts the lines for each server into a separate block", async () => {
    const html = await read("/checks/x-content-type-options");
    const [article = ""] = html.split("<article").slice(1);
    const blocks = [...article.matchAll(/<figcaption><span[^>]*>([^<]+)<\/span>.*?<code[^>]*>([^<]+)<\/code>/g)];
    expect(blocks.map(([, place, lines]) => [place, lines?.split("\n").length])).toEqual([
      ["nginx", 1],
      ["Apache", 1],
      ["Caddy", 1],
      ["IIS", 10],
      ["Node.js (Express)", 3],
      [".htaccess", 1],
      ["Cloudflare", 16],
      ["WordPress", 4],
      ["Traefik", 6],
    ]);
    expect(await read("/checks/mail-dmarc")).toContain("_dmarc.<var>example.com</var>. IN TXT");
  });

  test("lists the worst findings first", async () => {
    const html = await read("/checks/mixed-content");
    const severities = [...html.matchAll(/data-severity="(\w+)"/g)].map(([, severity]) => severity);
    expect(severities).toEqual(["high", "medium", "medium", "medium"]);
    expect([...(await read("/checks/mail-dmarc-policy")).matchAll(/data-severity="(\w+)"/g)].at(-1)?.[1]).toBe("low");
  });

  test("links checks that its texts mention", async () => {
    const html = await read("/checks/mail-dmarc-policy");
    expect(html).toContain('<a href="/checks/mail-dmarc"><code translate="no">mail-dmarc</code></a>');
  });

  test("links an RFC to its section", async () => {
    expect(await read("/checks/hsts-effective")).toContain(
      '<a class="external" href="https://www.rfc-editor.org/rfc/rfc6797#section-6.1" rel="nofollow noopener noreferrer">RFC 6797 section 6.1',
    );
  });

  test.each([
    "/checks/no-such-check",
    "/checks/constructor",
    "/checks/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
    "/checks/x%00",
    "/checks/%zz",
    `/checks/${"a".repeat(2_000)}`,
  ])("%s gives 404 and is not echoed", async (path) => {
    const answer = await fetch(`${pages.url}${path}`);
    const html = await answer.text();
    expect(answer.status).toBe(404);
    expect(html).not.toContain("<script>");
    expect(html).not.toContain("alert(1)</script>");
    expect(pages.logged).toEqual([]);
  });
});

describe("a plugin check", () => {
  const texts: CheckTexts = {
    label: "Build <number>",
    reason: "It tells too much.",
    findings: {
      "security.acme.build": {
        title: "The build is {{build}}",
        detail: "{{host}} sends {{ build }}.",
        riskStatement: "Known faults can be tried.",
        remediation: "Remove it.\nnginx: proxy_hide_header X-Acme;\nThen restart.",
      },
    },
  };
  const check: AnyCheck = {
    key: "acme-build",
    weight: 2,
    appliesTo: ["html", "public-name"],
    reads: ["page"],
    findings: { "security.acme.build": { severity: "low", riskLevel: "low", effort: "low", cwe: 200 } },
    judge: () => ({ state: "passed" }),
  };
  const catalog: Catalog = {
    checks: [check, ...builtInChecks.filter((each) => areaOf(each) === "mail")],
    version: "0123456789abcdef",
    texts: { "en-gb": { ...enGb.checks, "acme-build": texts }, "de-de": { ...deDe.checks, "acme-build": texts } },
    pluginFiles: { "acme-build": { path: "/var/lib/assay/checks/acme-build.ts", sha256: "ab".repeat(32), digest: "" } },
    warnings: [],
    snapshot: null,
  };

  test("has the hash of its file, and its findings the weakness of the CWE list", async () => {
    const own = await startPages({ catalog });
    expect(await read("/checks", own.url)).toContain(`SHA-256 ${"ab".repeat(6)}\u2026`);
    const html = await read("/checks/acme-build", own.url);
    expect(html).toMatch(new RegExp(`SHA-256 of the file.*${"ab".repeat(32)}`, "s"));
    expect(html).toMatch(/Weakness:.*<a class="external" href="https:\/\/cwe\.mitre\.org\/data\/definitions\/200\.html"[^>]*>CWE-200/s);
    await own.stop();
  });

  test("is listed with its file name, without the path", async () => {
    const own = await startPages({ catalog });
    for (const path of ["/checks", "/checks/acme-build", "/checks/acme-build?locale=de-de"]) {
      const html = await read(path, own.url);
      expect(html).toContain("acme-build.ts");
      expect(html).not.toContain("/var/lib");
      expect(html).toContain("Build &lt;number");
    }
    await own.stop();
  });

  test("is documented by its declared conditions and placeholder names", async () => {
    const own = await startPages({ catalog });
    const html = await read("/checks/acme-build", own.url);
    expect(html).toContain(enGb.pages.check.conditions.html);
    expect(html).toContain(enGb.pages.check.conditions["public-name"]);
    expect(html).toContain("The build is <var>\u2039build\u203a</var>");
    expect(html).toContain("<var>www.example.com</var> sends <var>\u2039build\u203a</var>.");
    expect(html).toContain(">proxy_hide_header X-Acme;</code>");
    expect(html).toContain("<p>Then restart.</p>");
    expect(html).not.toContain(enGb.pages.check.method);
    await own.stop();
  });
});
