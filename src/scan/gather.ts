/** Runs every probe for one URL within its deadline and collects the readings; a failure is a reading too. */
import { aborted, type Clock, pause, withDeadline } from "../base/clock.ts";
import { messageOf } from "../base/log.ts";
import { heedingStandstill, isHindered, ownProcessorWait, patientTimers, type Standstill } from "../base/standstill.ts";
import type { ScanBrowser } from "../browser/slot.ts";
import { secretsOf, type TargetCredentials, type VerifiedCredentials } from "../egress/credentials.ts";
import { openEgress } from "../egress/dial.ts";
import { startProxy } from "../egress/proxy.ts";
import {
  type Evidence,
  failed,
  isErrorPage,
  isSilence,
  type ProbeFailure,
  type Reading,
  type Readings,
  read,
  withoutSilence,
} from "../evidence/evidence.ts";
import type { SecurityTxtFacts } from "../evidence/http-facts.ts";
import { withoutSecrets } from "../evidence/redact.ts";
import { type ProgressStage, progressStages } from "../evidence/scan.ts";
import type { TlsFacts, TlsOffersFacts } from "../evidence/tls-facts.ts";
import { isHttps } from "../parse/header-fields.ts";
import { hostOf } from "../parse/site.ts";
import { failedVisit, type PageProbeContext, type PageReadings, type PageVisit, probePage } from "../probe/browser/page.ts";
import type { PageImage } from "../probe/browser/page-screenshot.ts";
import { extensionMsMax } from "../probe/browser/page-settling.ts";
import { probeDnsCaa, probeDnsIpv6, probeMx, probeNameServers, probeTlsRpt } from "../probe/dns/dns.ts";
import { probeDnssec } from "../probe/dns/dnssec.ts";
import { type MtaStsPolicyContext, probeDmarc, probeMailDane, probeMtaSts, probeMtaStsPolicy, probeSpf } from "../probe/dns/mail.ts";
import { probeFavicon, withFavicon } from "../probe/http/favicon.ts";
import { probeCrossOrigin, probePlainHttp, probeSecurityTxt } from "../probe/http/http.ts";
import { probeTls, type TlsContext } from "../probe/tls/tls.ts";
import { probeTlsOffers } from "../probe/tls/tls-offers.ts";
import { type Gathered, type GatherTask, type ScanDeadlines, type ScanTrace, subjectOf, unreachableBecause } from "./task.ts";

/** Grace period after the abort signal, in which a probe may return its own reading. Afterwards: `timeout`. */
const abortGraceMs = 500;
/** Grace period of the page probe, which then still asks whether its browser answers. */
const pageGraceMs = 4_000;

export interface GatherListener {
  readonly clock: Clock;
  readonly onStage: (stage: ProgressStage) => void;
  readonly onTrace: (trace: ScanTrace) => void;
}

export function gatherEvidence(task: GatherTask, browser: ScanBrowser, listener: GatherListener): Promise<Gathered> {
  return withinTask(task, browser, listener, async (parts, watch) => {
    // Redacted last, because probes use the readings of others. The subject stays complete: it identifies the scan.
    const { readings, refusals, ...visited } = await runProbes(task, parts, watch);
    const { egress, subject } = parts;
    const evidence: Evidence = { subject, ...withoutSecrets(readings, secretsIn(task)) };
    const unreachable = unreachableBecause(evidence);
    return { evidence, ...visited, timings: watch.timings(), unreachable, refusals: [...egress.refusals, ...refusals] };
  });
}

/** Texts that no reading may hold. */
export function secretsIn({ credentials }: GatherTask): readonly string[] {
  return credentials === null ? [] : secretsOf(credentials);
}

export type TaskParts = Pick<PageProbeContext, "subject" | "egress" | "proxy" | "browser">;

/** Runs the action within the deadline of the task, with a subject, an egress and a proxy of its own. */
export function withinTask<T>(
  task: GatherTask,
  browser: ScanBrowser,
  listener: GatherListener,
  action: (parts: TaskParts, watch: Watch) => Promise<T>,
): Promise<T> {
  const withinDeadline = (standstill: Standstill) =>
    withDeadline(listener.clock, task.deadlines.scanMs, [], async (scanEnds) => {
      const watch = startWatch(scanEnds, standstill, listener);
      watch.stage("resolving");
      const subject = subjectOf(task.url, task.scannedAt, task.headerValueCharsMax);
      const onRefusal = (refusal: string) => listener.onTrace({ event: "egress blocked", refusal, ms: watch.sinceStart() });
      const egress = openEgress(task.egress, onRefusal);
      const proxy = await startProxy(egress);
      try {
        return await action({ subject, egress, proxy, browser }, watch);
      } finally {
        await proxy.stop();
        egress.close();
      }
    });
  return heedingStandstill(listener.clock, [ownProcessorWait, browser.processorWait], withinDeadline);
}

