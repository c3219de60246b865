/** Mail about one or more events: grouped by site, the worst site first. */
import { type Severity, severities, worstFirst } from "../check/check.ts";
import { type Rank, standing } from "../judge/result.ts";
import type { EventData, EventFinding, EventSite, EventType, StoredEvent } from "../store/site-events.ts";
import type { SiteHistoryEntry } from "../store/site-runs.ts";
import type { TextValues } from "../text/i18n.ts";
import { isConnectionFailure, pageChangeText, policyBlockText, unmeasuredReason } from "../text/render.ts";
import { capitalised } from "../text/translator.ts";
import { cutText, type MailBlock, type MailContent, type MailFigure, type MailSection, subjectCharsMax } from "./mail-frame.ts";
import type { ChannelMailContext, MailWords } from "./mail-text.ts";
import type { SiteMeasurements } from "./site-measurements.ts";

/** Sites in detail: mail programs cut HTML of more than 100 KB, and with it the link that ends the mails. */
const sitesInDetailMax = 10;
/** Sites in detail and in one line each; further ones are counted. */
const sitesShownMax = 50;
/** Findings of one list: what a mail shows fits on a screen. */
const findingsShownMax = 3;
/** Ended scans that are listed. */
const scansShownMax = 50;
/** Characters of a name that a subject keeps, even if its end is cut. */
const subjectNameCharsMin = 12;

/** What a mail says of a type of event. */
interface EventText<T extends EventType> {
  /** Whether something has become worse or better. */
  readonly tone: "worse" | "better" | "neutral";
  /** Compares events of the type, 0 to 999: lower is worse. Absent where all are alike. */
  readonly detailOf?: (data: EventData[T]) => number;
  /** Clause for the subject. */
  readonly short: (words: MailWords, data: EventData[T]) => string;
  /** Blocks of the site. Absent where short text and scores say all, and for events of the account. */
  readonly long?: (words: MailWords, data: EventData[T], site: EventSite) => readonly MailBlock[];
  /** What the reader should do. */
  readonly todo: (words: MailWords, data: EventData[T]) => string;
}

/** By type, the worst first. */
const eventTexts: { readonly [T in EventType]: EventText<T> } = {
  "site.unreachable": {
    tone: "worse",
    short: (words, { errorCode }) => words.t(isConnectionFailure(errorCode) ? "short.unreachable" : "short.notMeasured"),
    todo: (words) => words.t("todo.unreachable"),
    long: (words, data, site) => {
      const because = unmeasuredReason(data, site.url, words.locale, words.texts);
      return [line([words.t("long.unreachable", { since: words.dateTime(data.since) }), because ?? ""].join(" ").trim())];
    },
  },
  "site.score_dropped": {
    tone: "worse",
    detailOf: ({ from, to }) => 100 - (from - to),
    short: (words, { from, to }) => words.t("short.dropped", { from, to }),
    todo: todoOfPage,
  },
  "finding.opened": {
    tone: "worse",
    detailOf: ({ findings }) => severities.indexOf(worstOf(findings)),
    short: (words, { findings }) => words.count("short.opened", findings.length, { severity: words.severity(worstOf(findings)) }),
    long: (words, data) => findingBlocks("long.opened", words, data),
    todo: todoOfPage,
  },
  "policy.broken": {
    tone: "worse",
    short: (words) => words.t("short.policyBroken"),
    todo: (words) => words.t("todo.policyBroken"),
    long: (words, { url, since, blocked, blockedDropped }) => {
      const items = blocked.map((one) => policyBlockText(one, words.locale, words.texts));
      return [
        line(words.t("long.policyBroken", { url, since: words.dateTime(since) })),
        { kind: "list", items: blockedDropped > 0 ? [...items, words.count("long.moreBlocked", blockedDropped)] : items },
      ];
    },
  },
  "certificate.expiring": {
    tone: "worse",
    detailOf: ({ daysLeft }) => Math.min(Math.max(daysLeft, 0), detailMax - 1),
    short: (words, { daysLeft }) => (daysLeft > 0 ? words.count("short.expiring", daysLeft) : words.t("short.expired")),
    todo: (words, { daysLeft }) => words.t(daysLeft > 0 ? "todo.expiring" : "todo.expired"),
    long: (words, { expiresAt, daysLeft }) => {
      const values: TextValues = { date: words.date(expiresAt) };
      return [line(daysLeft > 0 ? words.count("long.expiring", daysLeft, values) : words.t("long.expired", values))];
    },
  },
  "finding.unstable": {
    tone: "neutral",
    todo: (words) => words.t("todo.unstable"),
    short: (words) => words.t("short.unstable"),
    long: (words, data) => findingBlocks("long.unstable", words, data),
  },
  "site.recovered": {
    tone: "better",
    todo: (words) => words.t("todo.nothing"),
    short: (words) => words.t("short.recovered"),
    long: (words, { since }) => [line(words.t("long.recovered", { since: words.dateTime(since) }))],
  },
  "policy.recovered": {
    tone: "better",
    todo: (words) => words.t("todo.nothing"),
    short: (words) => words.t("short.policyRecovered"),
    long: (words, { url, since }) => [line(words.t("long.policyRecovered", { url, since: words.dateTime(since) }))],
  },
  "finding.resolved": {
    tone: "better",
    todo: (words) => words.t("todo.nothing"),
    short: (words, { findings }) => words.count("short.resolved", findings.length),
    long: (words, data) => findingBlocks("long.resolved", words, data),
  },
  "catalog.changed": { tone: "neutral", short: (words) => words.t("short.catalog"), todo: (words) => words.t("todo.nothing") },
  "scan.finished": { tone: "neutral", short: scanText, todo: (words) => words.t("todo.scan") },
  "proof.finished": { tone: "neutral", short: proofText, todo: (words) => words.t("todo.proof") },
};
const order = Object.keys(eventTexts);
/** Events of one type are compared by a detail below this. */
const detailMax = 1_000;

