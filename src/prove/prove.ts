/**
 * Proves headers on pages of one origin: visits them as they are, with what only observes, and with the headers, and judges the result as a
 * scan does.
 *
 * No visit of a page can be left out. Two baselines show what differs without the headers. The observing visit can
 * stand for neither: a page that hears of violations behaves otherwise in it. The visit with the headers shows what they block on this page.
 */
import { type Clock, systemClock } from "../base/clock.ts";
import type { State } from "../check/check.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { BlockedByPolicy, DocumentShape } from "../evidence/observation.ts";
import { type ProofPictures, type ProofPlan, type ProofStep, type Rung, rungs } from "../evidence/proof.ts";
import type { ScanErrorCode } from "../evidence/scan.ts";
import type { NotCheckedBecause, StoredResult } from "../judge/result.ts";
import { valuesNamed } from "../parse/header-fields.ts";
import { type CanaryPage, isHtmlType, type PageOverrides, type ReplacedHeader } from "../probe/browser/page-fetch.ts";
import { predictedEvidence } from "../scan/predict.ts";
import { scanErrorCodeOf, type Visited } from "../scan/task.ts";
import { type NamedSource, type Observed, unneededSources } from "./allowed.ts";
import { type CanaryResult, canaryPage, canaryResults, hasRunning } from "./canaries.ts";
import {
  attackUntold,
  compare,
  heedingReactions,
  inBoth,
  observedNeeds,
  type ProofVerdict,
  type UnknownBecause,
  type VisitComparison,
} from "./compare.ts";
import { type Draft, type DraftCost, draftPolicy, needsOfAll, nonceMark, type PageNeeds, type RefusedBecause } from "./draft.ts";
import { enforcedToday, formTargetsOf, stopsHandlers } from "./scan-draft.ts";

export type { ProofPlan, ProofStep } from "../evidence/proof.ts";

const policyName = "Content-Security-Policy";
const reportName = "Content-Security-Policy-Report-Only";
/** Reports all that a page needs, and blocks nothing. */
const observingPolicy = "default-src 'none' 'report-sample'; base-uri 'none'; form-action 'none'";
/** Drafts of one rung after the first: what only appears once scripts run. */
const refinementsMax = 2;

/** Pages that are attacked: a policy stops the same code on pages that are built alike. */
const attackedPagesMax = 3;

/** Time of all visits of a page together, in milliseconds. Those of an ordinary page take 10 to 20 s. */
export const pageMsMax = 300_000;

/** Random bytes of a nonce. CSP level 3, section 7.1, asks for 128 bits. */
const nonceBytes = 16;

/** In base64url. */
export function newNonce(clock: Pick<Clock, "randomBytes">): string {
  return clock.randomBytes(nonceBytes).toString("base64url");
}

/** What a proof needs of its surroundings. */
export interface ProofTools {
  /** `onBegin`: called if the visit had to wait; the time before does not count. */
  visit(url: string, overrides: PageOverrides | null, step: ProofStep, onBegin: () => void): Promise<Visited | ScanErrorCode>;
  judge(evidence: Evidence): Promise<StoredResult | ScanErrorCode>;
  /** See `newNonce`. */
  nonce(): string;
  /** Visits of different pages at once; 1 by default. */
  readonly visitsAtOnce?: number;
  /** The real one by default. */
  readonly clock?: Pick<Clock, "monotonicMs">;
}

export interface RefusedRung {
  readonly rung: Rung;
  readonly because: RefusedBecause;
  /** What the visits with its draft blocked; empty if it was refused without a visit. */
  readonly blocked: readonly BlockedByPolicy[];
}

export interface PageProof {
  /** As it was given. */
  readonly url: string;
  readonly comparison: VisitComparison;
  /** Empty if the headers have no policy, break a page, or were attacked on a page that is built alike. */
  readonly canaries: readonly CanaryResult[];
  /** Null if the judge failed. */
  readonly before: StoredResult | null;
  /** Null if no policy was found, the page is not measured, or the judge failed. */
  readonly after: StoredResult | null;
  readonly serviceWorker: boolean;
  /** As the visits took them. `after`: null also without headers that were tried. */
  readonly pictures: ProofPictures;
}

