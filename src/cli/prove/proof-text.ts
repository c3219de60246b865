/** A proof in sections: the pages, what is blocked and how to allow it, what changes, the predicted score, and the headers to copy. */
import { type Fix, replaceHeader, setHeader } from "../../check/fix.ts";
import type { CheckDefinition } from "../../check/registry.ts";
import type { BlockedByPolicy } from "../../evidence/observation.ts";
import type { TextSection } from "../../export/sections.tsx";
import { allowingDirectives, wayToAllow } from "../../prove/allow.ts";
import { hasRunning } from "../../prove/canaries.ts";
import { changedRows, headersToCopy, type PageProof, type Proof, policiesIn, proofVerdict } from "../../prove/prove.ts";
import { canaryName, changeSentences, refusedSentence, type Say, unneededSentence, verdictSentence } from "../../prove/sentences.ts";
import type { PageLocale, Texts } from "../../text/i18n.ts";
import { scanErrorMessage } from "../../text/render.ts";
import { linesFor, type ServerName, serverLabel } from "../../text/servers/server-lines.ts";
import { type ReportStyle, wrapped } from "../scan/report-text.ts";
import { stripControls, table } from "../terminal.ts";

const indent = "  ";
/** Items of each list; the JSON has all. */
const listedMax = 20;

export interface ProofAnswer {
  readonly proof: Proof;
  /** Pages of the sitemap that were not visited. */
  readonly leftOut: readonly string[];
  /** Names of the fields that the scanned page has today, in lower case. */
  readonly sentToday: readonly string[];
  /** Server whose lines are wanted; null for the fields themselves. */
  readonly server: ServerName | null;
  readonly locale: PageLocale;
  readonly texts: Texts;
  readonly checks: readonly CheckDefinition[];
}

function sayingOf({ texts, locale }: Pick<ProofAnswer, "texts" | "locale">): Say {
  return (path, values) => stripControls(texts.translate(locale, ["proof", ...path.split("/")], values) ?? path);
}

const emptySection: TextSection = { heading: "", isPart: true, paragraphs: [], table: [], items: [], lines: [], remarks: [] };

export function proofTitle(answer: ProofAnswer): string {
  return sayingOf(answer)("title", { host: new URL(answer.proof.origin).host });
}

/** Among several pages, those that work have only a row in the table. */
export function proofSections(answer: ProofAnswer): readonly TextSection[] {
  const { proof } = answer;
  const say = sayingOf(answer);
  const isSingle = proof.pages.length === 1 && proof.unvisited.length === 0;
  const detailed = isSingle ? proof.pages : proof.pages.filter((page) => !isWorking(page));
  return [
    ...(isSingle ? [] : [overview(answer, say)]),
    ...detailed.flatMap((page) => pageSections(page, proof, say)),
    ...listSection(
      say("refusedHead"),
      proof.refused.map((refused) => refusedSentence(refused, say)),
      say,
    ),
    ...listSection(say("leftOutHead"), answer.leftOut.map(stripControls), say),
    ...headerSection(answer, say),
    ...unneededSection(proof, say),
  ];
}

function isWorking({ comparison, canaries }: PageProof): boolean {
  return comparison.verdict === "works" && !hasRunning(canaries);
}

function overview(answer: ProofAnswer, say: Say): TextSection {
  const { proof, texts, locale } = answer;
  const { pages, unvisited } = proof;
  const [count, working] = [pages.length + unvisited.length, pages.filter(isWorking).length];
  const score = (value: number | undefined | null) => (value === null || value === undefined ? "-" : String(value));
  const rows = pages.map((page) => [
    say(`results/${isWorking(page) || page.comparison.verdict !== "works" ? page.comparison.verdict : "weak"}`),
    `${score(page.before?.score)} -> ${score(page.after?.score)}`,
    page.canaries.length === 0 ? "-" : say(`canaryOutcomes/${hasRunning(page.canaries) ? "runs" : "stopped"}`),
    stripControls(page.url),
  ]);
  const failed = unvisited.map(({ url }) => [say("results/unvisited"), "-", "-", stripControls(url)]);
  const head = ["result", "score", "canaries", "url"].map((column) => say(`columns/${column}`));
  return {
    ...emptySection,
    heading: say("pagesHead", { count }),
    isPart: false,
    paragraphs: [say(working === count ? "worksOnAll" : "worksOnSome", { working, count })],
    table: [head, ...rows, ...failed],
    items: unvisited.map(({ url, code }) => ({ text: stripControls(scanErrorMessage(code, url, locale, texts)), notes: [] })),
  };
}

function pageSections(page: PageProof, proof: Proof, say: Say): readonly TextSection[] {
  const { comparison, canaries } = page;
  return [
    {
      ...emptySection,
      heading: stripControls(page.url),
      isPart: false,
      paragraphs: [
        verdictSentence({ ...comparison, canaries }, say),
        ...(comparison.noise > 0 ? [say("noise", { count: comparison.noise })] : []),
        ...(page.serviceWorker ? [say("serviceWorker")] : []),
        ...scoreSentence(page, say),
      ],
      items: changedItems(page, say),
    },
    ...blockedSection(comparison.blocked, proof, say),
    ...listSection(say("changesHead"), changeSentences(comparison, say), say),
    ...listSection(
      say("canariesHead"),
      canaries.map((canary) => say("canary", { name: canaryName(canary, say), outcome: say(`canaryOutcomes/${canary.outcome}`) })),
      say,
    ),
  ];
}