/** Runs all probes at once, except those that depend on the browser's final URL. */
async function runProbes(
  task: GatherTask,
  { subject, egress, proxy, browser }: TaskParts,
  watch: Watch,
): Promise<{ readonly readings: Readings } & Pick<Gathered, "screenshot" | "browserBroke" | "refusals">> {
  const { url, deadlines, caPems, screenshot, scriptAdvisories } = task;
  const context = { egress, subject, dnsServers: task.egress.dnsServers };
  const run = probeRunner(watch, deadlines.probeMs);
  const endpoints = openTlsEndpoints(run, { egress, caPems });

  watch.stage("connecting");
  const scannedEndpoint = tlsEndpointOf(url);
  const scannedTls = endpoints.tls(scannedEndpoint);
  const plainHttp = run("plainHttp", (signal) => probePlainHttp({ ...context, signal }));
  const nameProbes = startNameProbes({ ...context, caPems }, run);
  const securityTxt = run("securityTxt", (signal) => probeSecurityTxt({ ...context, caPems, signal }));
  let documents = 0;
  const onDocument = (documentUrl: string) => {
    // Beside the page load, but only for one host: a page may navigate through many.
    if (isHttps(documentUrl) && ++documents === 1) void endpoints.offers(tlsEndpointOf(documentUrl));
  };
  const credentials = task.credentials === null ? null : verifiedCredentials(task.credentials, await scannedTls, task.scannedAt);
  const pageContext = { browser, subject, egress, proxy, screenshot, deadlines, onDocument, scriptAdvisories };
  const loading =
    typeof credentials === "string" ? withoutVisit(credentials) : watch.within(watchedPage({ ...pageContext, credentials }, deadlines));

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
  const certified = withoutCertificateOf(tls, await securityTxt, finalUrl);
  const others = { tlsOffers: await tlsOffers, crossOrigin: await crossOrigin, plainHttp: await plainHttp, securityTxt: certified };
  return {
    readings: { ...withFavicon(page, await favicon), ...dns, ...mail, tls, ...others },
    ...withScreenshot(browser, await pendingScreenshot, browserBroke),
    refusals: task.credentials !== null && typeof credentials === "string" ? [refusalOf(task.credentials, credentials)] : [],
  };
}

/** A browser that showed other pages before may be late because of them: then the scan is gathered once more. */
export function withScreenshot(
  browser: Pick<ScanBrowser, "isFresh" | "reportIllness">,
  screenshot: PageImage,
  browserBroke: boolean,
): Pick<Gathered, "screenshot" | "browserBroke"> {
  // The machine was slow, not the browser: another one would be as slow, and the pages that this one shows would be lost.
  if (screenshot === "hindered") return { screenshot: null, browserBroke };
  if (screenshot !== "late") return { screenshot, browserBroke };
  browser.reportIllness("it took no screenshot in time");
  return { screenshot: null, browserBroke: browserBroke || !browser.isFresh };
}

interface WatchedProbe<T> {
  readonly name: string;
  readonly deadlineMs: number;
  readonly probe: (signal: AbortSignal) => Promise<T>;
  /** Value for a missed deadline or an exception. */
  readonly otherwise: (because: ProbeFailure) => T;
  /** Whether an answer is missing that a standstill may have prevented. */
  readonly isSilent: (value: T) => boolean;
  /** The value with `server-busy` in place of each such failure. */
  readonly withoutSilence: (value: T) => T;
  readonly graceMs?: number;
}

export interface Watch {
  stage(stage: ProgressStage): void;
  /** Runs the probe, and once more if it was silent while the thread stood still. Never rejects. */
  within<T>(probe: WatchedProbe<T>): Promise<T>;
  timings(): Record<string, number>;
  sinceStart(): number;
}

