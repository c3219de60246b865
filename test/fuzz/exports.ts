/** Writes hostile scans in every export format, reads them back with independent readers and compares them with what went in. */
import fc from "fast-check";
import { type ExportFormatName, exportFormats } from "../../src/export/formats.ts";
import { plainLine, plainText } from "../../src/export/safe-text.ts";
import { renderFullReport } from "../../src/text/render.ts";
import { markupComplaints } from "../browser/web/markup.ts";
import { readCsv, readGitlab, readJunit, readMarkdown, readReports, readSarif } from "../support/export-readers.ts";
import { type HostileTexts, hostileScan, hostileSettings, hostileTexts } from "./hostile-exports.ts";

const failuresMax = 5;
/** html-validate takes as long as all other readers together. */
const validatedEvery = 20;
/** A rule of html-validate for layout, which lines to paste may break. */
const ownLayout = "no-trailing-whitespace";

interface Written {
  readonly url: string;
  readonly texts: HostileTexts;
  /** The findings as the API gives them. */
  readonly findings: readonly { readonly code: string; readonly title: string; readonly detail: string; readonly riskStatement: string }[];
}

/** By format: what is wrong with a file. A reader that throws is a complaint too. */
type Examine = (text: string, written: Written) => readonly string[];

const examinations: Readonly<Record<ExportFormatName, Examine>> = {
  json: (text, { url, findings }) => {
    const [report] = readReports(text);
    return differences([
      [report?.url, url],
      [report?.security?.findings.map(({ detail }) => detail), findings.map(({ detail }) => detail)],
    ]);
  },
  sarif: (text, { url, findings, texts }) => {
    const [run, ...others] = readSarif(text);
    const messages = run?.results.map(({ message }) => message.text.replaceAll("\\](", "]("));
    const wanted = findings.map(({ title, detail }) => plainLine(`${title} (${url}). ${detail}`));
    const uris = new Set(run?.results.map(({ locations }) => locations[0].physicalLocation.artifactLocation.uri));
    const fingerprints = run?.results.map(({ partialFingerprints }) => partialFingerprints.primaryLocationLineHash) ?? [];
    return [
      ...differences([
        [others.length, 0],
        [messages?.map(beginning), wanted.map(beginning)],
        [run?.results[0]?.suppressions?.[0]?.justification, plainText(texts.reason)],
        [new Set(fingerprints).size, findings.length],
      ]),
      ...[...uris]
        .filter((uri) => !/^host\.example\/[\w\-.~!$&'()*+,;=:@/%]*$/.test(uri) || /%(?![0-9a-f]{2})/i.test(uri))
        .map((uri) => `URI ${uri}`),
    ];
  },
  junit: (text, { url, findings }) => {
    const [suite] = readJunit(text).suites;
    const cases = suite?.cases ?? [];
    const quoted = cases.flatMap((each) => each.text.split("\n\n"));
    return [
      ...differences([
        [suite?.name, url],
        [cases.map(({ outcome }) => outcome), ["skipped", "failure", "failure", "skipped"]],
      ]),
      ...findings.flatMap(({ code, detail }) =>
        cases.some((each) => each.text.includes(`${code}\n`) && each.text.includes(plainText(detail)))
          ? []
          : [`${code} lacks its detail in ${quoted}`],
      ),
    ];
  },
  gitlab: (text, { url, findings }) =>
    differences([
      [
        readGitlab(text).map(({ description }) => description),
        findings.slice(1).map(({ title, detail }) => plainLine(`${title} (${url}). ${detail}`)),
      ],
    ]),
  csv: (text, { findings, texts }) => {
    const records = readCsv(text);
    const cells = records.flatMap((record) => Object.values(record)).flatMap((cell) => cell.split(/[;|\t\n]/));
    return [
      ...differences([
        [records.map(({ detail = "" }) => withoutApostrophes(detail)), findings.map(({ detail }) => withoutApostrophes(plainText(detail)))],
        [withoutApostrophes(records[0]?.acceptedReason ?? ""), withoutApostrophes(plainText(texts.reason))],
      ]),
      ...cells.filter((cell) => /^[\s\u200b]*[=+\-@\uff0b\uff0d\uff1d\uff20]/.test(cell)).map((cell) => `formula ${cell}`),
    ];
  },
  md: (text, { findings }) => {
    const { inline, blocks } = readMarkdown(text);
    const foreign = inline.filter(
      ({ type, content }) => /link|image|em_|s_open/.test(type) || (type === "html_inline" && !/^<(br|!-- --)>$/.test(content)),
    );
    return [
      ...foreign.map(({ type, content }) => `${type} ${content}`),
      ...findings.flatMap(({ code, detail }) =>
        [...blocks, ""].includes(plainLine(detail).trim()) ? [] : [`${code} lacks its detail "${plainLine(detail)}"`],
      ),
    ];
  },
  html: (text) => {
    const complaints: string[] = [];
    const element = ({ tagName, attributes }: HTMLRewriterTypes.Element) => {
      if (/^(script|img|iframe|object|embed|form|input|base)$/.test(tagName)) complaints.push(`element ${tagName}`);
      for (const [name = "", value = ""] of attributes) {
        if (/^(on|src)/.test(name) || (name === "href" && !/^(#|https:\/\/|data:image\/svg)/.test(value)))
          complaints.push(`attribute ${name}=${value}`);
      }
    };
    new HTMLRewriter().on("*", { element }).transform(text);
    return complaints;
  },
};

export interface ExportFuzzOutcome {
  readonly scans: number;
  readonly failures: readonly string[];
}

/** @param seed For a run that can be repeated; random if absent. */
export async function fuzzExports(count: number, seed?: number): Promise<ExportFuzzOutcome> {
  const failures = new Set<string>();
  let scans = 0;
  const examine = fc.asyncProperty(hostileTexts, async (texts) => {
    scans++;
    for (const complaint of await complaintsOn(texts, scans % validatedEvery === 0)) {
      if (failures.size < failuresMax) failures.add(`exports: ${complaint.slice(0, 600)} on ${JSON.stringify(texts)}`);
    }
  });
  await fc.assert(examine, { numRuns: count, ...(seed !== undefined && { seed }) });
  return { scans, failures: [...failures] };
}

async function complaintsOn(texts: HostileTexts, validated: boolean): Promise<readonly string[]> {
  const [scan, settings] = [hostileScan(texts), hostileSettings(texts)];
  const report = renderFullReport(scan.scan, scan.result, { evidence: null, timings: null }, settings.locale, settings.texts);
  const written: Written = { url: scan.scan.url, texts, findings: report.security?.findings ?? [] };
  const complaints: string[] = [];
  for (const [name, { write }] of Object.entries(exportFormats)) {
    try {
      const text = write([scan], settings) ?? "";
      complaints.push(...examinations[name as ExportFormatName](text, written).map((complaint) => `${name}: ${complaint}`));
      if (name === "html" && validated)
        complaints.push(...(await markupComplaints(text)).filter((complaint) => !complaint.startsWith(ownLayout)));
    } catch (error) {
      complaints.push(`${name}: ${error}`);
    }
  }
  return complaints;
}

/** Pairs of what was read and what was meant. */
function differences(pairs: readonly (readonly [unknown, unknown])[]): readonly string[] {
  return pairs
    .filter(([read, meant]) => !Bun.deepEquals(read, meant))
    .map(([read, meant]) => `${JSON.stringify(read)} instead of ${JSON.stringify(meant)}`);
}

/** Messages have a limit. */
function beginning(text: string): string {
  return text.slice(0, 3_900);
}

/** An apostrophe may have been added before a formula. */
function withoutApostrophes(text: string): string {
  return text.replaceAll("'", "");
}