/** One policy for all pages. */
export interface Proof {
  /** Documents of this origin got the headers. */
  readonly origin: string;
  /** In the order in which they were given. */
  readonly pages: readonly PageProof[];
  /** Pages of which a visit could not be made. */
  readonly unvisited: readonly { readonly url: string; readonly code: ScanErrorCode }[];
  /** All that was replaced in the visits. Null as a value takes a field away. */
  readonly headers: readonly ReplacedHeader[];
  /** Null for a policy of the user. */
  readonly rung: Rung | null;
  readonly costs: readonly DraftCost[];
  /** Nonce in the headers that each answer must replace; null without one. */
  readonly nonce: string | null;
  readonly refused: readonly RefusedRung[];
  /** Sources of a draft that works which no visit needed; empty for a policy of the user, whose visits do not observe what it allows. */
  readonly unneeded: readonly NamedSource[];
  readonly visits: number;
}

/** The scan of one of the pages: what no visit reads, such as TLS, holds for all of them. Without a score, none is predicted. */
export interface ScannedPage {
  readonly evidence: Evidence;
  readonly result: StoredResult;
  readonly headerCharsMax: number;
}

/**
 * `urls`: pages of one origin, each once; the scanned page is one of them, in the same spelling. An error code if no page could be visited.
 */
export async function prove(
  urls: readonly string[],
  scanned: ScannedPage,
  plan: ProofPlan,
  tools: ProofTools,
): Promise<Proof | ScanErrorCode> {
  const { navigation } = scanned.evidence;
  if (navigation.status === "failed") return scanErrorCodeOf[navigation.because];
  return new Prover(scanned, plan, tools, new URL(navigation.facts.finalUrl)).prove(urls);
}

/** A page with its visits without changed headers; the second one is the first for a page that cannot be read. */
interface Page {
  readonly url: string;
  readonly baselines: readonly [Visited, Visited];
  /** Null for a page that cannot be proven. */
  readonly shapes: PageNeeds["shapes"][number] | null;
}

interface TriedPage {
  readonly page: Page;
  readonly comparison: VisitComparison;
  readonly visited: Visited;
}

interface Attempt {
  readonly headers: readonly ReplacedHeader[];
  readonly draft: Draft | null;
  readonly rung: Rung | null;
  readonly tried: readonly TriedPage[];
}

interface Attacked {
  readonly results: readonly CanaryResult[];
  /** Reason why what did not run proves nothing; null if it proves something. */
  readonly because: UnknownBecause | null;
}

/** Thrown within this file for a visit that could not be made. */
class VisitFailed extends Error {
  constructor(readonly code: ScanErrorCode) {
    super(code);
  }
}

/** Errors that are none of a page: no other page could be visited either. */
const endings: readonly ScanErrorCode[] = ["interrupted", "browser-unavailable"];

class Prover {
  readonly #scanned: ScannedPage;
  readonly #plan: ProofPlan;
  readonly #tools: ProofTools;
  readonly #page: URL;
  readonly #nonce: string;
  readonly #unvisited = new Map<string, ScanErrorCode>();
  /** Milliseconds of the visits of each page. */
  readonly #spentMs = new Map<string, number>();
  /** What the pages need, as far as visits have shown it; null if some of it was dropped. */
  #observed: readonly Observed[] | null = [];
  #visits = 0;

  constructor(scanned: ScannedPage, plan: ProofPlan, tools: ProofTools, page: URL) {
    this.#scanned = scanned;
    this.#plan = plan;
    this.#tools = tools;
    this.#page = page;
    this.#nonce = tools.nonce();
  }

