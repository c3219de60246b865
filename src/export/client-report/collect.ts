/** Reads the watched sites of one client from the store, as the client report shows them. */
import type { CheckDefinition } from "../../check/registry.ts";
import { type OpenFinding, openFindings, type SiteState, type UnmeasuredAddress } from "../../store/site-runs.ts";
import { type AcceptedFinding, certificateDaysOf, isAccepted, type Site } from "../../store/sites.ts";
import type { Store } from "../../store/store.ts";
import { codesInFixOrder } from "../../text/ledger-rows.ts";
import { type EarlierScore, earlierScore } from "./earlier-score.ts";
import { detailedSitesMax, listedRows, listedRowsMax } from "./listed-rows.ts";
import { type SiteChanges, siteChanges } from "./site-changes.ts";

export type ClientReportStore = Pick<Store, "sites" | "siteRuns" | "events" | "scans">;

export interface ReportedClient {
  readonly client: string;
  readonly now: Date;
  /** The lowest scores first; never empty. */
  readonly sites: readonly ReportedSite[];
}

export interface ReportedSite {
  readonly site: Site;
  /** Not accepted, in the order of `fixOrder`; empty before the first measured run. */
  readonly open: readonly OpenFinding[];
  readonly accepted: readonly AcceptedOpenFinding[];
  /** Whole days; null if the certificate was not read. */
  readonly certificateDays: number | null;
  /** Null if the history has no such score. */
  readonly earlier: EarlierScore | null;
  /** Null for a site beyond the limits of `listed-rows.ts`. */
  readonly details: SiteDetails | null;
}

/** Finding that is there, and whose acceptance holds. */
export interface AcceptedOpenFinding {
  readonly finding: OpenFinding;
  readonly acceptance: AcceptedFinding;
}

export interface SiteDetails {
  readonly changes: SiteChanges;
  /** Without the first address, which a site is measured by. */
  readonly unmeasured: readonly (UnmeasuredAddress & { readonly url: string })[];
}

interface CollectedClient {
  readonly store: ClientReportStore;
  readonly ownerId: number;
  readonly client: string;
  readonly checks: readonly CheckDefinition[];
  /** Order of names. */
  readonly locale: string;
  readonly now: Date;
}

/** Null if the owner watches no site of the client. */
export function collectClient({ store, ownerId, client, checks, locale, now }: CollectedClient): ReportedClient | null {
  const sites = worstFirst(
    store.sites.list(ownerId).filter((site) => site.client === client),
    locale,
  );
  if (sites.length === 0) return null;
  let rows = 0;
  const reported = sites.map((site, at): ReportedSite => {
    const state = store.siteRuns.state(site.id);
    const summary = summaryOfSite({ store, site, state, checks, now });
    if (at >= detailedSitesMax || rows >= listedRowsMax) return { ...summary, details: null };
    const details = { changes: siteChanges(store, site, state, now), unmeasured: unmeasuredOf(site, state) };
    rows += listedRows(summary, details);
    return { ...summary, details };
  });
  return { client, now, sites: reported };
}

/** Lowest scores first, by name where they are equal; sites without a score last. */
function worstFirst(sites: readonly Site[], locale: string): readonly Site[] {
  const { compare } = new Intl.Collator(locale, { numeric: true });
  const scoreOf = ({ reading }: Site) => reading?.score ?? Number.POSITIVE_INFINITY;
  return sites.toSorted((one, other) => {
    const [score, otherScore] = [scoreOf(one), scoreOf(other)];
    return score === otherScore ? compare(one.name, other.name) || one.id - other.id : score - otherScore;
  });
}

interface CollectedSite extends Pick<CollectedClient, "store" | "checks" | "now"> {
  readonly site: Site;
  readonly state: SiteState;
}

function summaryOfSite({ store, site, state, checks, now }: CollectedSite): Omit<ReportedSite, "details"> {
  const known = site.reading === null ? { ...state, findings: {} } : state;
  return {
    site,
    open: codesInFixOrder(openFindings(site, known, now), checks),
    accepted: acceptedOpenFindings(site, known, checks, now),
    certificateDays: certificateDaysOf(site, now),
    earlier: earlierScore(store, site, now),
  };
}

function acceptedOpenFindings(site: Site, state: SiteState, checks: readonly CheckDefinition[], now: Date): readonly AcceptedOpenFinding[] {
  const holding = site.accepted.filter((one) => isAccepted({ accepted: [one] }, one.code, now));
  const byCode = new Map(holding.map((acceptance) => [acceptance.code, acceptance]));
  return codesInFixOrder(openFindings({ accepted: [] }, state, now), checks).flatMap((finding) => {
    const acceptance = byCode.get(finding.code);
    return acceptance === undefined ? [] : [{ finding, acceptance }];
  });
}

/** Addresses that the site no longer has are left out. */
function unmeasuredOf({ pages }: Site, { unmeasured = {} }: SiteState): SiteDetails["unmeasured"] {
  return pages.flatMap((url) => {
    const known = unmeasured[url];
    return known === undefined ? [] : [{ ...known, url }];
  });
}
