/** Asks every probe about one URL, each within its deadline, and puts the readings together; what was missed is a reading too. */

import { withDeadline } from "../base/deadline.ts";
import { type Egress, openEgress } from "../egress/dial.ts";
import { type EgressProxy, startProxy } from "../egress/proxy.ts";
import { type Evidence, failed, type ProbeFailure, type Reading, type Readings, type Subject } from "../evidence/evidence.ts";
import { withoutSecrets } from "../evidence/redact.ts";
import { type ProgressStage, progressStages, type ScanErrorCode } from "../evidence/scan.ts";
import { subjectOf } from "../evidence/subject.ts";
import { isHttps } from "../parse/header-fields.ts";
import { noPage, probePage } from "../probe/browser/page.ts";
import { probeDmarc } from "../probe/dns/dmarc.ts";
import { probeDnsCaa, probeMx, probeTlsRpt } from "../probe/dns/dns.ts";
import { probeDnssec } from "../probe/dns/dnssec.ts";
import { probeMtaSts, probeMtaStsPolicy } from "../probe/dns/mta-sts.ts";
import { probeSpf } from "../probe/dns/spf.ts";
import { probeCrossOrigin } from "../probe/http/cross-origin.ts";
import { probePlainHttp } from "../probe/http/plain-http.ts";
import { probeSecurityTxt } from "../probe/http/well-known.ts";
import { probeTls } from "../probe/tls/tls.ts";
import type { Gathered, GatherTask } from "./task.ts";

/** For a probe to answer for itself once its signal is given, before a plain `timeout` is taken instead. */
const lastWordMs = 500;

export function gatherEvidence(task: GatherTask, onStage: (stage: ProgressStage) => void): Promise<Gathered> {
  return withDeadline(task.deadlines.scanMs, [], (scanEnds) => gatherUntil(scanEnds, task, onStage));
}

async function gatherUntil(scanEnds: AbortSignal, task: GatherTask, onStage: (stage: ProgressStage) => void): Promise<Gathered> {
  const watch = startWatch(scanEnds, onStage);
  watch.stage("resolving");
  const subject = subjectOf(task.url, task.scannedAt);
  const egress = openEgress(task.egress);
  const proxy = await startProxy(egress);
  try {
    // Only now: probes ask with what other probes read. The subject stays as it was given, since it names the scan.
    const { readings, screenshot } = await readEverything(task, { subject, egress, proxy }, watch);
    const evidence: Evidence = { subject, ...withoutSecrets(readings) };
    return { evidence, screenshot, timings: watch.timings(), unreachable: unreachableBecause(evidence), refusals: egress.refusals };
  } finally {
    await proxy.stop();
    egress.close();
  }
}

interface WayOut {
  readonly subject: Subject;
  readonly egress: Egress;
  readonly proxy: EgressProxy;
}

/** All at once, but for what has to know where the browser ended up. */
async function readEverything(
  task: GatherTask,
  { subject, egress, proxy }: WayOut,
  watch: Watch,
): Promise<{ readonly readings: Readings; readonly screenshot: Uint8Array | null }> {
  const { url, deadlines, caPems, browserEndpoint, screenshot } = task;
  const { probeMs, navigationMs, settleMaxMs } = deadlines;
  const context = { egress, subject, dnsServers: task.egress.dnsServers };
  const ask = <F>(name: string, probe: (signal: AbortSignal) => Promise<Reading<F>>) => watch.within(name, probeMs, probe, failed);
  const askTls = ({ host, port }: Place) => ask("tls", (signal) => probeTls({ ...context, host, port, caPems, signal }));

  watch.stage("connecting");
  const scannedPlace = tlsPlaceOf(url);
  const scannedTls = scannedPlace === null ? Promise.resolve(failed("not-asked")) : askTls(scannedPlace);
  const plainHttp = ask("plainHttp", (signal) => probePlainHttp({ ...context, signal }));
  const asked = {
    dnsCaa: ask("dnsCaa", (signal) => probeDnsCaa({ ...context, signal })),
    dnssec: ask("dnssec", (signal) => probeDnssec({ ...context, signal })),
    mailMx: ask("mailMx", (signal) => probeMx({ ...context, signal })),
    mailSpf: ask("mailSpf", (signal) => probeSpf({ ...context, signal })),
    mailDmarc: ask("mailDmarc", (signal) => probeDmarc({ ...context, signal })),
    mailMtaSts: ask("mailMtaSts", (signal) => probeMtaSts({ ...context, signal })),
    mailTlsRpt: ask("mailTlsRpt", (signal) => probeTlsRpt({ ...context, signal })),
  };
  const mailMtaStsPolicy = asked.mailMtaSts.then((record) =>
    ask("mailMtaStsPolicy", (signal) => probeMtaStsPolicy({ ...context, caPems, record, signal })),
  );
  const securityTxt = ask("securityTxt", (signal) => probeSecurityTxt({ ...context, signal }));
  const loading = watch.within(
    "page",
    navigationMs + settleMaxMs + probeMs,
    (signal) => probePage({ browserEndpoint, subject, egress, proxy, signal, screenshot, deadlines }),
    noPage,
  );

  watch.stage("tls");
  void scannedTls.then(() => watch.stage("browsing"));
  const { readings: page, screenshot: shooting } = await loading;
  const finalUrl = page.navigation.status === "read" ? page.navigation.facts.finalUrl : null;
  const finalPlace = finalUrl !== null && isHttps(finalUrl) ? tlsPlaceOf(finalUrl) : null;
  const servedElsewhere = finalPlace !== null && !isSamePlace(finalPlace, scannedPlace);
  const crossOrigin =
    finalUrl === null ? failed("not-asked") : ask("crossOrigin", (signal) => probeCrossOrigin({ ...context, url: finalUrl, signal }));
  const tls = await (servedElsewhere ? askTls(finalPlace) : scannedTls);
  watch.stage("dns");
  const names = { dnsCaa: await asked.dnsCaa, dnssec: await asked.dnssec };
  watch.stage("mail");
  const mail = {
    mailMx: await asked.mailMx,
    mailSpf: await asked.mailSpf,
    mailDmarc: await asked.mailDmarc,
    mailMtaSts: await asked.mailMtaSts,
    mailMtaStsPolicy: await mailMtaStsPolicy,
    mailTlsRpt: await asked.mailTlsRpt,
  };
  const others = { crossOrigin: await crossOrigin, plainHttp: await plainHttp, securityTxt: await securityTxt };
  return { readings: { ...page, ...names, ...mail, tls, ...others }, screenshot: await shooting };
}

