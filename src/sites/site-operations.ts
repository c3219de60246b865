/**
 * Use cases of watched sites, for pages and API. Each one writes a log line. The store writes audit entries in the transaction of the
 * change.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { planTerms } from "../accounts/account-operations.ts";
import type { Log } from "../base/log.ts";
import { type Outcome, refuse } from "../base/outcome.ts";
import type { ProofBody } from "../evidence/proof.ts";
import type { QueueSignals } from "../evidence/scan.ts";
import type { Account, RecordOwner } from "../store/accounts.ts";
import type { Channel } from "../store/channels.ts";
import type { ProofRecord } from "../store/proofs.ts";
import { openFindings, type SiteRun, type SiteState, type StartRunRefusal } from "../store/site-runs.ts";
import {
  type AcceptedFinding,
  acceptedFindingsMax,
  type NewSite,
  type Site,
  type SiteChange,
  type SiteFields,
  type SiteRefusal,
  siteTagsMax,
} from "../store/sites.ts";
import type { UseCase } from "../store/store.ts";
import { type WatchRefusal, watchedPolicyOf } from "./policy-watch.ts";
import { acceptedChange } from "./run-changes.ts";
import { plannedChange, plannedSite } from "./schedule.ts";
import { acceptedWith, type BulkChange, type GivenFields, parseAcceptance, type SiteFaults } from "./site-fields.ts";
import type { WaitingRuns } from "./waiting-runs.ts";

/** Attempt to reach a channel, without the text of the answer. */
export interface ChannelTest {
  readonly result: "delivered" | "failed";
  /** Status of HTTP, or reply code of SMTP; null without an answer. */
  readonly status: number | null;
  readonly ms: number;
  /** Code of the failure; null for a success. `too-many`: the account has tested too often for now. */
  readonly because: string | null;
}

/** `too-many`: the account or the address got enough of them for now. */
export type ConfirmationOutcome = "sent" | "failed" | "too-many";

export interface SiteServices {
  /** Sites were added or changed, so that a run may be due earlier. */
  readonly wakeClock: () => void;
  /** Runs that are due and did not start yet. */
  readonly waitingRuns: () => WaitingRuns;
  /** A delivery may be due earlier. */
  readonly wakeDeliveries: () => void;
  /** Whether the appliance has a mail server. */
  readonly mailConfigured: () => boolean;
  /** `value`: of `issueConfirmation`. Never rejects. */
  readonly sendConfirmation: (channel: Channel, value: string) => Promise<ConfirmationOutcome>;
  /** Attempts as a delivery does. Never rejects. */
  readonly testChannel: (channel: Channel) => Promise<ChannelTest>;
  /** Whether webhooks may have an http URL: `webhooks.allow_http`. */
  readonly webhooksAllowHttp: boolean;
  /** Why a webhook may not be sent there, by its literal address; completes "target ...". Null for a permitted URL. */
  readonly webhookTargetFault: (url: string) => string | null;
}

/** Change of one site, with its effects on the planned runs. A tag that is removed and added stays. `stateOf`: of the site, as it is now. */
export function bulkChangeOf(
  site: Site,
  { addTags, removeTags, accept, ...fields }: BulkChange,
  now: Date,
  stateOf: () => SiteState,
): SiteChange | SiteFaults {
  const tags = [...new Set([...site.tags.filter((tag) => !removeTags.includes(tag)), ...addTags])];
  if (tags.length > siteTagsMax) return { faults: [{ field: "tags", code: "too-many", max: siteTagsMax }] };
  const accepted = accept === undefined ? site.accepted : acceptedWith(site, accept);
  if (accepted === null) return { faults: [{ field: "code", code: "too-many", max: acceptedFindingsMax }] };
  const planned = plannedChange(site, { ...fields, tags }, now);
  return accept === undefined ? planned : { ...planned, ...acceptedChange(site, accepted, stateOf(), now) };
}

/** Sites that are planned before other requests have their turn: a pattern of cron can take milliseconds. */
const plannedAtOnce = 20;
/** Runs that one commit starts: other requests wait for it. */
const startsAtOnce = 50;

interface SiteContext extends UseCase<"sites" | "siteRuns"> {
  readonly sites: Pick<SiteServices, "wakeClock">;
  readonly scanning: Pick<QueueSignals, "wake">;
}

/** Account that acts, and the owner of the sites: the same one, or one whose sites it may edit. */
export interface SiteActor {
  readonly owner: Pick<Account, "id" | "plan">;
  readonly by: RecordOwner;
}

