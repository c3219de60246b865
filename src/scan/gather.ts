/** Runs every probe for one URL within its deadline and collects the readings; a failure is a reading too. */
import { aborted, type Clock, pause, withDeadline } from "../base/clock.ts";
import { messageOf } from "../base/log.ts";
import type { ScanBrowser } from "../browser/slot.ts";
import { secretsOf } from "../egress/credentials.ts";
import { openEgress } from "../egress/dial.ts";
import { startProxy } from "../egress/proxy.ts";
import { type Evidence, failed, isErrorPage, type ProbeFailure, type Reading, type Readings } from "../evidence/evidence.ts";
import { withoutSecrets } from "../evidence/redact.ts";
import { type ProgressStage, progressStages } from "../evidence/scan.ts";
import { isHttps } from "../parse/header-fields.ts";
import { failedVisit, type PageProbeContext, probePage } from "../probe/browser/page.ts";
import type { PageImage } from "../probe/browser/page-screenshot.ts";
import { probeFavicon, withFavicon } from "../probe/http/favicon.ts";
import { probeCrossOrigin, probePlainHttp, probeSecurityTxt } from "../probe/http/http.ts";
import { startNameProbes } from "./name-probes.ts";
import { subjectOf } from "./subject.ts";
import type { Gathered, GatherTask, ScanTrace } from "./task.ts";
import { openTlsEndpoints, tlsEndpointOf } from "./tls-endpoints.ts";
import { unreachableBecause } from "./unreachable.ts";
import { refusalOf, verifiedCredentials, withoutVisit } from "./verified-credentials.ts";

/** Grace period after the abort signal, in which a probe may return its own reading. Afterwards: `timeout`. */
const abortGraceMs = 500;
/** The same for the page probe, which then still asks whether its browser answers. */
const pageGraceMs = 4_000;

export interface GatherListener {
  readonly clock: Clock;
  readonly onStage: (stage: ProgressStage) => void;
  readonly onTrace: (trace: ScanTrace) => void;
}

export function gatherEvidence(task: GatherTask, browser: ScanBrowser, listener: GatherListener): Promise<Gathered> {
  return withDeadline(listener.clock, task.deadlines.scanMs, [], (scanEnds) => gatherWithin(scanEnds, task, browser, listener));
}

async function gatherWithin(scanEnds: AbortSignal, task: GatherTask, browser: ScanBrowser, listener: GatherListener): Promise<Gathered> {
  const watch = startWatch(scanEnds, listener);
  watch.stage("resolving");
  const subject = subjectOf(task.url, task.scannedAt, task.headerValueCharsMax);
  const onRefusal = (refusal: string) => listener.onTrace({ event: "egress blocked", refusal, ms: watch.sinceStart() });
  const egress = openEgress(task.egress, onRefusal);
  const proxy = await startProxy(egress);
  try {
    // Redacted last, because probes use the readings of others. The subject stays complete: it identifies the scan.
    const { readings, refusals, ...visited } = await runProbes(task, { subject, egress, proxy, browser }, watch);
    const { credentials } = task;
    const evidence: Evidence = { subject, ...withoutSecrets(readings, credentials === null ? [] : secretsOf(credentials)) };
    const unreachable = unreachableBecause(evidence);
    return { evidence, ...visited, timings: watch.timings(), unreachable, refusals: [...egress.refusals, ...refusals] };
  } finally {
    await proxy.stop();
    egress.close();
  }
}