interface Watch {
  /** Tells a stage, unless a later one was told already. */
  stage(stage: ProgressStage): void;
  /** What the probe answers in time, or what `otherwise` makes of its failure. Never rejects. */
  within<T>(
    name: string,
    deadlineMs: number,
    probe: (signal: AbortSignal) => Promise<T>,
    otherwise: (because: ProbeFailure) => T,
  ): Promise<T>;
  /** Milliseconds by name of probe, and `total` so far. */
  timings(): Record<string, number>;
}

/** The clock of one scan: every probe stops at its own deadline and at the scan's. */
function startWatch(scanEnds: AbortSignal, onStage: (stage: ProgressStage) => void): Watch {
  const begunMs = performance.now();
  const taken: Record<string, number> = {};
  const since = (fromMs: number) => Math.round(performance.now() - fromMs);
  let toldUpTo = -1;
  return {
    stage: (stage) => {
      const step = progressStages.indexOf(stage);
      if (step <= toldUpTo) return;
      toldUpTo = step;
      onStage(stage);
    },
    within: async (name, deadlineMs, probe, otherwise) => {
      const fromMs = performance.now();
      try {
        return await withDeadline(deadlineMs, [scanEnds], (signal) =>
          Promise.race([probe(signal), lastWordAfter(signal).then(() => otherwise("timeout"))]),
        );
      } catch {
        // Probes answer with readings; one that throws is broken.
        return otherwise("crashed");
      } finally {
        taken[name] = (taken[name] ?? 0) + since(fromMs);
      }
    },
    timings: () => ({ ...taken, total: since(begunMs) }),
  };
}

function lastWordAfter(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wait = () => setTimeout(resolve, lastWordMs);
    if (signal.aborted) wait();
    else signal.addEventListener("abort", wait, { once: true });
  });
}

/** Host as in URLs, an IPv6 address with its brackets. */
interface Place {
  readonly host: string;
  readonly port: number;
}

/** Where TLS is spoken for that URL: its own port, port 443 beside a plain port 80, or null beside any other plain port. */
function tlsPlaceOf(url: string): Place | null {
  const parsed = URL.parse(url);
  if (parsed === null) return null;
  const { protocol, hostname: host, port } = parsed;
  if (protocol === "https:") return { host, port: port === "" ? 443 : Number(port) };
  return port === "" ? { host, port: 443 } : null;
}

function isSamePlace(one: Place, other: Place | null): boolean {
  return one.host === other?.host && one.port === other.port;
}

/**
 * Why there is nothing to judge, or null. A browser may refuse what our own client can still read, such as a server that
 * speaks TLS 1.0 only: that is judged, and comes out as not measured.
 */
export function unreachableBecause({ subject, navigation, tls }: Evidence): ScanErrorCode | null {
  if (navigation.status === "read") return null;
  if (navigation.because !== "blocked" && isHttps(subject.url) && tls.status === "read") return null;
  return errorCodes[navigation.because];
}

/** What a failed navigation is called in the scan's error message. */
const errorCodes: Readonly<Record<ProbeFailure, ScanErrorCode>> = {
  timeout: "timeout",
  refused: "refused",
  unresolved: "unresolved",
  unreachable: "unreachable",
  blocked: "blocked",
  tls: "tls",
  invalid: "invalid",
  redirects: "redirects",
  "server-error": "unreachable",
  challenged: "unreachable",
  "too-large": "too-large",
  unsupported: "invalid",
  crashed: "crashed",
  "not-asked": "crashed",
};
