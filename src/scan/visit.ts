/** One visit of a page for a proof: the page probe alone, observed, with the same egress, deadlines and isolation as a scan. */
import type { ScanBrowser } from "../browser/slot.ts";
import { withoutSecrets } from "../evidence/redact.ts";
import { probePage } from "../probe/browser/page.ts";
import { PageObserver } from "../probe/browser/page-observer.ts";
import {
  type GatherListener,
  openTlsEndpoints,
  probeRunner,
  refusalOf,
  secretsIn,
  tlsEndpointOf,
  verifiedCredentials,
  watchedPage,
  withinTask,
  withoutVisit,
  withScreenshot,
} from "./gather.ts";
import type { Visited, VisitTask } from "./task.ts";

export function visitPage(task: VisitTask, browser: ScanBrowser, listener: GatherListener): Promise<Visited> {
  return withinTask(task, browser, listener, async (parts, watch) => {
    const { egress } = parts;
    const { url, scannedAt, caPems, screenshot, scriptAdvisories, deadlines, overrides } = task;
    const endpoints = openTlsEndpoints(probeRunner(watch, deadlines.probeMs), { egress, caPems });
    const given = task.credentials;
    const credentials = given === null ? null : verifiedCredentials(given, await endpoints.tls(tlsEndpointOf(url)), scannedAt);
    const refusals = given !== null && typeof credentials === "string" ? [refusalOf(given, credentials)] : [];
    watch.stage("browsing");
    let observer = new PageObserver(overrides);
    const visiting = async () => {
      if (typeof credentials === "string") return withoutVisit(credentials);
      const context = { ...parts, screenshot, deadlines, scriptAdvisories, credentials, onDocument: () => {} };
      return watch.within({
        ...watchedPage(context, deadlines),
        // A second try, after a standstill, is a visit of its own.
        probe: (signal) => {
          observer = new PageObserver(overrides);
          return probePage({ ...context, observer, signal });
        },
      });
    };
    const { readings, screenshot: pending, browserBroke } = await visiting();
    if (browserBroke) browser.reportIllness("its page was not read");
    const image = withScreenshot(browser, await pending, browserBroke);
    const facts = withoutSecrets({ readings, observation: observer.observation() }, secretsIn(task));
    return { ...facts, ...image, refusals: [...egress.refusals, ...refusals] };
  });
}
