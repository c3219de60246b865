/** Proves headers on a page: visits it as it is, with what only observes, and with the headers, and judges the result as a scan does. */
import type { State } from "../check/check.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { BlockedByPolicy } from "../evidence/observation.ts";
import type { ScanErrorCode } from "../evidence/scan.ts";
import type { NotCheckedBecause, StoredResult } from "../judge/result.ts";
import { parseCsp } from "../parse/csp.ts";
import { valuesNamed } from "../parse/header-fields.ts";
import type { CanaryPage, PageOverrides, ReplacedHeader } from "../probe/browser/page-fetch.ts";
import type { Visited } from "../scan/task.ts";
import { type CanaryResult, canaryPage, canaryResults } from "./canaries.ts";
import { compare, inBoth, type VisitComparison } from "./compare.ts";
import {
  type Draft,
  type DraftCost,
  type DraftNeeds,
  draftPolicy,
  type PageNeeds,
  type RefusedBecause,
  type Rung,
  rungs,
} from "./draft.ts";
import { predictedEvidence } from "./predict.ts";

const policyName = "Content-Security-Policy";
const reportName = "Content-Security-Policy-Report-Only";
/** Reports all that a page needs, and blocks nothing. */
const observingPolicy = "default-src 'none' 'report-sample'; base-uri 'none'; form-action 'none'";
/** Drafts of one rung after the first: what only appears once scripts run. */
const refinementsMax = 2;

export type ProofStep = "baseline" | "observe" | "enforce" | "attack";

/** What a proof needs of its surroundings. */
export interface ProofTools {
  visit(overrides: PageOverrides | null, step: ProofStep): Promise<Visited | ScanErrorCode>;
  judge(evidence: Evidence): Promise<StoredResult | ScanErrorCode>;
  /** 128 random bits or more, in base64. */
  nonce(): string;
}

export interface ProofPlan {
  /** Policy of the user; null to draft one, if `draft` names where to begin. */
  readonly policy: string | null;
  readonly draft: Rung | null;
  /** Further headers, proven together with the policy. */
  readonly headers: readonly ReplacedHeader[];
}

export interface RefusedRung {
  readonly rung: Rung;
  readonly because: RefusedBecause;
  /** What the visit with its draft blocked; empty if it was refused without a visit. */
  readonly blocked: readonly BlockedByPolicy[];
}

export interface Proof {
  readonly comparison: VisitComparison;
  /** All that was replaced in the visit. Null as a value takes a field away. */
  readonly headers: readonly ReplacedHeader[];
  /** Null for a policy of the user. */
  readonly rung: Rung | null;
  readonly costs: readonly DraftCost[];
  /** Nonce in the headers that each answer must replace; null without one. */
  readonly nonce: string | null;
  readonly refused: readonly RefusedRung[];
  /** Empty if the headers have no policy, or break the page. */
  readonly canaries: readonly CanaryResult[];
  readonly before: StoredResult;
  /** Null if no policy was found, or the judge failed. */
  readonly after: StoredResult | null;
  readonly visits: number;
  readonly serviceWorker: boolean;
}

/** The scan of the page. Without a score, none is predicted. */
export interface ScannedPage {
  readonly evidence: Evidence;
  readonly result: StoredResult;
  readonly headerCharsMax: number;
}

/** An error code if a visit could not be made at all. */
export async function provePage(scanned: ScannedPage, plan: ProofPlan, tools: ProofTools): Promise<Proof | ScanErrorCode> {
  const { navigation } = scanned.evidence;
  if (navigation.status === "failed") return "unreachable";
  return new Prover(scanned, plan, tools, new URL(navigation.facts.finalUrl)).prove();
}

interface Attempt {
  readonly headers: readonly ReplacedHeader[];
  readonly comparison: VisitComparison;
  readonly visited: Visited;
  readonly draft: Draft | null;
}

/** Thrown within this file for a visit that could not be made. */
class VisitFailed extends Error {
  constructor(readonly code: ScanErrorCode) {
    super(code);
  }
}

class Prover {
  readonly #scanned: ScannedPage;
  readonly #plan: ProofPlan;
  readonly #tools: ProofTools;
  readonly #page: URL;
  readonly #nonce: string;
  #baselines: readonly [Visited, Visited] | null = null;
  #visits = 0;