/** Texts of the type of this event; its data are of that type. */
function textsOf({ type }: StoredEvent): EventText<EventType> {
  return eventTexts[type] as EventText<EventType>;
}

interface SiteEvents {
  readonly site: EventSite;
  /** The worst first; at least one. */
  readonly events: readonly [StoredEvent, ...StoredEvent[]];
}

export type DigestContext = Pick<ChannelMailContext, "words" | "address" | "measurementsOf">;

/** Types of a later release are left out. */
export function digestOf(all: readonly StoredEvent[], context: DigestContext): MailContent {
  const { words } = context;
  const events = all.filter(({ type }) => order.includes(type)).toSorted((one, other) => weightOf(one) - weightOf(other));
  const sites = sitesOf(events);
  const ofAccount = events.filter(({ site }) => site === null);
  const [worst] = events;
  const subject = worst === undefined ? words.t("digest.account") : subjectOf(worst, sites, words);
  const inDetail = sites.slice(0, sitesInDetailMax);
  return {
    subject,
    title: sites.length <= 1 ? subject : countOfSites(sites, words),
    sections: [
      ...inDetail.map((one) => siteSection(one, context, sites.length > 1)),
      ...furtherSection(sites.slice(sitesInDetailMax), context),
      ...accountSection(ofAccount, context),
    ],
  };
}

/** Sites in the order of their worst events. */
function sitesOf(events: readonly StoredEvent[]): readonly SiteEvents[] {
  const groups = Map.groupBy(events, ({ site }) => site?.id);
  return [...groups.values()].flatMap(([worst, ...others]) => {
    const site = worst?.site ?? null;
    return worst === undefined || site === null ? [] : [{ site, events: [worst, ...others] }];
  });
}

/** Lower is worse. */
function weightOf(event: StoredEvent): number {
  return order.indexOf(event.type) * detailMax + (textsOf(event).detailOf?.(event.data) ?? 0);
}

function worstOf(findings: readonly EventFinding[]): Severity {
  return severities.find((severity) => findings.some((one) => one.severity === severity)) ?? "info";
}

function isWorse({ events: [worst] }: SiteEvents): boolean {
  return textsOf(worst).tone === "worse";
}

function countOfSites(sites: readonly SiteEvents[], words: MailWords): string {
  const worse = sites.filter(isWorse).length;
  return worse > 0 ? words.count("digest.worse", worse) : words.count("digest.news", sites.length);
}

/** A name that is too long loses its end, rather than the subject what has happened. */
function subjectOf(worst: StoredEvent, sites: readonly SiteEvents[], words: MailWords): string {
  const what = textsOf(worst).short(words, worst.data);
  const named = (site: string) => {
    const one = words.t("digest.one", { site, what });
    return sites.length <= 1 ? one : words.t("digest.several", { sites: countOfSites(sites, words), one });
  };
  const name = worst.site?.name ?? ("url" in worst.data ? worst.data.url : words.t("digest.account"));
  return named(cutText(name, Math.max(subjectCharsMax - named("").length, subjectNameCharsMin)));
}

