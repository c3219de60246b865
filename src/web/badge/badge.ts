/** `/badge/{host}.svg` and `/badge/{host}.json`: newest result of a host, for pages of other sites. The JSON has the form of a Shields endpoint. */
import { dayMs } from "../../base/units.ts";
import type { ScanRecord } from "../../store/scans.ts";
import type { Store } from "../../store/store.ts";
import { listedScoreOf } from "../../store/summary.ts";
import { createI18n } from "../../text/translator.ts";
import { notFound } from "../errors.ts";
import { bandColors } from "../picture/share-picture.ts";
import { type ResponseHeaders, respond } from "../response.ts";
import { hostFromSegment } from "../scans/host-name.ts";
import { locationOf } from "../scans/list-query.ts";
import { endOf } from "../scans/scan-end.ts";
import type { Visit } from "../visit.ts";
import { badgeSvg } from "./badge-svg.ts";

/** A host is scanned once an hour at most by a schedule. */
const cacheSeconds = 3_600;
/** For a badge that says nothing of a result: the next scan changes it. */
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
  return extension === "json"
    ? respond(anybody, 200, jsonOf(badge), { ...headersOf(badge), "content-type": "application/json", "access-control-allow-origin": "*" })
    : respond(anybody, 200, badgeSvg(badge), {
        ...headersOf(badge),
        "content-type": "image/svg+xml; charset=utf-8",
        "content-security-policy": "default-src 'none'",
      });
}

function headersOf(badge: Badge): ResponseHeaders {
  // Pages of other sites show it, which is its purpose.
  return { "cache-control": `public, max-age=${badge.cacheSeconds}`, "cross-origin-resource-policy": "cross-origin" };
}

function jsonOf({ color, ...badge }: Badge): string {
  return JSON.stringify({ schemaVersion, ...badge, color: color.slice(1) });
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
  const grey = { label: i18n.t("badge.label"), color: bandColors.unknown, cacheSeconds: greyCacheSeconds };
  const unknown = { ...grey, message: i18n.t("badge.unknown") };
  if (config.readers !== "everybody") return unknown;
  const location = locationOf(searchParams);
  const scan = newestScan(store, host, location === null ? store.publicScans.locationsOfHost(host) : [location]);
  if (scan === undefined) return unknown;
  const at = endOf(scan);
  const date = at.slice(0, "2026-11-20".length);
  const { score, band } = listedScoreOf(scan.summary);
  if (score === null) return { ...grey, message: i18n.t("badge.notMeasured", { date }) };
  const days = Math.floor((now.getTime() - Date.parse(at)) / dayMs);
  if (days > config["report.stale_days"]) return { ...grey, message: i18n.t("badge.stale", { date }) };
  return { label: grey.label, message: i18n.t("badge.result", { score, date }), color: bandColors[band], cacheSeconds };
}