/** Deadlines and timings of one scan: every probe stops at its own deadline and at the scan's. */
export function startWatch(
  scanEnds: AbortSignal,
  standstill: Pick<Standstill, "totalMs">,
  { clock, onStage, onTrace }: GatherListener,
): Watch {
  const startMs = clock.monotonicMs();
  const timings: Record<string, number> = {};
  const since = (fromMs: number) => Math.round(clock.monotonicMs() - fromMs);
  const timers = patientTimers(clock, standstill.totalMs);
  let reportedStep = -1;

  /** `isOurs`: the value is a silence for which a standstill may be the cause. */
  async function tryOnce<T>({ name, deadlineMs, probe, otherwise, isSilent, graceMs = abortGraceMs }: WatchedProbe<T>) {
    const fromMs = clock.monotonicMs();
    const stoodBeforeMs = standstill.totalMs();
    let fault: string | undefined;
    let value: T;
    onTrace({ event: "probe started", probe: name });
    try {
      value = await withDeadline(timers, deadlineMs, [scanEnds], (signal) =>
        Promise.race([probe(signal), graceAfterAbort(timers, signal, graceMs).then(() => otherwise("timeout"))]),
      );
    } catch (error) {
      // Probes return failures as readings, so an exception is a defect.
      fault = messageOf(error);
      value = otherwise("crashed");
    }
    const ms = since(fromMs);
    timings[name] = (timings[name] ?? 0) + ms;
    const stoodMs = standstill.totalMs() - stoodBeforeMs;
    onTrace({ event: "probe ended", probe: name, ms, ...(stoodMs > 0 ? { stoodMs } : {}), ...(fault === undefined ? {} : { fault }) });
    const isOurs = fault === undefined && isHindered(stoodMs, ms) && isSilent(value);
    return { value, isOurs };
  }

  return {
    stage: (stage) => {
      const step = progressStages.indexOf(stage);
      if (step <= reportedStep) return;
      reportedStep = step;
      onStage(stage);
    },
    within: async (probe) => {
      const first = await tryOnce(probe);
      if (!first.isOurs) return first.value;
      const second = scanEnds.aborted ? first : await tryOnce(probe);
      return second.isOurs ? probe.withoutSilence(second.value) : second.value;
    },
    timings: () => ({ ...timings, total: since(startMs) }),
    sinceStart: () => since(startMs),
  };
}

export function watchedPage(
  context: Omit<PageProbeContext, "signal">,
  { navigationMs, settleMaxMs, probeMs }: ScanDeadlines,
): WatchedProbe<PageVisit> {
  return {
    name: "page",
    deadlineMs: navigationMs + settleMaxMs + extensionMsMax + probeMs,
    probe: (signal) => probePage({ ...context, signal }),
    otherwise: failedVisit,
    isSilent: ({ readings }) => Object.values(readings).some(isSilence),
    withoutSilence: (visit) => ({ ...visit, readings: withoutSilences(visit.readings) }),
    graceMs: pageGraceMs,
  };
}

function withoutSilences(readings: PageReadings): PageReadings {
  return Object.fromEntries(Object.entries(readings).map(([name, reading]) => [name, withoutSilence(reading)])) as unknown as PageReadings;
}

async function graceAfterAbort(clock: Pick<Clock, "after">, signal: AbortSignal, graceMs: number): Promise<void> {
  await aborted(signal);
  await pause(clock, graceMs);
}

type DnsReadings = Pick<Readings, "dnsCaa" | "dnsIpv6" | "dnsNameServers" | "dnssec">;
type MailReadings = Pick<Readings, "mailMx" | "mailSpf" | "mailDmarc" | "mailMtaSts" | "mailMtaStsPolicy" | "mailTlsRpt" | "mailDane">;

/** Runs one probe within its deadline; never rejects. */
type RunProbe = <F>(name: string, probe: (signal: AbortSignal) => Promise<Reading<F>>) => Promise<Reading<F>>;

export function probeRunner(watch: Watch, deadlineMs: number): RunProbe {
  return (name, probe) => watch.within({ name, deadlineMs, probe, otherwise: failed, isSilent: isSilence, withoutSilence });
}

/** Probes of DNS and mail, started at once: they depend on the subject only, not on the page. */
function startNameProbes(context: Omit<MtaStsPolicyContext, "record" | "signal">, run: RunProbe) {
  type Context = typeof context & { readonly signal: AbortSignal };
  const ask = <F>(name: string, probe: (asked: Context) => Promise<Reading<F>>) => run(name, (signal) => probe({ ...context, signal }));
  const mailMx = ask("mailMx", probeMx);
  const mailMtaSts = ask("mailMtaSts", probeMtaSts);
  return {
    dns: allOf<DnsReadings>({
      dnsCaa: ask("dnsCaa", probeDnsCaa),
      dnsIpv6: ask("dnsIpv6", probeDnsIpv6),
      dnsNameServers: ask("dnsNameServers", probeNameServers),
      dnssec: ask("dnssec", probeDnssec),
    }),
    mail: allOf<MailReadings>({
      mailMx,
      mailSpf: ask("mailSpf", probeSpf),
      mailDmarc: ask("mailDmarc", probeDmarc),
      mailMtaSts,
      mailMtaStsPolicy: mailMtaSts.then((record) => ask("mailMtaStsPolicy", (asked) => probeMtaStsPolicy({ ...asked, record }))),
      mailTlsRpt: ask("mailTlsRpt", probeTlsRpt),
      mailDane: mailMx.then((mx) => ask("mailDane", (asked) => probeMailDane({ ...asked, mailMx: mx }))),
    }),
  };
}