  async prove(urls: readonly string[]): Promise<Proof | ScanErrorCode> {
    try {
      const pages = await this.#ofEach(
        urls.map((url) => ({ url })),
        ({ url }) => this.#baselines(url),
      );
      const readable = pages.filter(({ shapes }) => shapes !== null);
      const { draft, headers } = this.#plan;
      const refused: RefusedRung[] = [];
      const given = this.#givenPolicy();
      const attempt =
        readable.length === 0
          ? { headers: [], draft: null, rung: null, tried: [] }
          : given !== null || draft === null
            ? await this.#attempt(readable, given === null ? headers : [...policyHeaders(given.policy), ...headers], given)
            : await this.#climb(draft, readable, refused);
      const unread = pages.filter(({ shapes }) => shapes === null).map((page) => this.#untried(page));
      return await this.#proof({ ...attempt, tried: [...attempt.tried, ...unread] }, urls, refused);
    } catch (error) {
      if (error instanceof VisitFailed) return error.code;
      throw error;
    }
  }

  #givenPolicy(): Draft | null {
    const { policy } = this.#plan;
    const usesNonce = policy?.includes(nonceMark) === true;
    return policy === null ? null : { policy: policy.replaceAll(nonceMark, this.#nonce), usesNonce, costs: usesNonce ? ["nonce"] : [] };
  }

  /** Leaves out pages whose visit cannot be made. @throws VisitFailed if none is left. */
  async #ofEach<T extends { readonly url: string }, R>(pages: readonly T[], visit: (page: T) => Promise<R>): Promise<readonly R[]> {
    const waiting = [...pages.entries()];
    const done: R[] = [];
    const ended: VisitFailed[] = [];
    const lane = async () => {
      for (let next = waiting.shift(); next !== undefined && ended.length === 0; next = waiting.shift()) {
        const [at, page] = next;
        try {
          done[at] = await visit(page);
        } catch (error) {
          if (!(error instanceof VisitFailed)) throw error;
          if (endings.includes(error.code)) ended.push(error);
          this.#unvisited.set(page.url, error.code);
        }
      }
    };
    await Promise.all(Array.from({ length: this.#tools.visitsAtOnce ?? 1 }, lane));
    const made = Object.values(done);
    const [code] = this.#unvisited.values();
    for (const ending of ended) throw ending;
    if (made.length === 0 && code !== undefined) throw new VisitFailed(code);
    return made;
  }

  async #baselines(url: string): Promise<Page> {
    const { evidence } = this.#scanned;
    const isUnread = evidence.subject.url === url && evidence.dom.status === "failed";
    const first = isUnread ? unreadVisit(evidence) : await this.#visit(url, null, "baseline");
    // Further visits of a page that cannot be read would cost their deadlines, and answer nothing.
    if (!isReadable(first) || this.#isElsewhere(first)) return { url, baselines: [first, first], shapes: null };
    // Answered by this program, with the headers of the server: what differs by that is noise, too.
    const second = await this.#visit(url, [], "baseline");
    const [one, other] = [first.observation.shape, second.observation.shape];
    return { url, baselines: [first, second], shapes: one === null || other === null || !isReadable(second) ? null : [one, other] };
  }

  /** True for a page that leads to another origin, whose documents keep their headers. */
  #isElsewhere({ readings: { navigation } }: Visited): boolean {
    return navigation.status === "read" && new URL(navigation.facts.finalUrl).origin !== this.#page.origin;
  }

  /** The first rung that works; the last attempt if none does. */
  async #climb(from: Rung, pages: readonly Page[], refused: RefusedRung[]): Promise<Attempt> {
    const needs = await this.#ofEach(pages, async (page) => {
      const observed = await this.#visit(page.url, [{ name: reportName, value: observingPolicy }], "observe");
      const needed = this.#needs(page, observed);
      this.#note(observed.observation.blockedDropped > 0 ? null : needed.blocked);
      return needed;
    });
    let last: Attempt | null = null;
    for (const rung of rungs.slice(rungs.indexOf(from))) {
      const attempt = await this.#tryRung(rung, pages, needsOfAll(needs));
      if ("refused" in attempt) {
        refused.push({ rung, because: attempt.refused, blocked: [] });
        continue;
      }
      const verdict = worstOf(attempt.tried.map(({ comparison }) => comparison.verdict));
      if (verdict !== "blocks" && verdict !== "changes") return attempt;
      last = attempt;
      refused.push({ rung, because: verdict, blocked: blockedIn(attempt) });
    }
    if (last !== null) return last;
    const tried = pages.map((page) => {
      const untried = this.#untried(page);
      return { ...untried, comparison: { ...untried.comparison, verdict: "no-draft" as const } };
    });
    return { headers: [], draft: null, rung: null, tried };
  }

  async #tryRung(rung: Rung, pages: readonly Page[], needs: PageNeeds): Promise<Attempt | { readonly refused: RefusedBecause }> {
    const terms = { pageUrl: this.#page.href, nonce: this.#nonce, charsMax: this.#scanned.headerCharsMax };
    let known = needs;
    let last: Attempt | null = null;
    for (let refinement = 0; refinement <= refinementsMax; refinement++) {
      const draft = draftPolicy(rung, { ...known, ...terms });
      if ("refused" in draft) return draft;
      if (draft.policy === last?.draft?.policy) break;
      last = await this.#attempt(pages, [...policyHeaders(draft.policy), ...this.#plan.headers], draft, rung);
      const blocked = blockedIn(last);
      this.#note(blocked);
      if (blocked.length === 0) break;
      known = { ...known, blocked: [...known.blocked, ...blocked] };
    }
    return last ?? { refused: "blocks" };
  }

  #note(observed: readonly Observed[] | null): void {
    this.#observed = this.#observed === null || observed === null ? null : [...this.#observed, ...observed];
  }

  #unneeded({ draft, rung, tried }: Attempt): readonly NamedSource[] {
    const works = tried.every(({ page: { shapes }, comparison: { verdict } }) => shapes === null || verdict === "works");
    if (draft === null || rung === null || this.#observed === null || !works) return [];
    const unneeded = unneededSources(draft.policy, this.#observed, this.#page.href);
    return unneeded.map(({ directive, source }) => ({ directive, source: source.replaceAll(this.#nonce, nonceMark) }));
  }

  async #attempt(
    pages: readonly Page[],
    headers: readonly ReplacedHeader[],
    draft: Draft | null = null,
    rung: Rung | null = null,
  ): Promise<Attempt> {
    const nonce = draft?.usesNonce === true ? this.#nonce : null;
    const tried = await this.#ofEach(
      pages.filter(({ url }) => !this.#unvisited.has(url)),
      async (page) => {
        const visited = await this.#visit(page.url, headers, "enforce", nonce);
        const comparison = compare(page.baselines, visited);
        if (comparison.verdict !== "changes") return { page, comparison, visited };
        const again = await this.#visit(page.url, headers, "enforce", nonce);
        const inEach = inBoth(comparison, compare(page.baselines, again));
        return { page, comparison: heedingReactions(inEach, page.baselines, again), visited: again };
      },
    );
    return { headers, draft, rung, tried };
  }

  #untried(page: Page): TriedPage {
    const [first, second] = page.baselines;
    const comparison = compare(page.baselines, second);
    const elsewhere = this.#isElsewhere(first) ? ({ verdict: "unknown", because: "other-origin" } as const) : {};
    return { page, visited: second, comparison: { ...comparison, ...elsewhere } };
  }

  async #visit(
    url: string,
    headers: readonly ReplacedHeader[] | null,
    step: ProofStep,
    nonce: string | null = null,
    canaries: CanaryPage | null = null,
  ): Promise<Visited> {
    const spentMs = this.#spentMs.get(url) ?? 0;
    if (spentMs > pageMsMax) throw new VisitFailed("timeout");
    this.#visits++;
    const { origin } = this.#page;
    const { clock = systemClock } = this.#tools;
    let beganMs = clock.monotonicMs();
    const overrides = headers === null ? null : { origin, headers: silenced(headers), nonce, canaries };
    const visited = await this.#tools.visit(url, overrides, step, () => {
      beganMs = clock.monotonicMs();
    });
    this.#spentMs.set(url, spentMs + clock.monotonicMs() - beganMs);
    if (typeof visited === "string") throw new VisitFailed(visited);
    return visited;
  }

  /** Without any policy, those in meta elements included, then with the headers: only what runs without a policy proves something. */
  async #attack({ headers, draft, tried }: Attempt): Promise<ReadonlyMap<string, Attacked>> {
    const policies = policiesIn(headers);
    const isBroken = tried.some(({ comparison: { verdict } }) => verdict === "blocks" || verdict === "changes");
    if (policies.length === 0 || isBroken) return new Map();
    const working = tried.filter(({ page, comparison: { verdict } }) => verdict === "works" && isHtmlPage(page)).map(({ page }) => page);
    const alike = Map.groupBy(working, ({ shapes }) => shapes?.[0].elements.map(({ name }) => name).join(" "));
    const attacked = [...alike.values()].flatMap(([page]) => page ?? []).slice(0, attackedPagesMax);
    if (attacked.length === 0) return new Map();
    const freshNonce = draft?.usesNonce === true ? this.#nonce : null;
    const results = await this.#ofEach(attacked, async ({ url, baselines }) => {
      const canaries = canaryPage(this.#tools.nonce(), { policies, pageUrl: this.#page.href, freshNonce });
      const without = await this.#visit(url, policyHeaders(null), "attack", null, { ...canaries, withoutMetaPolicies: true });
      const within = await this.#visit(url, headers, "attack", freshNonce, canaries);
      const results = canaryResults(canaries, without.observation.canaries, within.observation.canaries);
      const because = attackUntold(baselines, without, within);
      // What did not run may still run where the page stays as it is.
      return [url, { results: because === null ? results : results.filter((result) => hasRunning([result])), because }] as const;
    });
    return new Map(results);
  }

  #needs({ shapes, baselines: [{ readings }] }: Page, { observation }: Visited): PageNeeds {
    const needed =
      shapes !== null && stopsHandlers(readings) ? ([withoutHandlers(shapes[0]), withoutHandlers(shapes[1])] as const) : shapes;
    return {
      blocked: observedNeeds(observation),
      shapes: needed === null ? [] : [needed],
      formTargets: formTargetsOf(readings),
      today: enforcedToday(readings),
    };
  }

  async #proof(attempt: Attempt, urls: readonly string[], refused: readonly RefusedRung[]): Promise<Proof> {
    const { headers, draft, rung, tried } = attempt;
    const attacked = await this.#attack(attempt);
    const pages: PageProof[] = [];
    for (const one of tried.toSorted((a, b) => urls.indexOf(a.page.url) - urls.indexOf(b.page.url)))
      if (!this.#unvisited.has(one.page.url)) pages.push(await this.#pageProof(one, headers, attacked.get(one.page.url)));
    return {
      origin: this.#page.origin,
      pages,
      unvisited: [...this.#unvisited].map(([url, code]) => ({ url, code })).toSorted((a, b) => urls.indexOf(a.url) - urls.indexOf(b.url)),
      headers,
      rung,
      costs: draft?.costs ?? [],
      nonce: draft?.usesNonce === true ? this.#nonce : null,
      refused,
      unneeded: this.#unneeded(attempt),
      visits: this.#visits,
    };
  }

  async #pageProof(
    { page: { url, baselines, shapes }, comparison, visited }: TriedPage,
    headers: readonly ReplacedHeader[],
    { results: canaries, because }: Attacked = { results: [], because: null },
  ): Promise<PageProof> {
    const { evidence, result } = this.#scanned;
    const isScanned = evidence.subject.url === url;
    const today = isScanned ? evidence : { ...evidence, ...baselines[0].readings, subject: { ...evidence.subject, url } };
    const before = isScanned ? result : await this.#judge(today);
    const hasTried = headers.length > 0 && shapes !== null;
    const after = hasTried && before?.measured === true ? await this.#judge(predictedEvidence(today, headers, visited.readings)) : null;
    const serviceWorker = baselines.some(({ observation }) => observation.serviceWorker);
    const pictures = { before: baselines[1].screenshot, after: hasTried ? visited.screenshot : null };
    const told = because === null ? comparison : { ...comparison, verdict: "unknown" as const, because };
    return { url, comparison: told, canaries, before, after, serviceWorker, pictures };
  }

  async #judge(evidence: Evidence): Promise<StoredResult | null> {
    const judged = await this.#tools.judge(evidence);
    return typeof judged === "string" ? null : judged;
  }
}

