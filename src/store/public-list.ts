/**
 * Public list of finished scans: one range of one table for each name and band. Names are domains, which list scans of all locations, and
 * exact hosts, one for each location: a history never mixes locations.
 */
import { type Band, bands } from "../judge/result.ts";
import { localLocation } from "../parse/location.ts";
import { embeddedRegistrableDomainOf, hostOf } from "../parse/site.ts";
import type { Db } from "./database.ts";
import { newestPage, type Page, type PageRequest } from "./page.ts";
import { scanLocationOf } from "./scan-location.ts";
import type { ScanRecord } from "./scan-record.ts";
import { firstKeyParts, newestFirst } from "./table.ts";

/** Listed domains per scan: bounds its rows. A deeper host is listed under itself and so many domains above it. */
const domainNamesMax = 6;
/** Hosts and IPv6 addresses; length from RFC 1035 section 2.3.4. Keeps arbitrary input out of LMDB keys. */
const hostPattern = /^[\w.:-]{1,253}$/;
const any = "";

export interface PublicScanQuery extends PageRequest {
  /** ASCII; an IPv6 address without brackets; case and a trailing dot are ignored. Omitted: every host. */
  readonly host?: string | undefined;
  /** Excludes subdomains, and all locations but one. */
  readonly exactly?: boolean | undefined;
  /** For an exact host; `local` by default. */
  readonly location?: string | undefined;
  /** Omitted: every band. */
  readonly band?: Band | undefined;
}

export function publicScanRepository(db: Db) {
  return {
    /** Finished scans, newest first, from a single range read. Empty for an invalid host. */
    list: ({ host, exactly = false, location = localLocation, band, ...request }: PublicScanQuery): Page<ScanRecord> => {
      const name = host === undefined ? any : nameToSearch(host, exactly ? location : null);
      if (name === null) return { items: [], nextCursor: null };
      return newestPage(db.publicScans, [name, band ?? any], request, ({ value: token }) => db.scans.get(token));
    },

    /** Ids of a location's finished scans of exactly this host, newest first, without reading the scans. Empty for an invalid host. */
    idsOfHost: (host: string, location: string, { limit, cursor }: PageRequest): readonly number[] => {
      const name = nameToSearch(host, location);
      if (name === null) return [];
      return [...db.publicScans.getKeys({ ...newestFirst([name, any], cursor), limit })].map(([, , id]) => id);
    },

    /** Locations with a finished scan of exactly this host: `local` first, then by name. Costs one lookup for each. */
    locationsOfHost: (host: string): readonly string[] => {
      const local = nameToSearch(host, localLocation);
      return local === null ? [] : locationsListed(db, local);
    },
  };
}

/** Id of the finished scan with that rank, from 1 for the newest, among the finished scans of exactly this host and location. */
export function nthNewestOfHost({ publicScans }: Db, host: string, location: string, rank: number): number | undefined {
  const name = nameToSearch(host, location);
  const [key] = name === null ? [] : publicScans.getKeys({ ...newestFirst([name, any]), offset: rank - 1, limit: 1 });
  return key?.[2];
}

/** Under every name that this release, or one with other public suffixes, may have listed it. Only within a transaction. */
export function removeFromPublicList({ publicScans }: Pick<Db, "publicScans">, scan: ScanRecord): void {
  const host = hostOf(scan.url) ?? "";
  const above = host.split(".").map((_label, at, labels) => labels.slice(at).join("."));
  const keys = above.flatMap((name) => [any, ...bands].map((band): [string, string, number] => [name, band, scan.id]));
  for (const key of [...publicKeysOf(scan), ...keys.filter(([name]) => hostPattern.test(name))]) publicScans.remove(key);
}

/** Keys of a finished scan in the public list. */
export function publicKeysOf(scan: ScanRecord): readonly [name: string, band: string, scanId: number][] {
  const { id, summary } = scan;
  const inBands = [any, ...bands.filter((band) => band === summary?.band)];
  return [any, ...namesOf(scan)].flatMap((name) => inBands.map((band): [string, string, number] => [name, band, id]));
}

/** Names that find a scan: the exact host, the host as a domain, and its parent domains. */
function namesOf(scan: Pick<ScanRecord, "url" | "location">): readonly string[] {
  const host = hostOf(scan.url) ?? "";
  return hostPattern.test(host) ? [exactName(host, scanLocationOf(scan)), ...domainsOf(host, embeddedRegistrableDomainOf(host))] : [];
}

/** The host, and the domains above it up to the registrable one. Local names end at their last two labels; an address is listed alone. */
function domainsOf(host: string, registrableDomain: string | null): readonly string[] {
  if (isAddress(host)) return [host];
  const labels = host.split(".");
  const topLabels = registrableDomain?.split(".").length ?? Math.min(2, labels.length);
  const above = labels.map((_label, at) => labels.slice(at).join(".")).slice(0, labels.length - topLabels + 1);
  return [...new Set([host, ...above.slice(-domainNamesMax)])];
}

/** Without a location the host with its subdomains. Null for an invalid host. */
function nameToSearch(query: string, location: string | null): string | null {
  const host = query.toLowerCase().replace(/\.$/, "");
  if (!hostPattern.test(host)) return null;
  return location === null ? host : exactName(host, location);
}

/** `=` and `@` cannot occur in a host, so exact names and domains never collide. The location of the server itself has no suffix. */
function exactName(host: string, location: string): string {
  return location === localLocation ? `=${host}` : `=${host}@${location}`;
}

/** `local`: exact name of the host at the location of the server itself. */
function locationsListed(db: Pick<Db, "publicScans">, local: string): readonly string[] {
  const [own] = db.publicScans.getKeys({ start: [local, any, 0], end: [local, any, Number.POSITIVE_INFINITY], limit: 1 });
  const prefix = `${local}@`;
  const others = firstKeyParts(db.publicScans, { from: prefix, to: `${prefix}~` }).map((name) => name.slice(prefix.length));
  return own === undefined ? others : [localLocation, ...others];
}

function isAddress(host: string): boolean {
  return host.includes(":") || /^[\d.]+$/.test(host);
}