/** The values of all promises by name. */
async function allOf<T extends object>(pending: { readonly [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const entries = Object.entries<Promise<unknown>>(pending as Record<string, Promise<unknown>>);
  return Object.fromEntries(await Promise.all(entries.map(async ([name, value]) => [name, await value]))) as T;
}

interface TlsEndpoint {
  readonly host: string;
  readonly port: number;
}

/** TLS probes of a scan: once for each endpoint, and the offers only for the one that serves the page. Null as endpoint is `not-asked`. */
export function openTlsEndpoints(run: RunProbe, { egress, caPems }: Pick<TlsContext, "egress" | "caPems">) {
  const readings = new Map<string, Promise<Reading<TlsFacts>>>();
  const offerReadings = new Map<string, Promise<Reading<TlsOffersFacts>>>();

  async function tls(endpoint: TlsEndpoint | null): Promise<Reading<TlsFacts>> {
    if (endpoint === null) return failed("not-asked");
    return once(readings, endpoint, () => run("tls", (signal) => probeTls({ egress, caPems, ...endpoint, signal })));
  }

  /** Starts after the TLS reading, whose versions it needs. */
  async function offers(endpoint: TlsEndpoint | null): Promise<Reading<TlsOffersFacts>> {
    if (endpoint === null) return failed("not-asked");
    return once(offerReadings, endpoint, async () => {
      const reading = await tls(endpoint);
      if (reading.status === "failed") return failed("not-asked");
      return run("tlsOffers", (signal) => probeTlsOffers({ egress, tls: reading.facts, signal }));
    });
  }

  return { tls, offers };
}

function once<T>(started: Map<string, Promise<T>>, { host, port }: TlsEndpoint, start: () => Promise<T>): Promise<T> {
  const key = `${host} ${port}`;
  const reading = started.get(key) ?? start();
  started.set(key, reading);
  return reading;
}

/** Leaves the certificate of the endpoint that `tls` has to that reading, so that no fault is charged twice. */
export function withoutCertificateOf(
  tls: Reading<TlsFacts>,
  securityTxt: Reading<SecurityTxtFacts>,
  finalUrl: string | null,
): Reading<SecurityTxtFacts> {
  if (tls.status === "failed" || securityTxt.status === "failed") return securityTxt;
  // The rows on TLS do not apply to a page over plain http.
  if (finalUrl !== null && !isHttps(finalUrl)) return securityTxt;
  const { host, port } = tls.facts;
  const isOfTls = (url: string) => isHttps(url) && hostOf(url) === host && tlsEndpointOf(url)?.port === port;
  const attempts = securityTxt.facts.attempts.map(({ hops, ...attempt }) =>
    hops === undefined ? attempt : { ...attempt, hops: hops.map((hop) => (isOfTls(hop.url) ? { ...hop, certificate: null } : hop)) },
  );
  return read({ attempts });
}

/** TLS endpoint of a URL: the port of https, 443 for http on port 80, otherwise null. */
export function tlsEndpointOf(url: string): TlsEndpoint | null {
  const parsed = URL.parse(url);
  if (parsed === null) return null;
  const { protocol, hostname: host, port } = parsed;
  if (protocol === "https:") return { host, port: port === "" ? 443 : Number(port) };
  return port === "" ? { host, port: 443 } : null;
}

/**
 * Credentials of a user are sent only to a server that proves its name with a valid certificate. Otherwise: the failure of the page.
 * `now` is ISO 8601.
 */
export function verifiedCredentials(
  credentials: TargetCredentials,
  tls: Reading<TlsFacts>,
  now: string,
): VerifiedCredentials | ProbeFailure {
  if (tls.status === "failed") return tls.because;
  const { trusted, trustedBy, hostMatches, chain } = tls.facts;
  const [leaf] = chain;
  const nowMs = Date.parse(now);
  const isInTime = leaf !== undefined && Date.parse(leaf.validFrom) <= nowMs && nowMs <= Date.parse(leaf.validTo);
  return trusted && hostMatches && isInTime ? { ...credentials, browserVerifies: trustedBy === "public" } : "tls";
}

/** The page without credentials would be another page, so it is not loaded at all. */
export function withoutVisit(because: ProbeFailure): PageVisit {
  return { ...failedVisit(because), browserBroke: false };
}

export function refusalOf({ origin }: TargetCredentials, because: ProbeFailure): string {
  return `headers and cookies were not sent to ${origin}: ${because === "tls" ? "its certificate is not valid" : `its TLS was not read (${because})`}`;
}
