/** Mail about one or more events: grouped by site, the worst site first. */
import { type Severity, severities, worstFirst } from "../check/check.ts";
import type { EventData, EventFinding, EventSite, EventType, StoredEvent } from "../store/site-events.ts";
import type { TextValues } from "../text/i18n.ts";
import { scanErrorMessage } from "../text/render.ts";
import type { MailBlock, MailWords } from "./mail-text.ts";

/** Sites in detail; further ones are counted. */
const sitesShownMax = 50;
/** Findings of one list. */
const findingsShownMax = 20;
/** Ended scans that are listed. */
const scansShownMax = 50;
/** Characters of a name and of an address in a subject. */
const subjectNameCharsMax = 80;

/** What a mail says of a type of event. */
interface EventText<T extends EventType> {
  /** Whether something has become worse. */
  readonly worsens?: true;
  /** Compares events of the type, 0 to 999: lower is worse. Absent where all are alike. */
  readonly detailOf?: (data: EventData[T]) => number;
  /** Clause for the subject. */
  readonly short: (words: MailWords, data: EventData[T]) => string;
  /** Blocks below the heading of the site. Absent for events of the account. */
  readonly long?: (words: MailWords, data: EventData[T], site: EventSite) => readonly MailBlock[];
}

/** By type, the worst first. */
const eventTexts: { readonly [T in EventType]: EventText<T> } = {
  "site.unreachable": {
    worsens: true,
    short: (words) => words.t("short.unreachable"),
    long: (words, { since, errorCode }, site) => {
      const because = errorCode === null ? "" : ` ${scanErrorMessage(errorCode, site.url, words.locale, words.texts)}`;
      return [line(`${words.t("long.unreachable", { since: words.dateTime(since) })}${because}`)];
    },
  },
  "site.score_dropped": {
    worsens: true,
    detailOf: ({ from, to }) => 100 - (from - to),
    short: (words, { from, to }) => words.t("short.dropped", { from, to }),
    long: (words, { from, to, rank }) => [line(words.t("long.dropped", { from, to, rank: words.rank(rank) }))],
  },
  "finding.opened": {
    worsens: true,
    detailOf: ({ findings }) => severities.indexOf(worstOf(findings)),
    short: (words, { findings }) => words.count("short.opened", findings.length, { severity: words.severity(worstOf(findings)) }),
    long: (words, data) => findingBlocks("long.opened", words, data),
  },
  "certificate.expiring": {
    worsens: true,
    detailOf: ({ daysLeft }) => Math.min(Math.max(daysLeft, 0), detailMax - 1),
    short: (words, { daysLeft }) => (daysLeft > 0 ? words.count("short.expiring", daysLeft) : words.t("short.expired")),
    long: (words, { expiresAt, daysLeft }) => {
      const values: TextValues = { date: words.date(expiresAt) };
      return [line(daysLeft > 0 ? words.count("long.expiring", daysLeft, values) : words.t("long.expired", values))];
    },
  },
  "finding.unstable": {
    short: (words) => words.t("short.unstable"),
    long: (words, data) => findingBlocks("long.unstable", words, data),
  },
  "site.recovered": {
    short: (words) => words.t("short.recovered"),
    long: (words, { since }) => [line(words.t("long.recovered", { since: words.dateTime(since) }))],
  },
  "finding.resolved": {
    short: (words, { findings }) => words.count("short.resolved", findings.length),
    long: (words, data) => findingBlocks("long.resolved", words, data),
  },
  "catalog.changed": { short: (words) => words.t("short.catalog") },
  "scan.finished": { short: scanText },
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
  /** The worst first. */
  readonly events: readonly StoredEvent[];
}

export interface Digest {
  /** Whether something has become worse. */
  readonly isWorse: boolean;
  readonly subject: string;
  readonly blocks: readonly MailBlock[];
}

/** `address`: URL of the appliance without a slash at its end. Types of a later release are left out. */
export function digestOf(all: readonly StoredEvent[], words: MailWords, address: string): Digest {
  const events = all.filter(({ type }) => order.includes(type)).toSorted((one, other) => weightOf(one) - weightOf(other));
  const sites = sitesOf(events);
  const ofAccount = events.filter(({ site }) => site === null);
  const shown = sites.slice(0, sitesShownMax);
  const hidden = sites.length - shown.length;
  return {
    isWorse: events.some((event) => textsOf(event).worsens),
    subject: subjectOf(events, sites, words),
    blocks: [
      ...shown.flatMap((one) => siteBlocks(one, words, address)),
      ...(hidden > 0 ? [line(words.count("digest.moreSites", hidden)), link(words.t("digest.overview"), `${address}/sites`)] : []),
      ...accountBlocks(ofAccount, words, address),
    ],
  };
}