  constructor(scanned: ScannedPage, plan: ProofPlan, tools: ProofTools, page: URL) {
    this.#scanned = scanned;
    this.#plan = plan;
    this.#tools = tools;
    this.#page = page;
    this.#nonce = tools.nonce();
  }

  async prove(): Promise<Proof | ScanErrorCode> {
    try {
      const first = await this.#visit(null, "baseline");
      // Further visits of a page that cannot be read would cost their deadlines, and answer nothing.
      if (first.observation.shape === null)
        return await this.#proof({ headers: [], comparison: compare([first, first], first), visited: first, draft: null }, null, []);
      // Answered by this program, with the headers of the server: what differs by that is noise, too.
      const second = await this.#visit([], "baseline");
      this.#baselines = [first, second];
      const { policy, draft, headers } = this.#plan;
      if (policy !== null || draft === null) {
        const all = policy === null ? headers : [...policyHeaders(policy), ...headers];
        return await this.#proof(await this.#attempt(all, null), null, []);
      }
      return await this.#climb(draft, this.#baselines);
    } catch (error) {
      if (error instanceof VisitFailed) return error.code;
      throw error;
    }
  }

  /** The first rung that works; the last attempt if none does. */
  async #climb(from: Rung, [first, second]: readonly [Visited, Visited]): Promise<Proof> {
    const shapes = [first.observation.shape, second.observation.shape] as const;
    const [one, other] = shapes;
    // Nothing can be drafted for a page that cannot be read: the attempt says why.
    if (one === null || other === null) return this.#proof(await this.#attempt(this.#plan.headers, null), null, []);
    const observed = await this.#visit([{ name: reportName, value: observingPolicy }], "observe");
    const reported = observed.observation.blocked.filter(({ reportOnly }) => reportOnly);
    const needs = { ...this.#needs(first), shapes: [[one, other]] as const };
    const refused: RefusedRung[] = [];
    let last: { readonly attempt: Attempt; readonly rung: Rung } | null = null;
    for (const rung of rungs.slice(rungs.indexOf(from))) {
      const tried = await this.#tryRung(rung, { ...needs, blocked: reported });
      if ("refused" in tried) {
        refused.push({ rung, because: tried.refused, blocked: [] });
        continue;
      }
      last = { attempt: tried, rung };
      const { verdict, blocked } = tried.comparison;
      if (verdict !== "blocks" && verdict !== "changes") return this.#proof(tried, rung, refused);
      refused.push({ rung, because: verdict, blocked });
    }
    if (last !== null) return this.#proof(last.attempt, last.rung, refused);
    const none = await this.#attempt(this.#plan.headers, null);
    return this.#proof({ ...none, comparison: { ...none.comparison, verdict: "no-draft" } }, null, refused);
  }

