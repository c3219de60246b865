/** Proves an application by the scanner as the program runs it, and visits it where nginx truly sends the proven headers. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../src/base/clock.ts";
import { headerValueCharsMax } from "../../../src/evidence/limits.ts";
import type { ProofStep } from "../../../src/evidence/proof.ts";
import type { ReplacedHeader } from "../../../src/probe/browser/page-fetch.ts";
import { compare, inBoth, type VisitComparison, type VisitFacts } from "../../../src/prove/compare.ts";
import type { PageNeeds } from "../../../src/prove/draft.ts";
import { headersToCopy, newNonce, type Proof, policiesIn, prove } from "../../../src/prove/prove.ts";
import type { Scanner } from "../../../src/scan/scanner.ts";
import { defaultDeadlines, type Visited } from "../../../src/scan/task.ts";
import { startEngine } from "../../browser/scan/engine.ts";
import { browserDir } from "../../support/binary.ts";
import { testAuthority } from "../../support/certificates.ts";
import { type DroppedSource, policiesWithoutEachSource } from "../../support/policy-sources.ts";
import { egressTo } from "../../support/servers.ts";
import { patientDeadlines } from "../../support/visits.ts";
import { type Fronted, startFront } from "./front.ts";

export interface ProvenPage extends Fronted {
  readonly url: string;
  /** `127.0.0.1:<port>` of the resolver that knows the host. */
  readonly resolver: string;
}

export interface MadeVisit {
  readonly step: ProofStep;
  readonly visited: Visited;
}

export interface ApplicationProof {
  readonly proof: Proof;
  readonly baselines: readonly [VisitFacts, VisitFacts];
  readonly visits: readonly MadeVisit[];
  readonly seconds: number;
}

/** A browser, its workers and an nginx of their own, for the time of the call. */
export async function withFront<T>(
  page: ProvenPage,
  headers: readonly ReplacedHeader[],
  use: (scanner: Scanner) => Promise<T>,
): Promise<T> {
  const front = await startFront(page, headers);
  const dataDir = mkdtempSync(join(tmpdir(), "assay-lab-prove-"));
  const { host, resolver } = page;
  const egress = egressTo({ [`${host}:443`]: front.tls, [`${host}:80`]: front.plain }, { dnsServers: [resolver] });
  const deadlines = { ...defaultDeadlines, ...patientDeadlines };
  try {
    const engine = await startEngine({ dataDir, browserDir, egress, caPems: [testAuthority().root.pem], deadlines, concurrency: 1 });
    return await use(engine.scanner).finally(engine.stop);
  } finally {
    await front.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Begins at the strictest rung. @throws Error if the page cannot be scanned or visited. */
export async function proveApplication(scanner: Scanner, { url }: ProvenPage): Promise<ApplicationProof> {
  const { signal } = new AbortController();
  const visits: MadeVisit[] = [];
  return scanner.withCatalog(async ({ scan, visit, judge }) => {
    const scanned = await scan(url, signal);
    if (scanned.status === "failed") throw new Error(`${url} was not scanned: ${scanned.code}`);
    const beganMs = performance.now();
    const plan = { policy: null, draft: "strict-hash", headers: [] } as const;
    const proof = await prove([url], { ...scanned, headerCharsMax: headerValueCharsMax }, plan, {
      visit: async (page, overrides, step) => {
        const visited = await visit({ url: page, overrides, screenshot: false }, signal, (wait) => wait());
        if (typeof visited !== "string") visits.push({ step, visited });
        return visited;
      },
      judge: (evidence) => judge(evidence, signal),
      nonce: () => newNonce(systemClock),
    });
    if (typeof proof === "string") throw new Error(`${url} was not proven: ${proof}`);
    const [first, second] = visits.filter(({ step }) => step === "baseline").map(({ visited }) => visited);
    if (first === undefined || second === undefined) throw new Error(`${url} was visited once only`);
    return { proof, visits, baselines: [first, second], seconds: (performance.now() - beganMs) / 1_000 };
  });
}

/** What the page needs: all that its visits of the proof observed. */
export function needsOf({ visits, baselines }: ApplicationProof): PageNeeds {
  const observed = visits.flatMap(({ step, visited }) => (step === "observe" ? visited.observation.blocked : []));
  const refined = visits.flatMap(({ step, visited }) => (step === "enforce" ? visited.observation.blocked : []));
  const [one, other] = baselines.map(({ observation }) => observation.shape);
  const shapes = one == null || other == null ? [] : [[one, other] as const];
  const formTargets = baselines.flatMap(({ readings: { dom } }) =>
    dom.status === "read" ? dom.facts.forms.map(({ action }) => action) : [],
  );
  const blocked = [...observed.filter(({ reportOnly }) => reportOnly), ...refined];
  return { blocked, shapes, formTargets: [...new Set(formTargets)], today: new Map() };
}

/** Visits the page without each source of the proven policy. A change that a second visit does not show was chance. */
export async function visitWithoutEachSource(
  scanner: Scanner,
  { url }: ProvenPage,
  proven: ApplicationProof,
): Promise<readonly Weakened[]> {
  const { headers, nonce } = proven.proof;
  const [policy = ""] = policiesIn(headers);
  const weakened: Weakened[] = [];
  for (const dropped of policiesWithoutEachSource(policy)) {
    const replaced = headers.map((header) => (header.value === policy ? { ...header, value: dropped.policy } : header));
    const overrides = { origin: new URL(url).origin, headers: replaced, nonce, canaries: null };
    const visit = async () => {
      const visited = await scanner.visitUrl({ url, overrides, screenshot: false }, () => {});
      if (typeof visited === "string") throw new Error(`${url} was not visited: ${visited}`);
      return compare(proven.baselines, visited);
    };
    const first = await visit();
    weakened.push({ ...dropped, comparison: first.verdict === "changes" ? inBoth(first, await visit()) : first });
  }
  return weakened;
}

export interface Weakened extends DroppedSource {
  readonly comparison: VisitComparison;
}

export interface SentHeaders {
  readonly comparison: VisitComparison;
  /** Requests that neither visit without the headers made. */
  readonly added: readonly string[];
  /** Score that a scan gives the page with these headers; null for a scan that failed. */
  readonly score: number | null;
}

/** The page in a fresh browser, from an nginx that sends the proven headers. A change that a second visit does not show was chance. */
export async function visitWithSentHeaders(page: ProvenPage, { proof, baselines }: ApplicationProof): Promise<SentHeaders> {
  const known = new Set(baselines.flatMap(requestsOf));
  return withFront(page, headersToCopy(proof), async (scanner) => {
    const visit = async () => {
      const visited = await scanner.visitUrl({ url: page.url, overrides: null, screenshot: false }, () => {});
      if (typeof visited === "string") throw new Error(`${page.url} was not visited: ${visited}`);
      return { comparison: compare(baselines, visited), added: requestsOf(visited).filter((request) => !known.has(request)) };
    };
    const first = await visit();
    const scanned = await scanner.scanUrl(page.url, () => {});
    const score = scanned.status === "finished" ? scanned.result.score : null;
    if (first.comparison.verdict !== "changes" && first.added.length === 0) return { ...first, score };
    const second = await visit();
    const added = second.added.filter((request) => first.added.includes(request));
    return { comparison: inBoth(first.comparison, second.comparison), added, score };
  });
}

/** Kinds and addresses without query, which may differ between two visits. */
function requestsOf({ observation }: VisitFacts): readonly string[] {
  return [...new Set(observation.requests.map(({ kind, url }) => `${kind} ${url.replace(/[?#].*$/s, "")}`))].sort();
}
