/** Planned headers of a site: what follows from a try of them. Pure. */
import type { BlockedByPolicy } from "../evidence/observation.ts";
import type { ProofBody } from "../evidence/proof.ts";
import type { ProofRecord } from "../store/proofs.ts";
import type { NewEvent, PolicyBreak } from "../store/site-events.ts";
import { addressesOf, type PolicyBlock, type Site, type SiteChange, type WatchedPolicy } from "../store/sites.ts";
import { isConfirmation, secondLookTime } from "./run-changes.ts";

/** Things that an event names: its body has a limit. */
const blockedNamedMax = 10;
const blockedUrlCharsMax = 300;

/** Whether the page works with the headers, and what they block. Null stands for a try without a verdict. */
export interface PolicyTry {
  readonly works: boolean;
  readonly blocked: readonly BlockedByPolicy[];
  readonly blockedDropped: number;
}

/** Characters of all headers together: lists read the rows of many sites. */
const headersCharsMax = 8_192;

/** `not-proven`: it has not ended, or the headers are none that work. `other-page`: it is of no page of the site. */
export type WatchRefusal = "not-proven" | "other-page" | "too-long";

/** The headers of a finished proof, for a site that has its page; the code of a refusal otherwise. */
export function watchedPolicyOf(
  site: Pick<Site, "url" | "pages">,
  proof: Pick<ProofRecord, "token" | "url">,
  body: ProofBody | undefined,
  now: Date,
): WatchedPolicy | WatchRefusal {
  if (!addressesOf(site).includes(proof.url)) return "other-page";
  if (body === undefined || !body.proven || body.headers.length === 0) return "not-proven";
  if (body.headers.reduce((chars, { name, value }) => chars + name.length + (value?.length ?? 0), 0) > headersCharsMax) return "too-long";
  const untried = { triedAt: null, brokenSince: null, reported: false, blocked: [] };
  return { url: proof.url, headers: body.headers, proof: proof.token, savedAt: now.toISOString(), ...untried };
}

interface NotedPolicy {
  readonly site: SiteChange;
  readonly events: readonly NewEvent[];
}

/**
 * Null if the policy is another one by now. A page that is broken for the first time gets a second look; the next try that agrees is the
 * event. `token`: scan of the run.
 */
export function policyAfter(
  site: Site,
  tried: PolicyTry,
  of: Pick<WatchedPolicy, "savedAt">,
  token: string,
  now: Date,
): NotedPolicy | null {
  const { policy } = site;
  if (policy == null || policy.savedAt !== of.savedAt) return null;
  const triedAt = now.toISOString();
  if (tried.works) {
    const since = policy.reported ? policy.brokenSince : null;
    const events: readonly NewEvent[] = since === null ? [] : [{ type: "policy.recovered", token, data: { url: policy.url, since } }];
    return { site: { policy: { ...policy, triedAt, brokenSince: null, reported: false, blocked: [] } }, events };
  }
  const { blocked, blockedDropped } = namedBlocks(tried);
  const since = policy.brokenSince ?? triedAt;
  const isConfirmed = policy.reported || isConfirmation(since, now);
  const change = { policy: { ...policy, triedAt, brokenSince: since, reported: isConfirmed, blocked } };
  if (isConfirmed) {
    const data: PolicyBreak = { url: policy.url, since, blocked, blockedDropped };
    return { site: change, events: policy.reported ? [] : [{ type: "policy.broken", token, data }] };
  }
  const secondLookAt = site.paused ? site.secondLookAt : (site.secondLookAt ?? secondLookTime(now));
  return { site: { ...change, secondLookAt }, events: [] };
}

/** Each once, without what differs from visit to visit. */
function namedBlocks({ blocked, blockedDropped }: PolicyTry): Pick<PolicyBreak, "blocked" | "blockedDropped"> {
  const all = blocked.map(
    ({ directive, url, kind }): PolicyBlock => ({
      directive,
      url: url?.replace(/[?#].*$/s, "").slice(0, blockedUrlCharsMax) ?? null,
      kind,
    }),
  );
  const each = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
  return { blocked: each.slice(0, blockedNamedMax), blockedDropped: Math.max(0, each.length - blockedNamedMax) + blockedDropped };
}