/** Each site is added or refused for itself. Outcomes in the order of `sites`. */
export async function addSites(
  context: SiteContext,
  actor: SiteActor,
  sites: readonly SiteFields[],
): Promise<readonly (Site | SiteRefusal)[]> {
  const planned = await planSites(context, actor, sites);
  const outcomes = await context.store.sites.add(planned, planTerms[actor.owner.plan].sites);
  const count = outcomes.filter((outcome) => typeof outcome !== "string").length;
  if (count > 0) {
    logChange(context, actor, "sites added", { sites: count });
    context.sites.wakeClock();
  }
  return outcomes;
}

export async function addSite(context: SiteContext, actor: SiteActor, site: SiteFields): Promise<Outcome<Site, SiteRefusal>> {
  const [added = "full"] = await addSites(context, actor, [site]);
  return typeof added === "string" ? refuse(added) : { done: added };
}

/** What `addSites` would add and refuse now. */
export async function previewSites(
  context: Pick<SiteContext, "store" | "now">,
  actor: SiteActor,
  sites: readonly SiteFields[],
): Promise<readonly (NewSite | SiteRefusal)[]> {
  const planned = await planSites(context, actor, sites);
  const refusals = context.store.sites.preview(planned, planTerms[actor.owner.plan].sites);
  return planned.map((site, at) => refusals[at] ?? site);
}

async function planSites({ now }: Pick<SiteContext, "now">, { owner }: SiteActor, sites: readonly SiteFields[]): Promise<NewSite[]> {
  const planned: NewSite[] = [];
  for (const site of sites) {
    planned.push(plannedSite(site, owner.id, now()));
    if (planned.length % plannedAtOnce === 0) await nextTurn();
  }
  return planned;
}

interface SiteUpdate {
  readonly id: number;
  /** Sees the site as it is stored then; null if it is not the one that the caller has read. Faults and null change nothing. */
  readonly change: (stored: Site) => Partial<SiteFields> | SiteFaults | null;
}

/** Changes, pauses or resumes a site. */
export async function updateSite(
  context: SiteContext,
  actor: SiteActor,
  { id, change }: SiteUpdate,
): Promise<Outcome<Site, "unknown" | "outdated" | "url-taken"> | SiteFaults> {
  let fault: SiteFaults | null | undefined;
  const changed = await context.store.sites.change(actor.owner.id, id, (stored) => {
    const fields = change(stored);
    if (fields !== null && !("faults" in fields)) return plannedChange(stored, fields, context.now());
    fault = fields;
    return {};
  });
  if (fault === null) return refuse("outdated");
  if (fault !== undefined) return fault;
  if (changed === undefined) return refuse("unknown");
  if (changed === "url-taken") return refuse(changed);
  logChange(context, actor, "site changed", { site: id });
  context.sites.wakeClock();
  return { done: changed };
}

/** The changed site or its faults, by id. Unknown ids have no entry. */
export async function updateSites(
  context: SiteContext,
  actor: SiteActor,
  { ids, change }: { readonly ids: readonly number[]; readonly change: BulkChange },
): Promise<ReadonlyMap<number, Site | SiteFaults>> {
  const faults = new Map<number, SiteFaults>();
  const stored = await context.store.sites.changeAll(actor.owner.id, ids, (site) => {
    const siteChange = bulkChangeOf(site, change, context.now(), () => context.store.siteRuns.state(site.id));
    if (!("faults" in siteChange)) return siteChange;
    faults.set(site.id, siteChange);
    return {};
  });
  const count = stored.length - faults.size;
  if (count > 0) {
    logChange(context, actor, "sites changed", { sites: count });
    context.sites.wakeClock();
  }
  return new Map(stored.map((site) => [site.id, faults.get(site.id) ?? site]));
}

/** Returns the ids that were there. */
export async function removeSites(context: SiteContext, actor: SiteActor, ids: readonly number[]): Promise<readonly number[]> {
  const removed = await context.store.sites.remove(actor.owner.id, ids, actor.by.id);
  if (removed.length > 0) logChange(context, actor, "sites deleted", { sites: removed.length });
  return removed;
}

export async function scanSite(context: SiteContext, actor: SiteActor, id: number): Promise<Outcome<SiteRun, StartRunRefusal>> {
  const [run = "unknown"] = await scanSites(context, actor, [id]);
  return typeof run === "string" ? refuse(run) : { done: run };
}

/** Outcomes in the order of the ids. A refusal stops no other site. */
export async function scanSites(
  context: SiteContext,
  actor: SiteActor,
  ids: readonly number[],
): Promise<readonly (SiteRun | StartRunRefusal)[]> {
  const [accountId, now] = [actor.owner.id, context.now()];
  const runs: (SiteRun | StartRunRefusal)[] = [];
  for (let at = 0; at < ids.length; at += startsAtOnce) {
    const starts = ids
      .slice(at, at + startsAtOnce)
      .map((siteId) => context.store.siteRuns.start({ accountId, siteId, kind: "manual", now }));
    // Writes of one time share a commit.
    runs.push(...(await Promise.all(starts)));
  }
  const count = runs.filter((run) => typeof run !== "string").length;
  if (count > 0) {
    logChange(context, actor, "runs of sites started", { sites: count });
    context.scanning.wake();
    context.sites.wakeClock();
  }
  return runs;
}

