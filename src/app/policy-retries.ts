/** Tries the planned headers of watched sites again, in the slot of the scan that belongs to a run. */
import { type Clock, systemClock } from "../base/clock.ts";
import { type Log, messageOf } from "../base/log.ts";
import { localLocation } from "../parse/location.ts";
import { newNonce } from "../prove/prove.ts";
import { tryAgain } from "../prove/retry.ts";
import type { AfterScan } from "../scan/dispatcher.ts";
import type { Scanner } from "../scan/scanner.ts";
import { policyAfter } from "../sites/policy-watch.ts";
import { scanLocationOf } from "../store/scan-location.ts";
import type { ScanRecord } from "../store/scans.ts";
import type { Site, WatchedPolicy } from "../store/sites.ts";
import type { Store } from "../store/store.ts";

interface RetrySources {
  readonly store: Pick<Store, "sites" | "siteRuns">;
  readonly scanner: Pick<Scanner, "visitUrl">;
  /** Called after events were stored. */
  readonly onEvents: () => void;
  readonly log: Log;
  /** The real one by default. */
  readonly clock?: Pick<Clock, "now" | "randomBytes">;
}

/** The run may be concluded before the try ends: the site is looked up before the scan. */
export function createPolicyRetries({ store, scanner, onEvents, log, clock = systemClock }: RetrySources): AfterScan {
  return (scan) => {
    const found = watchedBy(store, scan);
    if (found === null) return null;
    const { site, policy } = found;
    return async (evidence, signal) => {
      try {
        const tried = await tryAgain(policy, evidence, {
          visit: (url, overrides) => scanner.visitUrl({ url, overrides, screenshot: false }, () => {}, signal),
          nonce: () => newNonce(clock),
        });
        log.debug("planned headers tried", { site: site.id, works: tried?.works ?? null });
        if (tried === null) return;
        const now = clock.now();
        const events = await store.siteRuns.notePolicy(site, (current) => policyAfter(current, tried, policy, scan.token, now), now);
        if (events.length > 0) onEvents();
      } catch (error) {
        log.error("planned headers not tried", { site: site.id, because: messageOf(error) });
      }
    };
  };
}

/** Site of whose run the scan is, with the headers that are planned for its address. Visits are made here alone. */
function watchedBy(
  { sites, siteRuns }: RetrySources["store"],
  scan: ScanRecord,
): { readonly site: Site; readonly policy: WatchedPolicy } | null {
  if (scan.accountId === null || scanLocationOf(scan) !== localLocation) return null;
  const run = siteRuns
    .list()
    .find(({ accountId, scans }) => accountId === scan.accountId && scans.some(({ token }) => token === scan.token));
  const site = run === undefined ? undefined : sites.find(run.accountId, run.siteId);
  const policy = site?.policy ?? null;
  return site === undefined || policy === null || policy.url !== scan.url ? null : { site, policy };
}
