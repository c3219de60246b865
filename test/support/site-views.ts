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
  readonly site: { readonly id: number; readonly client: string | null };
  /** What API, history and trend say. */
  readonly reading: { readonly score: number; readonly unconfirmed?: number | undefined };
  readonly history: number | undefined;
  readonly trend: number | undefined;
  readonly html: (path: string) => Promise<string>;
  /** Text of the client's PDF; absent where no browser prints. */
  readonly pdf?: (path: string) => Promise<string>;
}

const inTable = /class="score-small"[\s\S]*?<strong>(\d+)<\/strong>/;
const inFacts = /class="score-small"[\s\S]*?<strong>(\d+)|<dt[^>]*>(?:Score|Punktzahl)<\/dt><dd[^>]*>\D*(\d+)/;
const inBadge = /id="badge"[\s\S]*?<title>[^<]*?: (\d+)/;

/** Fails unless list, site, badge, client page, client report and PDF, API, history and trend show the same; returns what they show. */
export async function agreedState({ locale, site, reading, history, trend, html, pdf }: SiteViews): Promise<SeenState> {
  const seen: SeenState = { score: reading.score, unconfirmed: reading.unconfirmed ?? null };
  const { one, other } = locales[locale].pages.sites.unconfirmed.findings;
  const waiting = new RegExp(`(\\d+) (?:${[one, other].map((text) => text.replace("{{count}} ", "")).join("|")})`);
  const stateIn = (text: string, score: RegExp): SeenState => {
    const found = waiting.exec(text)?.[1];
    const [, first, second] = score.exec(text) ?? [];
    return { score: Number(first ?? second), unconfirmed: found === undefined ? null : Number(found) };
  };
  const list = (await html("/sites")).split("<tr").find((row) => row.includes(`/sites/${site.id}"`)) ?? "";
  const client = `/clients/${encodeURIComponent(site.client ?? "")}`;
  const page = await html(`/sites/${site.id}`);
  const views: Record<string, SeenState | { score?: number | undefined }> = {
    list: stateIn(list, inTable),
    client: stateIn(await html(client), inTable),
    report: stateIn(await html(`${client}/report.html`), inTable),
    site: stateIn(page, inFacts),
    ...(seen.unconfirmed !== null && { badge: stateIn(page, inBadge) }),
  };
  expect(views).toEqual(Object.fromEntries(Object.keys(views).map((name) => [name, seen])));
  expect({ history, trend }).toEqual({ history: seen.score, trend: seen.score });
  if (pdf !== undefined) {
    const text = await pdf(`${client}/report.pdf`);
    expect([new RegExp(`\\b${seen.score}\\b`).test(text), waiting.exec(text)?.[1] ?? null]).toEqual([
      true,
      seen.unconfirmed === null ? null : String(seen.unconfirmed),
    ]);
  }
  return seen;
}