/** Nothing can be written into other documents, such as plain text, and no script runs in them. */
function isHtmlPage({ baselines: [{ readings }] }: Page): boolean {
  return readings.page.status === "failed" || isHtmlType(valuesNamed(readings.page.facts.headers, "content-type")[0]);
}

/** False for a page of which no visit can be compared. */
export function isReadable({ observation: { shape, unchanged, stillLoading = false } }: Visited): boolean {
  return shape !== null && unchanged === null && !stillLoading;
}

/** Stands for a visit of the page that the scan could not read: a hanging page costs each visit its deadline. */
function unreadVisit(readings: Evidence): Visited {
  const none = { requests: [], requestsDropped: 0, errors: [], errorsDropped: 0, blocked: [], blockedDropped: 0, canaries: [] };
  const observation = { ...none, shape: null, serviceWorker: false, unchanged: null };
  return { readings, observation, screenshot: null, browserBroke: false, refusals: [] };
}

function blockedIn({ tried }: Attempt): readonly BlockedByPolicy[] {
  return tried.flatMap(({ comparison }) => comparison.blocked);
}

/** The worst first. */
const verdicts: readonly ProofVerdict[] = ["blocks", "changes", "no-draft", "unknown", "works"];

function worstOf(given: readonly ProofVerdict[]): ProofVerdict {
  return verdicts.find((verdict) => given.includes(verdict)) ?? "unknown";
}