function scanText(words: MailWords, { status, score }: EventData["scan.finished"]): string {
  if (status === "failed") return words.t("short.failed");
  return score === null ? words.t("short.unmeasured") : words.t("short.measured", { score });
}

function proofText(words: MailWords, { status, proven }: EventData["proof.finished"]): string {
  if (status === "failed") return words.t("short.proofFailed");
  return words.t(proven ? "short.proven" : "short.notProven");
}

/** `isOneOfSeveral`: the title of the mail does not say what has happened. */
function siteSection({ site, events }: SiteEvents, context: DigestContext, isOneOfSeveral: boolean): MailSection {
  const { words, address } = context;
  const [worst] = events;
  const { tone, short, todo } = textsOf(worst);
  const measured = context.measurementsOf(site, events);
  const buttons = linksOf(site, events, measured);
  return {
    tone,
    blocks: [
      // By default, the name of a site is its host: title and address say it already.
      ...(isOneOfSeveral || site.name !== URL.parse(site.url)?.host ? [{ kind: "heading", text: site.name } as const] : []),
      { kind: "note", text: site.url },
      ...(isOneOfSeveral ? [{ kind: "statement", text: capitalised(short(words, worst.data), words) } as const] : []),
      ...(begins.includes(worst.type) ? [line(words.t("digest.since", { since: words.dateTime(measured.since) }))] : []),
      ...figureBlocks(events, measured, words),
      ...pageLines(events, words),
      ...events.flatMap((event) => textsOf(event).long?.(words, event.data, site) ?? []),
      { kind: "todo", label: words.t("todo.label"), text: todo(words, worst.data) },
      ...buttons.map(({ label, path }, at): MailBlock => {
        const target = { label: words.t(label), url: `${address}${path}` };
        return at === 0 ? { kind: "button", ...target } : { kind: "link", ...target };
      }),
    ],
  };
}

/** Events that say themselves nothing of their time. */
const begins: readonly EventType[] = ["site.score_dropped", "finding.opened", "finding.unstable"];

type SiteLink = { readonly label: "layout.changes" | "layout.report" | "layout.site"; readonly path: string };

/** The first one is the button: what has changed, where two scans show it. */
function linksOf(site: EventSite, events: SiteEvents["events"], { before, after }: SiteMeasurements): readonly SiteLink[] {
  const page: SiteLink = { label: "layout.site", path: `/sites/${site.id}` };
  const newest = events.filter(({ token }) => token !== null).toSorted((one, other) => other.seq - one.seq)[0];
  if (newest?.token == null) return [page];
  if (before === null || after === null) return [{ label: "layout.report", path: `/scans/${newest.token}` }, page];
  return [{ label: "layout.changes", path: `/scans/${after.token}/compare?with=${before.token}` }, page];
}

/** Scores before and after, or the days of a certificate. */
function figureBlocks(events: SiteEvents["events"], { before, after }: SiteMeasurements, words: MailWords): readonly MailBlock[] {
  const [worst] = events;
  if (worst.type === "certificate.expiring") return certificateBlocks(worst.data, words);
  const dropped = events.find((event) => event.type === "site.score_dropped");
  const [from, to] = [dropped?.data.from ?? before?.score, dropped?.data.to ?? after?.score];
  const figures = [
    ...(from === undefined ? [] : [scoreFigure("figures.before", from, before, words)]),
    ...(to === undefined ? [] : [scoreFigure("figures.now", to, after, words)]),
  ];
  if (worst.type === "site.unreachable" && from !== undefined)
    figures.push({ label: words.t("figures.now"), value: words.t("figures.unmeasured"), score: null, note: words.t("figures.unmeasured") });
  return figures.length === 0 ? [] : [{ kind: "figures", figures }];
}

/** Score and rank; with the time of the measurement if it had this score. */
function scoreFigure(
  label: "figures.before" | "figures.now",
  score: number,
  measured: SiteHistoryEntry | null,
  words: MailWords,
): MailFigure {
  const rank: Rank = standing(score).rank;
  const value = words.t("figures.score", { score: words.number(score) });
  const at = measured?.score === score ? words.dateTime(measured.at) : undefined;
  return { label: words.t(label), value, score, note: capitalised(words.rank(rank), words), at };
}

function certificateBlocks({ daysLeft }: EventData["certificate.expiring"], words: MailWords): readonly MailBlock[] {
  const value = daysLeft > 0 ? words.count("figures.days", daysLeft) : words.t("figures.expired");
  return [{ kind: "figures", figures: [{ label: words.t("figures.certificate"), value }] }];
}