interface GivenAcceptance extends GivenFields<"code" | "reason" | "until"> {
  readonly id: number;
  /** Refuses a finding that is not open. */
  readonly onlyOpen?: boolean;
}

/** A new acceptance replaces an earlier one of the same code. */
export async function acceptFinding(
  context: SiteContext,
  actor: SiteActor,
  { id, code, onlyOpen = false, ...given }: GivenAcceptance,
): Promise<Outcome<AcceptedFinding, "unknown" | "not-open" | "full"> | SiteFaults> {
  const acceptance = parseAcceptance(code, given, context.now());
  if ("faults" in acceptance) return acceptance;
  let refusal: "not-open" | "full" | null = null;
  const changed = await context.store.sites.change(actor.owner.id, id, (site) => {
    const accepted = acceptedWith(site, acceptance);
    if (onlyOpen && !isOpen(context, site, acceptance.code)) refusal = "not-open";
    else if (accepted === null) refusal = "full";
    return refusal !== null || accepted === null ? {} : changeOfAccepted(context, site, accepted);
  });
  if (changed === undefined) return refuse("unknown");
  if (refusal !== null) return refuse(refusal);
  logChange(context, actor, "finding accepted", { site: id, code: acceptance.code });
  return { done: acceptance };
}

/** `unknown`: there is no such site. `not-accepted`: it has no acceptance of the code. */
export async function withdrawAcceptance(
  context: SiteContext,
  actor: SiteActor,
  { id, code }: { readonly id: number; readonly code: string },
): Promise<Outcome<null, "unknown" | "not-accepted">> {
  let isAccepted = false;
  const changed = await context.store.sites.change(actor.owner.id, id, (site) => {
    const accepted = site.accepted.filter((one) => one.code !== code);
    isAccepted = accepted.length < site.accepted.length;
    return isAccepted ? changeOfAccepted(context, site, accepted) : {};
  });
  if (changed === undefined) return refuse("unknown");
  if (!isAccepted) return refuse("not-accepted");
  logChange(context, actor, "acceptance withdrawn", { site: id, code });
  return { done: null };
}

interface ProvenHeaders {
  readonly id: number;
  /** A proof that the caller may read, and its result. */
  readonly proof: Pick<ProofRecord, "token" | "url">;
  readonly body: ProofBody | undefined;
}

/** The runs of the site try the headers of the proof from now on, in place of others. */
export async function watchPolicy(
  context: SiteContext,
  actor: SiteActor,
  { id, proof, body }: ProvenHeaders,
): Promise<Outcome<Site, "unknown" | WatchRefusal>> {
  let refusal: WatchRefusal | null = null;
  const changed = await context.store.sites.change(actor.owner.id, id, (site) => {
    const policy = watchedPolicyOf(site, proof, body, context.now());
    if (typeof policy !== "string") return { policy };
    refusal = policy;
    return {};
  });
  if (changed === undefined || changed === "url-taken") return refuse("unknown");
  if (refusal !== null) return refuse(refusal);
  logChange(context, actor, "planned headers watched", { site: id });
  return { done: changed };
}

/** `not-watched`: the site has no planned headers. */
export async function unwatchPolicy(context: SiteContext, actor: SiteActor, id: number): Promise<Outcome<null, "unknown" | "not-watched">> {
  let had = false;
  const changed = await context.store.sites.change(actor.owner.id, id, ({ policy = null }) => {
    had = policy !== null;
    return had ? { policy: null } : {};
  });
  if (changed === undefined) return refuse("unknown");
  if (!had) return refuse("not-watched");
  logChange(context, actor, "planned headers not watched any more", { site: id });
  return { done: null };
}

function isOpen({ store, now }: SiteContext, site: Site, code: string): boolean {
  return openFindings(site, store.siteRuns.state(site.id), now()).some((finding) => finding.code === code);
}

/** A run that has just ended may have changed the findings, so they are read within the transaction. */
function changeOfAccepted({ store, now }: SiteContext, site: Site, accepted: readonly AcceptedFinding[]): SiteChange {
  return acceptedChange(site, accepted, store.siteRuns.state(site.id), now());
}

function logChange({ log }: SiteContext, { owner, by }: SiteActor, event: string, fields: Parameters<Log["info"]>[1]): void {
  log.info(event, { owner: owner.id, by: by.id, ...fields });
}
