/** Reads the state of a watched site from all its views, and fails unless all of them say the same. */
import { expect } from "vitest";
import german from "../../locales/de-de.json" with { type: "json" };
import english from "../../locales/en-gb.json" with { type: "json" };

const locales = { "en-gb": english, "de-de": german };

export interface SeenState {
  readonly score: number;
  /** Findings that are being confirmed; null for none. */
  readonly unconfirmed: number | null;
}

export interface SiteViews {
  readonly locale: keyof typeof locales;
  /** As the API shows it. */
  readonly site: {
    readonly id: number;
    readonly client: string | null;
    readonly failingSince: string | null;
    readonly reading: { readonly score: number; readonly open: number; readonly unconfirmed?: number | undefined };
  };
  readonly history: number | undefined;
  readonly trend: number | undefined;
  readonly html: (path: string) => Promise<string>;
  /** Text of `/metrics/sites`. */
  readonly metrics: () => Promise<string>;
  /** Text of the client's PDF; absent where no browser prints. */
  readonly pdf?: (path: string) => Promise<string>;
}

/** What one view shows; `failing`: that the last run could not measure the site. */
interface ShownState extends SeenState {
  readonly open: number;
  readonly failing: boolean;
}

const inTable = /class="score-small"[\s\S]*?<strong>(\d+)<\/strong>/;
const inFacts = /class="score-small"[\s\S]*?<strong>(\d+)|<dt[^>]*>(?:Score|Punktzahl)<\/dt><dd[^>]*>\D*(\d+)/;
const inBadge = /id="badge"[\s\S]*?<title>[^<]*?: (\d+)/;

function numberIn(text: string, pattern: RegExp): number | null {
  const found = pattern
    .exec(text)
    ?.slice(1)
    .find((group) => group !== undefined);
  return found === undefined ? null : Number(found);
}

/**
 * Fails unless list, site, badge, client page, client report and PDF, API, metrics, history and trend show the same; returns what they
 * show. The client has this site only.
 */
export async function agreedState({ locale, site, history, trend, html, metrics, pdf }: SiteViews): Promise<SeenState> {
  const { reading, failingSince } = site;
  const seen: SeenState = { score: reading.score, unconfirmed: reading.unconfirmed ?? null };
  const shown: ShownState = { ...seen, open: reading.open, failing: failingSince !== null };
  const words = locales[locale].pages.sites;
  const { one, other } = words.unconfirmed.findings;
  const waiting = new RegExp(`(\\d+) (?:${[one, other].map((text) => text.replace("{{count}} ", "")).join("|")})`);
  const open = new RegExp(`(?:data-label="${words.columns.open}">(?:<div>)?|<dt[^>]*>${words.columns.open}</dt><dd[^>]*>)(\\d+)`);
  const waitingIn = (text: string) => (text.includes(words.unconfirmed.score) ? 0 : numberIn(text, waiting));
  const stateIn = (text: string, score: RegExp): ShownState => ({
    score: numberIn(text, score) ?? Number.NaN,
    unconfirmed: waitingIn(text),
    open: numberIn(text, open) ?? Number.NaN,
    failing: text.includes(`>${words.marks.failing}<`),
  });
  const list = (await html("/sites")).split("<tr").find((row) => row.includes(`/sites/${site.id}"`)) ?? "";
  const client = `/clients/${encodeURIComponent(site.client ?? "")}`;
  const page = await html(`/sites/${site.id}`);
  const views: Record<string, ShownState> = {
    list: stateIn(list, inTable),
    client: stateIn(await html(client), inTable),
    report: stateIn(await html(`${client}/report.html`), inTable),
    site: stateIn(page, inFacts),
    badge: stateIn(page, inBadge),
  };
  expect(views).toEqual(Object.fromEntries(Object.keys(views).map((name) => [name, shown])));
  expect({ history, trend }).toEqual({ history: seen.score, trend: seen.score });
  const scraped = await metrics();
  const gauge = (name: string) => numberIn(scraped, new RegExp(`^${name}\\{site="${site.id}",.*\\} (\\d+)$`, "m"));
  expect([gauge("assay_site_score"), gauge("assay_site_open_findings")]).toEqual([shown.score, shown.open]);
  if (pdf !== undefined) {
    const text = (await pdf(`${client}/report.pdf`)).replace(/\s+/g, " ");
    const printed = (name: string) => numberIn(text, new RegExp(`${name} (\\d+)`));
    expect({
      score: printed(words.clientPage.lowest),
      unconfirmed: waitingIn(text),
      open: printed(words.columns.open),
      // The words of the mark are part of another sentence, too.
      failing: text.includes(words.site.failing.split("{{since}}").at(-1) ?? ""),
    }).toEqual(shown);
  }
  return seen;
}

/** Event about a site as its webhook says it. */
export interface ReportedEvent {
  readonly type: string;
  readonly data: {
    readonly from?: number;
    readonly to?: number;
    readonly findings?: readonly { readonly code: string }[];
    readonly daysLeft?: number;
  };
}

/** Fails unless the mail names the site, and says of each event what its webhook says. `score`: what all views show at that time. */
export function expectAgreedMail(
  { locale, name, url, id }: { readonly locale: keyof typeof locales; readonly name: string; readonly url: string; readonly id: number },
  { subject = "", text: sent = "" }: { readonly subject?: string | undefined; readonly text?: string | undefined },
  events: readonly ReportedEvent[],
  score: number,
): void {
  const text = sent.replace(/\s+/g, " ");
  const { short, long, figures } = locales[locale].mail;
  const scoreIn = (label: string) => numberIn(text, new RegExp(`${label}: ${figures.score.replace("{{score}}", "(\\d+)")}`));
  const countIn = ({ one, other }: { readonly one: string; readonly other: string }) =>
    numberIn(text, new RegExp([one, other].map((label) => label.replace("{{count}}", "(\\d+)")).join("|")));
  const eventOf = (type: string) => events.find((event) => event.type === type)?.data;
  expect(subject).toContain(name);
  expect(text).toContain(url);
  expect(text).toContain(`/sites/${id} `);
  const dropped = eventOf("site.score_dropped");
  if (dropped !== undefined) {
    expect(subject).toBe(`${name}: ${short.dropped.replace("{{from}}", String(dropped.from)).replace("{{to}}", String(dropped.to))}`);
    expect([scoreIn(figures.before), scoreIn(figures.now)]).toEqual([dropped.from, dropped.to]);
  }
  const isUnreachable = eventOf("site.unreachable") !== undefined;
  if (isUnreachable) {
    expect([short.unreachable, short.notMeasured].map((what) => `${name}: ${what}`)).toContain(subject);
    expect([scoreIn(figures.before), text.includes(`${figures.now}: ${figures.unmeasured}`)]).toEqual([score, true]);
  }
  if (eventOf("site.recovered") !== undefined) expect(subject).toBe(`${name}: ${short.recovered}`);
  // What a mail shows as the score of now is what all views show.
  if (!isUnreachable && eventOf("certificate.expiring") === undefined) expect(scoreIn(figures.now)).toBe(score);
  expect({ opened: countIn(long.opened), resolved: countIn(long.resolved) }).toEqual({
    opened: eventOf("finding.opened")?.findings?.length ?? null,
    resolved: eventOf("finding.resolved")?.findings?.length ?? null,
  });
}