/** Runs all probes at once, except those that depend on the browser's final URL. */
async function runProbes(
  task: GatherTask,
  { subject, egress, proxy, browser }: Pick<PageProbeContext, "subject" | "egress" | "proxy" | "browser">,
  watch: Watch,
): Promise<{ readonly readings: Readings } & Pick<Gathered, "screenshot" | "browserBroke" | "refusals">> {
  const { url, deadlines, caPems, screenshot, scriptAdvisories } = task;
  const { probeMs, navigationMs, settleMaxMs } = deadlines;
  const context = { egress, subject, dnsServers: task.egress.dnsServers };
  const run = <F>(name: string, probe: (signal: AbortSignal) => Promise<Reading<F>>) => watch.within(name, probeMs, probe, failed);
  const endpoints = openTlsEndpoints(run, { egress, caPems });

  watch.stage("connecting");
  const scannedEndpoint = tlsEndpointOf(url);
  const scannedTls = endpoints.tls(scannedEndpoint);
  const plainHttp = run("plainHttp", (signal) => probePlainHttp({ ...context, signal }));
  const nameProbes = startNameProbes({ ...context, caPems }, run);
  const securityTxt = run("securityTxt", (signal) => probeSecurityTxt({ ...context, signal }));
  let documents = 0;
  const onDocument = (documentUrl: string) => {
    // Beside the page load, but only for one host: a page may navigate through many.
    if (isHttps(documentUrl) && ++documents === 1) void endpoints.offers(tlsEndpointOf(documentUrl));
  };
  const credentials = task.credentials === null ? null : verifiedCredentials(task.credentials, await scannedTls, task.scannedAt);
  const pageContext = { browser, subject, egress, proxy, screenshot, deadlines, onDocument, scriptAdvisories };
  const loading =
    typeof credentials === "string"
      ? withoutVisit(credentials)
      : watch.within(
          "page",
          navigationMs + settleMaxMs + probeMs,
          (signal) => probePage({ ...pageContext, credentials, signal }),
          failedVisit,
          pageGraceMs,
        );

  const sent = typeof credentials === "string" ? null : credentials;

  watch.stage("tls");
  void scannedTls.then(() => watch.stage("browsing"));
  const { readings: page, screenshot: pendingScreenshot, browserBroke } = await loading;
  // Its page may still be open, where the probe had to be given up.
  if (browserBroke) browser.reportIllness("its page was not read");
  const finalUrl = page.navigation.status === "read" ? page.navigation.facts.finalUrl : null;
  const finalEndpoint = finalUrl !== null && isHttps(finalUrl) ? tlsEndpointOf(finalUrl) : null;
  const servingEndpoint = finalEndpoint ?? scannedEndpoint;
  const tlsOffers = endpoints.offers(servingEndpoint);
  const refused = page.page.status === "failed" && isErrorPage(page.page.because) ? page.page : null;
  const crossOrigin =
    finalUrl === null || refused !== null
      ? (refused ?? failed("not-asked"))
      : run("crossOrigin", (signal) => probeCrossOrigin({ ...context, caPems, credentials: sent, url: finalUrl, signal }));
  const favicon =
    finalUrl === null
      ? failed("not-asked")
      : run("favicon", (signal) => probeFavicon({ ...context, pageUrl: finalUrl, markup: page.markup, signal }));
  const tls = await endpoints.tls(servingEndpoint);
  watch.stage("dns");
  const dns = await nameProbes.dns;
  watch.stage("mail");
  const mail = await nameProbes.mail;
  const others = { tlsOffers: await tlsOffers, crossOrigin: await crossOrigin, plainHttp: await plainHttp, securityTxt: await securityTxt };
  return {
    readings: { ...withFavicon(page, await favicon), ...dns, ...mail, tls, ...others },
    ...withScreenshot(browser, await pendingScreenshot, browserBroke),
    refusals: task.credentials !== null && typeof credentials === "string" ? [refusalOf(task.credentials, credentials)] : [],
  };
}

/** A browser that showed other pages before may be late because of them: then the scan is gathered once more. */
function withScreenshot(browser: ScanBrowser, screenshot: PageImage, browserBroke: boolean): Pick<Gathered, "screenshot" | "browserBroke"> {
  if (screenshot !== "late") return { screenshot, browserBroke };
  browser.reportIllness("it took no screenshot in time");
  return { screenshot: null, browserBroke: browserBroke || !browser.isFresh };
}

interface Watch {
  stage(stage: ProgressStage): void;
  /** Runs the probe; `otherwise` maps a missed deadline or an exception. Never rejects. */
  within<T>(
    name: string,
    deadlineMs: number,
    probe: (signal: AbortSignal) => Promise<T>,
    otherwise: (because: ProbeFailure) => T,
    graceMs?: number,
  ): Promise<T>;
  timings(): Record<string, number>;
  sinceStart(): number;
}

/** Deadlines and timings of one scan: every probe stops at its own deadline and at the scan's. */
function startWatch(scanEnds: AbortSignal, { clock, onStage, onTrace }: GatherListener): Watch {
  const startMs = clock.monotonicMs();
  const timings: Record<string, number> = {};
  const since = (fromMs: number) => Math.round(clock.monotonicMs() - fromMs);
  let reportedStep = -1;
  return {
    stage: (stage) => {
      const step = progressStages.indexOf(stage);
      if (step <= reportedStep) return;
      reportedStep = step;
      onStage(stage);
    },
    within: async (name, deadlineMs, probe, otherwise, graceMs = abortGraceMs) => {
      const fromMs = clock.monotonicMs();
      let fault: string | undefined;
      onTrace({ event: "probe started", probe: name });
      try {
        return await withDeadline(clock, deadlineMs, [scanEnds], (signal) =>
          Promise.race([probe(signal), graceAfterAbort(clock, signal, graceMs).then(() => otherwise("timeout"))]),
        );
      } catch (error) {
        // Probes return failures as readings, so an exception is a defect.
        fault = messageOf(error);
        return otherwise("crashed");
      } finally {
        const ms = since(fromMs);
        timings[name] = (timings[name] ?? 0) + ms;
        onTrace({ event: "probe ended", probe: name, ms, ...(fault === undefined ? {} : { fault }) });
      }
    },
    timings: () => ({ ...timings, total: since(startMs) }),
    sinceStart: () => since(startMs),
  };
}

async function graceAfterAbort(clock: Clock, signal: AbortSignal, graceMs: number): Promise<void> {
  await aborted(signal);
  await pause(clock, graceMs);
}
