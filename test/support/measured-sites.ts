/** Measured runs of watched sites, concluded by the server's own code, without clock and browser. */
import { createLog } from "../../src/base/log.ts";
import { concludeEndedRuns } from "../../src/sites/conclude-run.ts";
import type { RunRules } from "../../src/store/site-runs.ts";
import type { Site } from "../../src/store/sites.ts";
import type { Store } from "../../src/store/store.ts";
import { knownScans, type SiteName } from "./finished-scans.ts";

const scanMs = 2_000;
const quiet = createLog({ level: "error", format: "json", write: () => {} });

/** `shows`: site of the landmarks whose result the scans get; null for a scan that fails. */
interface MeasuredRun {
  readonly at: Date;
  readonly shows: SiteName | null;
  /** Rules that judged the scans; default: the rules of the landmarks. */
  readonly rules?: Partial<RunRules>;
}

/** Runs and concludes scans of all addresses of the site. The queue of its location must be empty. */
async function measureSite(store: Store, { accountId, id, location }: Site, { at, shows, rules }: MeasuredRun): Promise<void> {
  const run = await store.siteRuns.start({ accountId, siteId: id, kind: "manual", now: new Date(at.getTime() - scanMs) });
  if (typeof run === "string") throw new Error(`no run was started: ${run}`);
  for (const { url, token } of run.scans) {
    const claimed = await store.scans.claimNext(location, at);
    if (claimed?.token !== token) throw new Error("the queue was not empty");
    if (shows === null) {
      await store.scans.fail(token, { code: "unreachable", evidence: null, timings: {}, now: at });
      continue;
    }
    const { evidence, result } = knownScans[shows];
    const subject = { ...evidence.subject, url, host: new URL(url).hostname, scannedAt: at.toISOString() };
    // One page that gets better or worse.
    const { navigation, dom } = evidence;
    const asPage = {
      ...(navigation.status === "read" && { navigation: { ...navigation, facts: { ...navigation.facts, finalUrl: url } } }),
      ...(dom.status === "read" && { dom: { ...dom, facts: { ...dom.facts, title: "Site" } } }),
    };
    await store.scans.finish(token, {
      result: { ...result, ...rules },
      evidence: { ...evidence, ...asPage, subject },
      timings: {},
      screenshot: null,
      now: at,
    });
  }
  await concludeEndedRuns({ store, clock: { now: () => at }, log: quiet });
}

/** Several runs, the oldest first. Two that show the same confirm it. */
export async function measureOften(store: Store, site: Site, runs: readonly MeasuredRun[]): Promise<Site> {
  for (const run of runs) await measureSite(store, site, run);
  const measured = store.sites.find(site.accountId, site.id);
  if (measured === undefined) throw new Error("the site is gone");
  return measured;
}