  async #tryRung(rung: Rung, needs: DraftNeeds): Promise<Attempt | { readonly refused: RefusedBecause }> {
    let known = needs;
    let last: Attempt | null = null;
    for (let refinement = 0; refinement <= refinementsMax; refinement++) {
      const draft = draftPolicy(rung, known);
      if ("refused" in draft) return draft;
      if (draft.policy === last?.draft?.policy) break;
      last = await this.#attempt([...policyHeaders(draft.policy), ...this.#plan.headers], draft);
      if (last.comparison.verdict !== "blocks") break;
      known = { ...known, blocked: [...known.blocked, ...last.comparison.blocked] };
    }
    return last ?? { refused: "blocks" };
  }

  async #attempt(headers: readonly ReplacedHeader[], draft: Draft | null): Promise<Attempt> {
    const baselines = this.#baselines as readonly [Visited, Visited];
    const visited = await this.#visit(headers, "enforce", draft?.usesNonce === true ? this.#nonce : null);
    const comparison = compare(baselines, visited);
    if (comparison.verdict !== "changes") return { headers, comparison, visited, draft };
    const again = await this.#visit(headers, "enforce", draft?.usesNonce === true ? this.#nonce : null);
    return { headers, comparison: inBoth(comparison, compare(baselines, again)), visited: again, draft };
  }

  async #visit(
    headers: readonly ReplacedHeader[] | null,
    step: ProofStep,
    nonce: string | null = null,
    canaries: CanaryPage | null = null,
  ): Promise<Visited> {
    this.#visits++;
    const { origin } = this.#page;
    const visited = await this.#tools.visit(headers === null ? null : { origin, headers: silenced(headers), nonce, canaries }, step);
    if (typeof visited === "string") throw new VisitFailed(visited);
    return visited;
  }

  /** Without any policy, then with the headers: only what runs without a policy proves something. */
  async #attack(headers: readonly ReplacedHeader[], draft: Draft | null): Promise<readonly CanaryResult[]> {
    const policies = headers.flatMap(({ name, value }) => (name.toLowerCase() === policyName.toLowerCase() ? [value ?? ""] : []));
    if (policies.length === 0) return [];
    const canaries = canaryPage(this.#tools.nonce(), policies, this.#page.href);
    const without = await this.#visit(policyHeaders(null), "attack", null, canaries);
    const within = await this.#visit(headers, "attack", draft?.usesNonce === true ? this.#nonce : null, canaries);
    return canaryResults(canaries, without.observation.canaries, within.observation.canaries);
  }

  #needs({ readings: { dom, markup } }: Visited): Omit<DraftNeeds, "shapes" | "blocked"> {
    const forms = dom.status === "read" ? dom.facts.forms.map(({ action }) => action) : [];
    const buttons = markup.status === "read" ? markup.facts.formActions.map(({ action }) => action) : [];
    const common = { pageUrl: this.#page.href, nonce: this.#nonce, charsMax: this.#scanned.headerCharsMax };
    return { ...common, formTargets: [...forms, ...buttons], today: enforcedToday(this.#scanned.evidence) };
  }

  async #proof(attempt: Attempt, rung: Rung | null, refused: readonly RefusedRung[]): Promise<Proof> {
    const { headers, comparison, visited, draft } = attempt;
    const predicted = predictedEvidence(this.#scanned.evidence, headers, visited.readings);
    const canaries = comparison.verdict === "works" ? await this.#attack(headers, draft) : [];
    const after = headers.length === 0 || !this.#scanned.result.measured ? null : await this.#tools.judge(predicted);
    return {
      comparison,
      headers,
      rung,
      costs: draft?.costs ?? [],
      nonce: draft?.usesNonce === true ? this.#nonce : null,
      refused,
      canaries,
      before: this.#scanned.result,
      after: typeof after === "string" ? null : after,
      visits: this.#visits,
      serviceWorker: this.#baselines?.some(({ observation }) => observation.serviceWorker) === true,
    };
  }
}

/** True for headers that break nothing and let no injected code run. */
export function isProven({ comparison, canaries }: Proof): boolean {
  return comparison.verdict === "works" && !canaries.some(({ outcome }) => outcome === "runs");
}

/** Stands for the nonce, which has to be a new one in each answer. */
const nonceMark = "{nonce}";

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

export function changedRows({ before, after }: Pick<Proof, "before" | "after">): readonly ChangedRow[] {
  const known = new Map(before.ledger.map((row) => [row.key, row.state]));
  return (after?.ledger ?? []).flatMap(({ key, state, notCheckedBecause = null }) => {
    const was = known.get(key) ?? state;
    return was === state ? [] : [{ key, before: was, after: state, because: notCheckedBecause }];
  });
}

/** Directives of all policies together, the first of equal ones. RFC 7034 section 2.1: DENY is what `frame-ancestors 'none'` replaces. */
function enforcedToday({ page }: Evidence): PageNeeds["today"] {
  if (page.status === "failed") return new Map();
  const { headers } = page.facts;
  const directives = parseCsp(valuesNamed(headers, policyName.toLowerCase())).flatMap((policy) => [...policy]);
  const denies = valuesNamed(headers, "x-frame-options").some((value) => value.trim().toUpperCase() === "DENY");
  const framing = denies ? [["frame-ancestors", ["'none'"]] as const] : [];
  return new Map([...framing, ...directives.toReversed()]);
}

/** Fields that name where reports are sent. */
const reportFields: readonly string[] = ["Report-To", "Reporting-Endpoints", "NEL"];

/** Nothing of a proof is reported: its visits are none of visitors. */
function silenced(headers: readonly ReplacedHeader[]): readonly ReplacedHeader[] {
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