/** The worst verdict of a page. */
export function proofVerdict({ pages }: Pick<Proof, "pages">): ProofVerdict {
  return worstOf(pages.map(({ comparison }) => comparison.verdict));
}

/** True for headers that break none of the visited pages, and let no injected code run. */
export function isProven({ pages }: Pick<Proof, "pages">): boolean {
  return pages.length > 0 && pages.every(({ comparison, canaries }) => comparison.verdict === "works" && !hasRunning(canaries));
}

/** Values of the policies among the headers. */
export function policiesIn(headers: readonly ReplacedHeader[]): readonly string[] {
  return headers.flatMap(({ name, value }) => (name.toLowerCase() === policyName.toLowerCase() ? [value ?? ""] : []));
}

export function headersToCopy({ headers, nonce }: Pick<Proof, "headers" | "nonce">): readonly ReplacedHeader[] {
  return headers.map(({ name, value }) => ({ name, value: nonce === null ? value : (value?.replaceAll(nonce, nonceMark) ?? null) }));
}

/** A row whose state the headers change. */
export interface ChangedRow {
  readonly key: string;
  readonly before: State;
  readonly after: State;
  readonly because: NotCheckedBecause | null;
}

export function changedRows({ before, after }: Pick<PageProof, "before" | "after">): readonly ChangedRow[] {
  const known = new Map(before?.ledger.map((row) => [row.key, row.state]));
  return (after?.ledger ?? []).flatMap(({ key, state, notCheckedBecause = null }) => {
    const was = known.get(key) ?? state;
    return was === state ? [] : [{ key, before: was, after: state, because: notCheckedBecause }];
  });
}

function withoutHandlers(shape: DocumentShape): DocumentShape {
  return { ...shape, handlers: 0, inline: shape.inline.filter(({ kind }) => kind !== "handler") };
}

/** Fields that name where reports are sent. */
const reportFields: readonly string[] = ["Report-To", "Reporting-Endpoints", "NEL"];

/** Nothing of a proof is reported: its visits are none of visitors. */
export function silenced(headers: readonly ReplacedHeader[]): readonly ReplacedHeader[] {
  const withoutTarget = (value: string) => value.replace(/(^|[;,])\s*report-(?:uri|to)\b[^;,]*/gi, "$1");
  const kept = headers.filter(({ name }) => !reportFields.some((field) => field.toLowerCase() === name.toLowerCase()));
  return [
    ...kept.map(({ name, value }) => ({
      name,
      value: value === null || !/^content-security-policy/i.test(name) ? value : withoutTarget(value),
    })),
    ...reportFields.map((name) => ({ name, value: null })),
  ];
}

/** The policy takes the place of all that the server sends of its kind. */
function policyHeaders(policy: string | null): readonly ReplacedHeader[] {
  return [
    { name: policyName, value: policy },
    { name: reportName, value: null },
  ];
}