/** Sites in the order of their worst events. */
function sitesOf(events: readonly StoredEvent[]): readonly SiteEvents[] {
  const groups = Map.groupBy(events, ({ site }) => site?.id);
  return [...groups.values()].flatMap((ofSite) => {
    const site = ofSite[0]?.site ?? null;
    return site === null ? [] : [{ site, events: ofSite }];
  });
}

/** Lower is worse. */
function weightOf(event: StoredEvent): number {
  return order.indexOf(event.type) * detailMax + (textsOf(event).detailOf?.(event.data) ?? 0);
}

function worstOf(findings: readonly EventFinding[]): Severity {
  return severities.find((severity) => findings.some((one) => one.severity === severity)) ?? "info";
}

function subjectOf(events: readonly StoredEvent[], sites: readonly SiteEvents[], words: MailWords): string {
  const [worst] = events;
  if (worst === undefined) return words.t("digest.account");
  const values = { site: nameOf(worst, words), what: textsOf(worst).short(words, worst.data) };
  if (sites.length <= 1) return words.t("digest.one", values);
  const worse = sites.filter((one) => one.events.some((event) => textsOf(event).worsens)).length;
  return worse > 0 ? words.count("digest.worse", worse, values) : words.count("digest.news", sites.length, values);
}

function nameOf(event: StoredEvent, words: MailWords): string {
  const name = event.site?.name ?? (event.type === "scan.finished" ? event.data.url : words.t("digest.account"));
  return name.length <= subjectNameCharsMax ? name : `${name.slice(0, subjectNameCharsMax)}...`;
}

function scanText(words: MailWords, { status, score }: EventData["scan.finished"]): string {
  if (status === "failed") return words.t("short.failed");
  return score === null ? words.t("short.unmeasured") : words.t("short.measured", { score });
}

function siteBlocks({ site, events }: SiteEvents, words: MailWords, address: string): readonly MailBlock[] {
  const newest = events.filter(({ token }) => token !== null).toSorted((one, other) => other.seq - one.seq)[0];
  return [
    { kind: "heading", text: site.name },
    line(site.url),
    ...events.flatMap((event) => textsOf(event).long?.(words, event.data, site) ?? []),
    link(words.t("layout.site"), `${address}/sites/${site.id}`),
    ...(newest?.token == null ? [] : [link(words.t("layout.report"), `${address}/scans/${newest.token}`)]),
  ];
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
    return words.t("long.finding", { severity: words.severity(severity), title });
  });
  const hidden = findings.length - shown.length;
  const items = hidden > 0 ? [...shown, words.count("digest.more", hidden)] : shown;
  return [line(words.count(path, findings.length)), { kind: "list", items }];
}

function rulesText(words: MailWords, { sites, changed = 0, largestChange }: EventData["catalog.changed"]): string {
  const parts = [
    words.t("long.catalog"),
    ...(sites === undefined ? [] : [words.count("long.catalogSites", sites), words.count("long.catalogMoved", changed)]),
    ...(largestChange == null ? [] : [words.t("long.catalogLargest", { ...largestChange, site: largestChange.site.name })]),
  ];
  return parts.join(" ");
}

function accountBlocks(events: readonly StoredEvent[], words: MailWords, address: string): readonly MailBlock[] {
  if (events.length === 0) return [];
  const scans = events.flatMap((event) => (event.type === "scan.finished" ? [event] : []));
  const hidden = scans.length - scansShownMax;
  return [
    { kind: "heading", text: words.t("digest.account") },
    ...events.flatMap((event) => (event.type === "catalog.changed" ? [line(rulesText(words, event.data))] : [])),
    ...scans.slice(0, scansShownMax).flatMap(({ data }) => {
      const { url } = data;
      return [
        line(words.t("long.scan", { url, what: scanText(words, data) })),
        link(words.t("layout.report"), `${address}/scans/${data.token}`),
      ];
    }),
    ...(hidden > 0 ? [line(words.count("digest.more", hidden))] : []),
  ];
}

function line(text: string): MailBlock {
  return { kind: "line", text };
}

function link(label: string, url: string): MailBlock {
  return { kind: "link", label, url };
}
