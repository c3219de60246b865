/** The public list: every finished scan of the appliance, found by host and band in one range of one table. */
import { subjectOf } from "../evidence/subject.ts";
import { type Band, bands } from "../judge/rank.ts";
import type { Db, Tables } from "./database.ts";
import { type Page, type PageAsked, pageOf } from "./page.ts";
import type { ScanRecord } from "./scans.ts";

/** Rows per scan and band: names below this many are listed under the ones above them and exactly. */
const domainNamesMax = 6;
/** What a host consists of, IPv6 addresses included; RFC 1035 section 2.3.4 for its length. No name of a visitor's making reaches LMDB. */
const hostPattern = /^[\w.:-]{1,253}$/;
/** Stands for every host, and for every band. */
const any = "";

export interface PublicScansAsked extends PageAsked {
  /** ASCII, an IPv6 address without brackets; case and a trailing dot do not matter. Left out: every host. */
  readonly host?: string | undefined;
  /** That host alone, and not the names below it too. */
  readonly exactly?: boolean | undefined;
  /** Left out: every band. */
  readonly band?: Band | undefined;
}

export interface PublicScanRepository {
  /** Finished scans, newest first; one range is read, whatever the filter and however many there are. What cannot be a host has none. */
  list(asked: PublicScansAsked): Page<ScanRecord>;
}

export function publicScanRepository(db: Db): PublicScanRepository {
  return {
    list: ({ host, exactly = false, band = any, limit, cursor }) => {
      const name = host === undefined ? any : nameAsked(host, exactly);
      if (name === null) return { items: [], nextCursor: null };
      const start: [string, string, number] = [name, band, (cursor ?? Number.POSITIVE_INFINITY) - 1];
      const rows = db.publicScans.getRange({ start, end: [name, band, 0], reverse: true, limit: limit + 1 });
      return pageOf(
        [...rows].flatMap(({ value: token }) => db.scans.get(token) ?? []),
        limit,
      );
    },
  };
}

/** Puts a finished scan on the list; only within a transaction. */
export function listPublicly(db: Tables, { token, id, url, summary }: ScanRecord): void {
  const inBands = [any, ...bands.filter((band) => band === summary?.band)];
  for (const name of [any, ...namesOf(url)]) for (const band of inBands) db.publicScans.put([name, band, id], token);
}

/** Under which names a scan of that URL is found: its host exactly, and the domains that the host is or is below of. */
function namesOf(url: string): readonly string[] {
  const { host, registrableDomain } = subjectOf(url, "");
  return hostPattern.test(host) ? [exactName(host), ...domainsOf(host, registrableDomain)] : [];
}

/** From the registrable domain downwards, at most `domainNamesMax`. A local name has its last two labels in place of that, an address itself alone. */
function domainsOf(host: string, registrableDomain: string | null): readonly string[] {
  if (isAddress(host)) return [host];
  const labels = host.split(".");
  const topLabels = registrableDomain?.split(".").length ?? Math.min(2, labels.length);
  const above = labels.map((_label, at) => labels.slice(at).join(".")).slice(0, labels.length - topLabels + 1);
  return above.slice(-domainNamesMax);
}

/** The name to look under; null for what cannot be a host. A host too deep to be listed as a domain has nothing listed below it either. */
function nameAsked(asked: string, exactly: boolean): string | null {
  const host = asked.toLowerCase().replace(/\.$/, "");
  if (!hostPattern.test(host)) return null;
  const tooDeep = host.split(".").length > domainNamesMax && !listedAsDomain(host);
  return exactly || tooDeep ? exactName(host) : host;
}

function listedAsDomain(host: string): boolean {
  const url = URL.parse(`http://${host}/`);
  return url !== null && namesOf(url.href).includes(host);
}

/** No host that is listed has this sign in it, so an exact name is never taken for a domain. */
function exactName(host: string): string {
  return `=${host}`;
}

function isAddress(host: string): boolean {
  return host.includes(":") || /^[\d.]+$/.test(host);
}
