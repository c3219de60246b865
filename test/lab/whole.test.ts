/** Pastes one configuration for all findings of a scan whole into a bare site, and scans again: the findings that it covers are gone. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtInChecks } from "../../checks/index.ts";
import enGb from "../../locales/en-gb.json" with { type: "json" };
import { replaceHeader } from "../../src/check/fix.ts";
import { createTexts } from "../../src/text/i18n.ts";
import { fixedFinding } from "../../src/text/render.ts";
import { configurationFor, linesFor } from "../../src/text/servers/server-lines.ts";
import { fixedFindings } from "../support/remediations.ts";
import { wordPressWith } from "./application.ts";
import { applicationHost, applicationHtml, applications, faultyShop } from "./faulty-applications.ts";
import type { FinishedScan } from "./laboratory.ts";
import { openLaboratory } from "./open-laboratory.ts";
import { type AnsweredPage, type RunServer, serveWhole } from "./whole-sites.ts";

const caseMsMax = 90_000;
const servers: readonly RunServer[] = ["nginx", "apache", "caddy", "htaccess", "express", "wordpress"];
const texts = createTexts({ "en-gb": enGb.checks, "de-de": {} }, builtInChecks);
const laboratory = openLaboratory();
beforeAll(laboratory.ready, caseMsMax);
afterAll(laboratory.close);

type SentHeaders = Readonly<Record<string, string | number | readonly string[]>>;

function pairsOf(headers: SentHeaders): AnsweredPage["headers"] {
  return Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)] as const));
}

const pages: readonly (readonly [string, AnsweredPage])[] = [
  ...applications
    .filter(({ outdated }) => outdated === undefined)
    .map(
      ({ name, headers }) => [name, { headers: pairsOf(headers as SentHeaders), html: applicationHtml, reflectsOrigin: false }] as const,
    ),
  [faultyShop.name, { headers: pairsOf(faultyShop.headers), html: faultyShop.html, reflectsOrigin: true }],
];

/** One line of the ledger's figures. */
function figuresOf({ result: { score, ledger, findings } }: FinishedScan): string {
  const states = Object.groupBy(ledger, ({ state }) => state);
  return `score ${score}, passed ${states.passed?.length ?? 0}, failed ${states.violated?.length ?? 0}, findings ${findings.length}`;
}

function configurationOf(server: RunServer, { evidence, result }: FinishedScan) {
  const items = result.findings.map((finding) => fixedFinding(finding, evidence.subject, texts));
  return configurationFor(server, items, (note) => texts.translate("en-gb", ["serverNotes", ...note.split(".")]) ?? note);
}

describe.each(servers)("one configuration for %s", (server) => {
  test.each(pages)(
    "repairs %s",
    async (name, page) => {
      const scan = (pasted: string) => laboratory.scan({ serve: () => serveWhole(server, page, pasted) });
      const before = await scan("");
      const { text, codes, left } = configurationOf(server, before);
      expect(codes.length).toBeGreaterThan(3);
      const after = await scan(text);
      const remaining = after.result.findings.map(({ code }) => code);
      console.log(
        `${server}: ${name}\n  before: ${figuresOf(before)}\n  after:  ${figuresOf(after)}\n  covered ${codes.length}, left ${left.join(" ")}\n  now: ${remaining.join(" ")}`,
      );
      expect(remaining.filter((code) => codes.includes(code))).toEqual([]);
    },
    caseMsMax,
  );
});

test(
  "WordPress itself with the configuration has the findings no more",
  async () => {
    const before = await laboratory.scan({ serve: () => wordPressWith("") });
    const { text, codes } = configurationOf("wordpress", before);
    expect(codes.length).toBeGreaterThan(3);
    const after = await laboratory.scan({ serve: () => wordPressWith(text) });
    console.log(`WordPress itself\n  before: ${figuresOf(before)}\n  after:  ${figuresOf(after)}\n  covered ${codes.length}`);
    expect(after.result.findings.map(({ code }) => code).filter((code) => codes.includes(code))).toEqual([]);
  },
  caseMsMax,
);

test.each(servers)("%s accepts one configuration for all findings that there are", async (server) => {
  const { text, codes } = configurationFor(server, fixedFindings(applicationHost), (note) => note);
  expect(codes.length).toBeGreaterThan(70);
  const page: AnsweredPage = { headers: [["content-type", "text/html"]], html: applicationHtml, reflectsOrigin: false };
  const { result } = await laboratory.scan({ serve: () => serveWhole(server, page, text) });
  expect(result.score).toBeGreaterThan(85);
});

/** Punctuation that some syntax interprets. */
const oddValues = [
  'a"b',
  "it's",
  "back\\slash",
  "100%",
  "%{HTTP_HOST}s",
  "`tick`",
  "a; b, c",
  "# no comment",
  "<&>",
  "$1 $".concat("{HOME}"),
  "{host}",
  "\\",
];

test.each(servers)("%s sends every value that its lines carry unchanged", async (server) => {
  const carried = oddValues.flatMap((value, at) => {
    const fix = replaceHeader(`X-Sample-${at}`, value);
    return configurationFor(server, [{ code: "a", fixes: [fix], values: {} }], () => "").text === "" ? [] : [{ fix, at, value }];
  });
  expect(carried.length).toBeGreaterThan(5);
  const { text } = configurationFor(server, [{ code: "a", fixes: carried.map(({ fix }) => fix), values: {} }], () => "note");
  const page: AnsweredPage = { headers: [["x-sample-0", "from the application"]], html: applicationHtml, reflectsOrigin: false };
  const { evidence } = await laboratory.scan({ serve: () => serveWhole(server, page, text) });
  if (evidence.page.status !== "read") throw new Error("the page was not read");
  const { headers } = evidence.page.facts;
  for (const { at, value } of carried)
    expect([at, headers.filter(({ name }) => name.toLowerCase() === `x-sample-${at}`).map((header) => header.value)]).toEqual([
      at,
      [value],
    ]);
});

test.each([
  ["security.missing-header.strict-transport-security", {}],
  ["security.weak-header.referrer-policy", { "referrer-policy": "unsafe-url" }],
  ["security.missing-header.permissions-policy", {}],
  ["security.cookie.missing-httponly", { "set-cookie": "sid=1; Path=/; Secure; SameSite=Lax" }],
  ["security.disclosure.x-powered-by", { "x-powered-by": "PHP/5.4" }],
  ["security.csp.object-src-missing", { "content-security-policy": "script-src 'self'" }],
  ["security.transport.no-https-redirect", {}],
] as const)("Express with the lines for %s alone has it no more", async (code, headers: SentHeaders) => {
  const page: AnsweredPage = {
    headers: pairsOf({ "content-type": "text/html", ...headers }),
    html: applicationHtml,
    reflectsOrigin: false,
  };
  const scan = (pasted: string) => laboratory.scan({ serve: () => serveWhole("express", page, pasted) });
  const finding = (await scan("")).result.findings.find((each) => each.code === code);
  if (finding === undefined) throw new Error(`the site before has no ${code}`);
  const { fixes, values } = fixedFinding(finding, { url: `https://${applicationHost}/` }, texts);
  const lines = linesFor("express", fixes, values);
  expect(lines).not.toBeNull();
  const after = await scan(lines ?? "");
  expect(after.result.findings.map((each) => each.code)).not.toContain(code);
});