function scoreSentence({ before, after }: PageProof, say: Say): readonly string[] {
  if (before === null || after === null) return [];
  const score = (value: number | null) => (value === null ? say("noScore") : value);
  return [say("score", { before: score(before.score), after: score(after.score) })];
}

function changedItems(page: PageProof, say: Say): TextSection["items"] {
  const rows = changedRows(page).slice(0, listedMax);
  const texts = rows.map(({ key, before, after }) => say("row", { key, before: say(`states/${before}`), after: say(`states/${after}`) }));
  const unread = rows.some(({ because }) => because === "header-truncated") ? [say("unreadRows")] : [];
  return [...texts, ...unread].map((text) => ({ text, notes: [] }));
}

function blockedSection(blocked: readonly BlockedByPolicy[], proof: Proof, say: Say): readonly TextSection[] {
  if (blocked.length === 0) return [];
  const policies = policiesIn(headersToCopy(proof));
  const ways = blocked.map((one) => wayToAllow(one, proof.origin, policies));
  const items = blocked.slice(0, listedMax).map((one, at) => {
    const { way = "unknown-code", ...words } = ways[at] ?? {};
    const place = one.file === null ? "" : one.line === null ? one.file : `${one.file}:${one.line}`;
    const values = { directive: one.directive, what: one.url || say(`kinds/${one.kind}`), place };
    return { text: say(place === "" ? "blockedItem" : "blockedItemAt", values), notes: [say(`allow/${way}`, { ...words })] };
  });
  const lines = allowingDirectives(ways).map(stripControls);
  return [
    { ...emptySection, heading: say("blockedHead"), items, remarks: moreThan(blocked.length, say) },
    ...(blocked.length < 2 || lines.length === 0 ? [] : [{ ...emptySection, heading: say("allowingHead"), lines }]),
  ];
}

function moreThan(total: number, say: Say): readonly string[] {
  return total > listedMax ? [say("more", { count: total - listedMax })] : [];
}

/** Nothing for an empty list. */
function listSection(heading: string, texts: readonly string[], say: Say): readonly TextSection[] {
  if (texts.length === 0) return [];
  const items = texts.slice(0, listedMax).map((text) => ({ text, notes: [] }));
  return [{ ...emptySection, heading, items, remarks: moreThan(texts.length, say) }];
}

function headerSection(answer: ProofAnswer, say: Say): readonly TextSection[] {
  const { proof, server } = answer;
  const { rung, costs } = proof;
  const lines = linesToCopy(answer);
  if (lines.length === 0) return [];
  const heading =
    proofVerdict(proof) !== "works" ? say("triedHeaders") : rung === null ? say("headers") : say("draft", { rung: say(`rungs/${rung}`) });
  const unsaid = server !== null && serverLines(answer, server) === null ? [say("notExpressed", { server: serverLabel(server) })] : [];
  return [{ ...emptySection, heading, lines, remarks: [...unsaid, ...costs.map((cost) => say(`costs/${cost}`))] }];
}

function unneededSection({ unneeded }: Proof, say: Say): readonly TextSection[] {
  const texts = unneeded.map((one) => unneededSentence(one, say));
  return listSection(say("unneededHead"), texts, say).map((section) => ({ ...section, paragraphs: [say("unneededMeans")] }));
}

/** Lines for the wanted server, or else the fields. */
export function linesToCopy(answer: ProofAnswer): readonly string[] {
  const lines = answer.server === null ? null : serverLines(answer, answer.server);
  const fields = headersToCopy(answer.proof).flatMap(({ name, value }) => (value === null ? [] : [`${name}: ${value}`]));
  return (lines ?? fields).map(stripControls);
}

/** Null if the server cannot express one of the values. */
function serverLines({ proof, sentToday }: ProofAnswer, server: ServerName): readonly string[] | null {
  const fixes = headersToCopy(proof).flatMap(({ name, value }): readonly Fix[] => {
    const replaces = sentToday.includes(name.toLowerCase());
    if (value === null) return replaces ? [{ kind: "remove-header", name }] : [];
    return [replaces ? replaceHeader(name, value) : setHeader(name, value)];
  });
  return linesFor(server, fixes, {})?.split("\n") ?? null;
}

export function sectionsText(sections: readonly TextSection[], style: ReportStyle): string {
  const lines = (texts: readonly string[], depth: number) => texts.flatMap((text) => wrapped(text, indent.repeat(depth), style));
  const texts = sections.map((section) => [
    ...(section.isPart ? lines([section.heading], 1) : [section.heading]),
    ...lines(section.paragraphs, 1),
    ...(section.table.length === 0
      ? []
      : [
          "",
          ...table(section.table)
            .split("\n")
            .map((line) => indent + line),
          "",
        ]),
    ...section.items.flatMap(({ text, notes }) => [...lines([text], 2), ...lines(notes, 3)]),
    ...section.lines.map((line) => indent.repeat(2) + line),
    ...lines(section.remarks, section.lines.length > 0 ? 1 : 2),
  ]);
  return texts.map((section) => section.join("\n").trimEnd()).join("\n\n");
}