/** Sites in one line each. */
function furtherSection(sites: readonly SiteEvents[], { words, address }: DigestContext): readonly MailSection[] {
  if (sites.length === 0) return [];
  const shown = sites.slice(0, sitesShownMax - sitesInDetailMax);
  const hidden = sites.length - shown.length;
  const lines = shown.map(({ site, events: [worst] }) =>
    words.t("digest.one", { site: site.name, what: textsOf(worst).short(words, worst.data) }),
  );
  const blocks: readonly MailBlock[] = [
    { kind: "heading", text: words.t("digest.further") },
    { kind: "list", items: hidden > 0 ? [...lines, words.count("digest.moreSites", hidden)] : lines },
    { kind: "link", label: words.t("digest.overview"), url: `${address}/sites` },
  ];
  return [{ tone: sites.some(isWorse) ? "worse" : "neutral", blocks }];
}

function findingBlocks(
  path: "long.opened" | "long.resolved" | "long.unstable",
  words: MailWords,
  { findings }: EventData["finding.opened"],
): readonly MailBlock[] {
  const sorted = findings.toSorted(worstFirst);
  const shown = sorted.slice(0, findingsShownMax).map(({ code, checkKey, severity }) => {
    const { texts, locale } = words;
    const title = texts.translate(locale, ["checks", texts.checkDeclaring(code) ?? checkKey, "findings", code, "title"]) ?? code;
    return { severity, name: words.severity(severity), title };
  });
  const hidden = findings.length - shown.length;
  const counts = severities.flatMap((severity) => {
    const count = findings.filter((one) => one.severity === severity).length;
    return count === 0 ? [] : [{ severity, text: `${words.number(count)} ${words.severity(severity)}` }];
  });
  const more = hidden > 0 ? words.count("digest.more", hidden) : null;
  return [{ kind: "findings", label: words.count(path, findings.length), counts, shown, more, isResolved: path === "long.resolved" }];
}

function rulesText(words: MailWords, { sites, changed = 0, largestChange }: EventData["catalog.changed"]): string {
  const parts = [
    words.t("long.catalog"),
    ...(sites === undefined ? [] : [words.count("long.catalogSites", sites), words.count("long.catalogMoved", changed)]),
    ...(largestChange == null ? [] : [words.t("long.catalogLargest", { ...largestChange, site: largestChange.site.name })]),
  ];
  return parts.join(" ");
}

function accountSection(events: readonly StoredEvent[], { words, address }: DigestContext): readonly MailSection[] {
  const [worst] = events;
  if (worst === undefined) return [];
  const scans = events.flatMap((event) => (event.type === "scan.finished" || event.type === "proof.finished" ? [event] : []));
  const rules = events.flatMap((event) => (event.type === "catalog.changed" ? [line(rulesText(words, event.data))] : []));
  const hidden = scans.length - scansShownMax;
  const blocks: readonly MailBlock[] = [
    { kind: "heading", text: words.t("digest.account") },
    ...rules,
    ...scans.slice(0, scansShownMax).flatMap((event): readonly MailBlock[] => {
      const { url, token } = event.data;
      const [what, link] =
        event.type === "scan.finished"
          ? [scanText(words, event.data), { label: words.t("layout.report"), url: `${address}/scans/${token}` }]
          : [proofText(words, event.data), { label: words.t("layout.proof"), url: `${address}/proofs/${token}` }];
      return [line(words.t("long.scan", { url, what })), { kind: "link", ...link }];
    }),
    ...(hidden > 0 ? [line(words.count("digest.more", hidden))] : []),
    { kind: "todo", label: words.t("todo.label"), text: textsOf(worst).todo(words, worst.data) },
    ...(rules.length > 0 ? [{ kind: "button", label: words.t("digest.overview"), url: `${address}/sites` } as const] : []),
  ];
  return [{ tone: "neutral", blocks }];
}

/** Why the page is not judged as before, once for all events of the site; nothing if it is the same page. */
function pageLines(events: readonly StoredEvent[], { locale, texts }: MailWords): readonly MailBlock[] {
  const [page] = events.flatMap(({ data }) => ("page" in data ? (data.page ?? []) : []));
  return page === undefined ? [] : [line(pageChangeText(page, locale, texts))];
}

function todoOfPage(words: MailWords, { page }: EventData["site.score_dropped"] | EventData["finding.opened"]): string {
  return words.t(page === undefined ? "todo.worse" : "todo.otherPage");
}

function line(text: string): MailBlock {
  return { kind: "line", text };
}
