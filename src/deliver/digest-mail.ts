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

/** The worst first. */
const order: readonly EventType[] = [
  "site.unreachable",
  "site.score_dropped",
  "finding.opened",
  "certificate.expiring",
  "finding.unstable",
  "site.recovered",
  "finding.resolved",
  "catalog.changed",
  "scan.finished",
];
const worsenings: readonly EventType[] = ["site.unreachable", "site.score_dropped", "finding.opened", "certificate.expiring"];
/** Events of one type are compared by a detail below this. */
const detailMax = 1_000;

type EventOf<T extends EventType> = StoredEvent & { readonly type: T; readonly data: EventData[T] };

interface SiteEvents {
  readonly site: EventSite;
  /** The worst first. */
  readonly events: readonly StoredEvent[];
}

export interface Digest {
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
  return order.indexOf(event.type) * detailMax + detailOf(event);
}

function detailOf(event: StoredEvent): number {
  switch (event.type) {
    case "site.score_dropped":
      return 100 - (event.data.from - event.data.to);
    case "finding.opened":
      return severities.indexOf(worstOf(event.data.findings));
    case "certificate.expiring":
      return Math.min(Math.max(event.data.daysLeft, 0), detailMax - 1);
    default:
      return 0;
  }
}

function worstOf(findings: readonly EventFinding[]): Severity {
  return severities.find((severity) => findings.some((one) => one.severity === severity)) ?? "info";
}

function subjectOf(events: readonly StoredEvent[], sites: readonly SiteEvents[], words: MailWords): string {
  const [worst] = events;
  if (worst === undefined) return words.t("digest.account");
  const values = { site: nameOf(worst, words), what: shortText(worst, words) };
  if (sites.length <= 1) return words.t("digest.one", values);
  const worse = sites.filter((one) => one.events.some(({ type }) => worsenings.includes(type))).length;
  return worse > 0 ? words.count("digest.worse", worse, values) : words.count("digest.news", sites.length, values);
}

function nameOf(event: StoredEvent, words: MailWords): string {
  const name = event.site?.name ?? (event.type === "scan.finished" ? event.data.url : words.t("digest.account"));
  return name.length <= subjectNameCharsMax ? name : `${name.slice(0, subjectNameCharsMax)}...`;
}

function shortText(event: StoredEvent, words: MailWords): string {
  switch (event.type) {
    case "site.unreachable":
      return words.t("short.unreachable");
    case "site.score_dropped":
      return words.t("short.dropped", { from: event.data.from, to: event.data.to });
    case "finding.opened":
      return words.count("short.opened", event.data.findings.length, { severity: words.severity(worstOf(event.data.findings)) });
    case "certificate.expiring":
      return event.data.daysLeft > 0 ? words.count("short.expiring", event.data.daysLeft) : words.t("short.expired");
    case "finding.unstable":
      return words.t("short.unstable");
    case "site.recovered":
      return words.t("short.recovered");
    case "finding.resolved":
      return words.count("short.resolved", event.data.findings.length);
    case "catalog.changed":
      return words.t("short.catalog");
    case "scan.finished":
      return scanText(event.data, words);
  }
}

function scanText({ status, score }: EventData["scan.finished"], words: MailWords): string {
  if (status === "failed") return words.t("short.failed");
  return score === null ? words.t("short.unmeasured") : words.t("short.measured", { score });
}

function siteBlocks({ site, events }: SiteEvents, words: MailWords, address: string): readonly MailBlock[] {
  const newest = events.filter(({ token }) => token !== null).toSorted((one, other) => other.seq - one.seq)[0];
  return [
    { kind: "heading", text: site.name },
    line(site.url),
    ...events.flatMap((event) => longBlocks(event, site, words)),
    link(words.t("layout.site"), `${address}/sites/${site.id}`),
    ...(newest?.token == null ? [] : [link(words.t("layout.report"), `${address}/scans/${newest.token}`)]),
  ];
}

function longBlocks(event: StoredEvent, site: EventSite, words: MailWords): readonly MailBlock[] {
  switch (event.type) {
    case "site.unreachable": {
      const { since, errorCode } = event.data;
      const because = errorCode === null ? "" : ` ${scanErrorMessage(errorCode, site.url, words.locale, words.texts)}`;
      return [line(`${words.t("long.unreachable", { since: words.dateTime(since) })}${because}`)];
    }
    case "site.score_dropped": {
      const { from, to, rank } = event.data;
      return [line(words.t("long.dropped", { from, to, rank: words.rank(rank) }))];
    }
    case "finding.opened":
      return findingBlocks("long.opened", event, words);
    case "finding.resolved":
      return findingBlocks("long.resolved", event, words);
    case "finding.unstable":
      return findingBlocks("long.unstable", event, words);
    case "certificate.expiring": {
      const { expiresAt, daysLeft } = event.data;
      const values: TextValues = { date: words.date(expiresAt) };
      return [line(daysLeft > 0 ? words.count("long.expiring", daysLeft, values) : words.t("long.expired", values))];
    }
    case "site.recovered":
      return [line(words.t("long.recovered", { since: words.dateTime(event.data.since) }))];
    default:
      return [];
  }
}

function findingBlocks(
  path: "long.opened" | "long.resolved" | "long.unstable",
  { data: { findings } }: EventOf<"finding.opened" | "finding.resolved" | "finding.unstable">,
  words: MailWords,
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

function accountBlocks(events: readonly StoredEvent[], words: MailWords, address: string): readonly MailBlock[] {
  if (events.length === 0) return [];
  const scans = events.filter((event): event is EventOf<"scan.finished"> => event.type === "scan.finished");
  const hidden = scans.length - scansShownMax;
  return [
    { kind: "heading", text: words.t("digest.account") },
    ...(events.some(({ type }) => type === "catalog.changed") ? [line(words.t("long.catalog"))] : []),
    ...scans.slice(0, scansShownMax).flatMap(({ data }) => {
      const { url } = data;
      return [
        line(words.t("long.scan", { url, what: scanText(data, words) })),
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
