/** `/badge/{host}.svg` and `/badge/{host}.json`: newest result of a host, for pages of other sites. The JSON has the form of a Shields endpoint. */
import { dayMs } from "../../base/units.ts";
import { standing } from "../../judge/result.ts";
import { listedScoreOf } from "../../store/scan-record.ts";
import type { ScanRecord } from "../../store/scans.ts";
import type { SiteHistoryEntry } from "../../store/site-runs.ts";
import type { Store } from "../../store/store.ts";
import { toneOf } from "../../text/score-tone.ts";
import { createI18n, type I18n } from "../../text/translator.ts";
import { notFound } from "../errors.ts";
import { toneColors } from "../picture/share-picture.ts";
import { respond } from "../response.ts";
import { endOf, hostFromSegment, locationOf } from "../scans/list-query.ts";
import type { Visit } from "../visit.ts";

/** A host is scanned once an hour at most by a schedule. */
const cacheSeconds = 3_600;
/** Lifetime of a badge without a result: the next scan changes it. */
const greyCacheSeconds = 600;
const schemaVersion = 1;

export interface Badge {
  readonly label: string;
  readonly message: string;
  /** `#rrggbb`. */
  readonly color: string;
  readonly cacheSeconds: number;
}

/** @throws PageError 404 for an invalid host and for another extension; null means invalid percent-encoding. */
export function getBadge(visit: Visit, file: string | null): Response {
  const [, name = "", extension] = /^(.+)\.(svg|json)$/.exec(file ?? "") ?? [];
  const host = hostFromSegment(name);
  if (host === null) throw notFound();
  const badge = badgeOf(visit, host);
  // Equal for all visitors, so it stores nothing at any of them.
  const anybody = { ...visit, setCookies: [] };
  // Pages of other sites show it, which is its purpose.
  const headers = { "cache-control": `public, max-age=${badge.cacheSeconds}`, "cross-origin-resource-policy": "cross-origin" };
  if (extension === "json") {
    const { color, ...others } = badge;
    const json = JSON.stringify({ schemaVersion, ...others, color: color.slice(1) });
    return respond(anybody, 200, json, { ...headers, "content-type": "application/json", "access-control-allow-origin": "*" });
  }
  const svgHeaders = { "content-type": "image/svg+xml; charset=utf-8", "content-security-policy": "default-src 'none'" };
  return respond(anybody, 200, badgeSvg(badge), { ...headers, ...svgHeaders });
}

/** Newest result of exactly this host; undefined without one. */
function newestScan({ publicScans }: Pick<Store, "publicScans">, host: string, locations: readonly string[]): ScanRecord | undefined {
  const newest = locations.flatMap((location) => publicScans.list({ host, exactly: true, location, limit: 1, cursor: null }).items);
  return newest.toSorted((one, other) => (endOf(one) < endOf(other) ? 1 : -1))[0];
}

/** Depends on the URL alone, and on no cookie or header of the visitor: caches have one answer for all. */
function badgeOf({ url, now, settings }: Visit, host: string): Badge {
  const { texts, config, store } = settings;
  const { searchParams } = url;
  const i18n = createI18n(texts, texts.locales.find((locale) => locale === searchParams.get("locale")) ?? config["locale.default"]);
  const grey = { label: i18n.t("badge.label"), color: toneColors.unknown, cacheSeconds: greyCacheSeconds };
  const unknown = { ...grey, message: i18n.t("badge.unknown") };
  if (config.readers !== "everybody") return unknown;
  const location = locationOf(searchParams);
  const scan = newestScan(store, host, location === null ? store.publicScans.locationsOfHost(host) : [location]);
  if (scan === undefined) return unknown;
  const at = endOf(scan);
  const date = at.slice(0, "2026-11-20".length);
  const { score } = listedScoreOf(scan.summary);
  if (score === null) return { ...grey, message: i18n.t("badge.notMeasured", { date }) };
  const days = Math.floor((now.getTime() - Date.parse(at)) / dayMs);
  if (days > config["report.stale_days"]) return { ...grey, message: i18n.t("badge.stale", { date }) };
  return { ...resultBadge(i18n, { score, at }), cacheSeconds };
}

/** Badge of a score that is current. */
export function resultBadge(i18n: I18n, { score, at }: Pick<SiteHistoryEntry, "score" | "at">): Omit<Badge, "cacheSeconds"> {
  const date = at.slice(0, "2026-11-20".length);
  return {
    label: i18n.t("badge.label"),
    message: i18n.t("badge.result", { score, date }),
    color: toneColors[toneOf(standing(score).rank)],
  };
}

// Drawing of a badge: label and message side by side. It needs no font of its own, no style and no script.

const heightPx = 20;
const fontPx = 11;
/** Left and right of each text. */
const paddingPx = 6;
const baselinePx = 14;
const labelColor = "#3b4148";
/** Keeps the drawing small whatever the texts are. */
const textCharsMax = 60;
/** Advance widths of Verdana in hundredths of the font size: the widest of the fonts named below. */
const widthGroups: readonly (readonly [chars: string, width: number])[] = [
  ["ijl'|", 30],
  [" ft.,:;!()[]/-", 42],
  ["rsczJI", 52],
  ["mwMW%@", 98],
  ["ABCDEFGHKLNOPQRSTUVXYZ", 74],
];
const otherWidth = 64;
const widths = new Map(widthGroups.flatMap(([chars, width]) => [...chars].map((char): [string, number] => [char, width])));

export function badgeSvg({ label, message, color }: Pick<Badge, "label" | "message" | "color">): string {
  const [left, right] = [label, message].map((text) => text.slice(0, textCharsMax)) as [string, string];
  const [leftPx, rightPx] = [boxPx(left), boxPx(right)];
  const name = Bun.escapeHTML(`${left}: ${right}`);
  const size = `width="${leftPx + rightPx}" height="${heightPx}" viewBox="0 0 ${leftPx + rightPx} ${heightPx}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${name}">`,
    `<title>${name}</title>`,
    `<rect width="${leftPx}" height="${heightPx}" fill="${labelColor}"/>`,
    `<rect x="${leftPx}" width="${rightPx}" height="${heightPx}" fill="${color}"/>`,
    `<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="${fontPx}">`,
    textAt(0, left),
    textAt(leftPx, right),
    "</g></svg>",
  ].join("");
}

/** The length is fixed, so that the text fits its box in any font. */
function textAt(boxX: number, text: string): string {
  return `<text x="${boxX + paddingPx}" y="${baselinePx}" textLength="${textPx(text)}" lengthAdjust="spacingAndGlyphs">${Bun.escapeHTML(text)}</text>`;
}

function boxPx(text: string): number {
  return textPx(text) + 2 * paddingPx;
}

function textPx(text: string): number {
  const hundredths = [...text].reduce((sum, char) => sum + (widths.get(char) ?? otherWidth), 0);
  return Math.ceil((hundredths * fontPx) / 100);
}
