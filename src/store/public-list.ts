/** Public list of finished scans: one range of one table for each host and band. */
import { subjectOf } from "../evidence/subject.ts";
import { type Band, bands } from "../judge/rank.ts";
import type { Db, Tables } from "./database.ts";
import { type Page, type PageRequest, pageOf, takeFound } from "./page.ts";
import type { ScanRecord } from "./scans.ts";

/** Listed domains per scan: bounds its rows. A deeper host is listed under the domains above it and by its exact name. */
const domainNamesMax = 6;
/** Hosts and IPv6 addresses; length from RFC 1035 section 2.3.4. Keeps arbitrary input out of LMDB keys. */
const hostPattern = /^[\w.:-]{1,253}$/;
const any = "";

export interface PublicScanQuery extends PageRequest {
  /** ASCII; an IPv6 address without brackets; case and a trailing dot are ignored. Omitted: every host. */
  readonly host?: string | undefined;
  /** Excludes subdomains. */
  readonly exactly?: boolean | undefined;
  /** Omitted: every band. */
  readonly band?: Band | undefined;
}

export function publicScanRepository(db: Db) {
  return {
    /** Finished scans, newest first, from a single range read. Empty for an invalid host. */
    list: ({ host, exactly = false, band, limit, cursor }: PublicScanQuery): Page<ScanRecord> => {
      const name = host === undefined ? any : nameToSearch(host, exactly);
      if (name === null) return { items: [], nextCursor: null };
      const start: [string, string, number] = [name, band ?? any, (cursor ?? Number.POSITIVE_INFINITY) - 1];
      const rows = db.publicScans.getRange({ start, end: [name, band ?? any, 0], reverse: true });
      return pageOf(
        takeFound(rows, limit + 1, ({ value: token }) => db.scans.get(token)),
        limit,
      );
    },

    /** Ids of finished scans of exactly this host, newest first, without reading the scans. Empty for an invalid host. */
    idsOfHost: (host: string, { limit, cursor }: PageRequest): readonly number[] => {
      const name = nameToSearch(host, true);
      if (name === null) return [];
      const start: [string, string, number] = [name, any, (cursor ?? Number.POSITIVE_INFINITY) - 1];
      return [...db.publicScans.getKeys({ start, end: [name, any, 0], reverse: true, limit })].map(([, , id]) => id);
    },
  };
}

/** Only within a transaction. */
export function addToPublicList(db: Tables, scan: ScanRecord): void {
  for (const key of publicKeysOf(scan)) db.publicScans.put(key, scan.token);
}

/** Keys of a finished scan in the public list. */
export function publicKeysOf({ id, url, summary }: ScanRecord): readonly [name: string, band: string, scanId: number][] {
  const inBands = [any, ...bands.filter((band) => band === summary?.band)];
  return [any, ...namesOf(url)].flatMap((name) => inBands.map((band): [string, string, number] => [name, band, id]));
}

/** Names that find a scan of the URL: the exact host, the host as a domain, and its parent domains. */
function namesOf(url: string): readonly string[] {
  const { host, registrableDomain } = subjectOf(url, "");
  return hostPattern.test(host) ? [exactName(host), ...domainsOf(host, registrableDomain)] : [];
}

/** From the registrable domain down, at most `domainNamesMax`. Local names start at their last two labels; an address is listed alone. */
function domainsOf(host: string, registrableDomain: string | null): readonly string[] {
  if (isAddress(host)) return [host];
  const labels = host.split(".");
  const topLabels = registrableDomain?.split(".").length ?? Math.min(2, labels.length);
  const above = labels.map((_label, at) => labels.slice(at).join(".")).slice(0, labels.length - topLabels + 1);
  return above.slice(-domainNamesMax);
}

/** Null for an invalid host. A host too deep to be listed as a domain has no listed subdomains either. */
function nameToSearch(query: string, exactly: boolean): string | null {
  const host = query.toLowerCase().replace(/\.$/, "");
  if (!hostPattern.test(host)) return null;
  const tooDeep = host.split(".").length > domainNamesMax && !listedAsDomain(host);
  return exactly || tooDeep ? exactName(host) : host;
}

function listedAsDomain(host: string): boolean {
  const url = URL.parse(`http://${host}/`);
  return url !== null && namesOf(url.href).includes(host);
}

/** `=` cannot occur in a host, so exact names and domains never collide. */
function exactName(host: string): string {
  return `=${host}`;
}

function isAddress(host: string): boolean {
  return host.includes(":") || /^[\d.]+$/.test(host);
}
