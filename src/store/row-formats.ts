/** Shapes of stored rows, as far as lists and rights depend on them. A damaged row is refused whole, never read in part. */

import { efforts, riskLevels, severities, states } from "../check/check.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { Timings } from "../evidence/scan.ts";
import { bands, ranks } from "../judge/rank.ts";
import type { StoredResult } from "../judge/result.ts";
import { parseLocation } from "../parse/location.ts";
import type { Account, Plan, Theme } from "./accounts.ts";
import type { Activity } from "./activity.ts";
import type { ApiToken } from "./api-tokens.ts";
import type { AuditEntry } from "./audit.ts";
import { type Channel, channelKinds, type NotificationRule } from "./channels.ts";
import type { Credentials } from "./credentials.ts";
import { type Delivery, deliveryStates } from "./deliveries.ts";
import type { IdempotentStart } from "./idempotent-starts.ts";
import { laneNames } from "./lanes.ts";
import type { OidcLink } from "./oidc-identity.ts";
import type { LinkKind, OneTimeLink } from "./one-time-links.ts";
import type { SiteAccount } from "./scan-events.ts";
import { scanStatuses } from "./scan-status.ts";
import type { ScanRecord } from "./scans.ts";
import type { Session } from "./sessions.ts";
import { type Member, type MemberInvitation, memberRoles, type StoredBrand } from "./site-accounts.ts";
import type { StoredEvent } from "./site-events.ts";
import type { SiteHistoryEntry, SiteRun, SiteState } from "./site-runs.ts";
import type { Site } from "./sites.ts";
import type { RowFormat } from "./table.ts";
import type { Worker, WorkerFault } from "./workers.ts";

type Test = (value: unknown) => boolean;
/** A test for each required member; members without one are optional or of no effect on lists. */
type Tests<V> = { readonly [M in keyof V]?: Test };

const plans = ["free", "agency"] satisfies readonly Plan[];
const themes = ["system", "light", "dark"] satisfies readonly Theme[];
const linkKinds = ["setup", "invite", "reset"] satisfies readonly LinkKind[];

const reaches = ["public", "private"] satisfies readonly Worker["reach"][];

const isText: Test = (value) => typeof value === "string";
const isSwitch: Test = (value) => typeof value === "boolean";
const isNumber: Test = (value) => typeof value === "number";
const isId: Test = (value) => Number.isSafeInteger(value) && (value as number) > 0;
const isTime: Test = (value) => typeof value === "string" && !Number.isNaN(Date.parse(value));
const isUrl: Test = (value) => typeof value === "string" && URL.canParse(value);
const isList: Test = (value) => Array.isArray(value);
const isObject: Test = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const orNull =
  (test: Test): Test =>
  (value) =>
    value === null || test(value);
const oneOf =
  (values: readonly string[]): Test =>
  (value) =>
    values.includes(value as string);

const listOf =
  ({ accepts }: Pick<RowFormat<unknown>, "accepts">): Test =>
  (value) =>
    Array.isArray(value) && value.every(accepts);
const isLocation: Test = (value) => typeof value === "string" && parseLocation(value) !== null;
const isQueueKey: Test = (value) =>
  Array.isArray(value) && isLocation(value[0]) && oneOf(laneNames)(value[1]) && Number.isSafeInteger(value[2]);
const isKeyedScan: Test = (value) => Array.isArray(value) && isNumber(value[0]) && isText(value[1]) && isId(value[2]);
const optional =
  (test: Test): Test =>
  (value) =>
    value === undefined || test(value);

function record<V>(tests: Tests<V>, keyedBy?: keyof V & string): RowFormat<V> {
  const members = Object.entries(tests) as [string, Test][];
  const accepts: Test = (value) => isObject(value) && members.every(([name, test]) => test((value as Record<string, unknown>)[name]));
  return keyedBy === undefined ? { accepts } : { accepts, keyedBy };
}

const summary = record<NonNullable<ScanRecord["summary"]>>({
  measured: isSwitch,
  score: orNull(isNumber),
  band: oneOf(bands),
  // Follows from the score where it is missing.
  rank: optional(oneOf(ranks)),
  violated: isNumber,
  basis: optional((value) => basis.accepts(value)),
});

const basis = record<NonNullable<StoredResult["basis"]>>({ headerValueCharsMax: isNumber, dataDates: isObject });
const ledgerRow = record<StoredResult["ledger"][number]>({ key: isText, state: oneOf(states), evidence: isList });
const finding = record<StoredResult["findings"][number]>({
  code: isText,
  checkKey: isText,
  severity: oneOf(severities),
  riskLevel: oneOf(riskLevels),
  effort: oneOf(efforts),
  values: isObject,
});

const granted = record<OidcLink["granted"]>({ plan: isSwitch, admin: isSwitch });
const oidcLink = record<OidcLink>({ issuer: isText, subject: isText, linkedAt: isTime, granted: granted.accepts });
const workerFault = record<WorkerFault>({ at: isTime, text: isText });

/** A row that only names another one: damaged, it names none. */
const reference: RowFormat<string> = { accepts: isText, fallback: "" };
const numericReference: RowFormat<number> = { accepts: isNumber, fallback: 0 };

/** Formats of all tables of JSON rows. */
export const rowFormats = {
  scans: record<ScanRecord>(
    {
      token: isText,
      id: isId,
      accountId: orNull(isId),
      url: isUrl,
      status: oneOf(scanStatuses),
      createdAt: isTime,
      startedAt: orNull(isTime),
      endedAt: orNull(isTime),
      progressStage: orNull(isText),
      progressPercent: isNumber,
      attempts: isNumber,
      errorCode: orNull(isText),
      summary: orNull(summary.accepts),
      queueKey: optional(isQueueKey),
      location: optional(isLocation),
      removed: optional(isObject),
    },
    "token",
  ),
  results: record<StoredResult>({
    measured: isSwitch,
    score: orNull(isNumber),
    band: oneOf(bands),
    rank: oneOf(ranks),
    ledger: listOf(ledgerRow),
    findings: listOf(finding),
    basis: optional(basis.accepts),
  }),
  evidence: record<{ readonly evidence: Evidence; readonly timings: Timings }>({ evidence: isObject, timings: isObject }),
  accounts: record<Account>(
    {
      id: isId,
      email: isText,
      admin: isSwitch,
      plan: oneOf(plans),
      disabled: isSwitch,
      locale: orNull(isText),
      theme: oneOf(themes),
      createdAt: isTime,
    },
    "id",
  ),
  apiTokens: record<ApiToken>({
    id: isId,
    accountId: isId,
    name: isText,
    shown: isText,
    createdAt: isTime,
    revokedAt: orNull(isTime),
    expiresAt: orNull(isTime),
    lastUsedAt: orNull(isTime),
  }),
  credentials: record<Credentials>({
    passwordHash: orNull(isText),
    totp: orNull(isObject),
    recoveryCodeHashes: isList,
    oidc: optional(orNull(oidcLink.accepts)),
  }),
  sessions: record<Session>({
    id: isId,
    accountId: isId,
    userAgent: isText,
    address: isText,
    createdAt: isTime,
    lastSeenAt: isTime,
    expiresAt: isTime,
  }),
  oneTimeLinks: record<OneTimeLink>({
    kind: oneOf(linkKinds),
    accountId: orNull(isId),
    email: orNull(isText),
    plan: oneOf(plans),
    admin: isSwitch,
    expiresAt: isTime,
  }),
  idempotentStarts: record<IdempotentStart>({ fingerprint: isText, createdAt: isTime, scans: listOf({ accepts: isKeyedScan }) }),
  workers: record<Worker>(
    {
      id: isText,
      name: isText,
      location: isLocation,
      enrolledAt: isTime,
      revokedAt: orNull(isTime),
      drained: isSwitch,
      lastSeenAt: orNull(isTime),
      version: orNull(isText),
      slots: isNumber,
      reach: orNull(oneOf(reaches)),
      scansDone: isNumber,
      lastFault: orNull(workerFault.accepts),
    },
    "id",
  ),
  // A later release may add actions.
  audit: record<AuditEntry>({ id: isId, at: isTime, actor: isObject, action: isText, subject: orNull(isObject), details: isObject }, "id"),
  activity: record<Activity>({
    since: isTime,
    finished: isNumber,
    failed: isObject,
    claimed: isNumber,
    waitedMs: isNumber,
    longestWaitMs: isNumber,
    browserRestarts: isNumber,
  }),
  deletions: record<{ readonly at: string }>({ at: isTime }),
  settingsAtStart: record<{ readonly value: string | null }>({ value: orNull(isText) }),
  sites: record<Site>({
    id: isId,
    accountId: isId,
    name: isText,
    url: isUrl,
    pages: isList,
    client: orNull(isText),
    tags: isList,
    location: isLocation,
    accepted: isList,
    schedule: isObject,
    paused: isSwitch,
    createdAt: isTime,
    nextRunAt: orNull(isTime),
    secondLookAt: orNull(isTime),
    lastRunAt: orNull(isTime),
    failingSince: orNull(isTime),
    reading: orNull(isObject),
    trend: isList,
  }),
  siteRuns: record<SiteRun>({ accountId: isId, siteId: isId, kind: isText, startedAt: isTime, scans: isList }),
  siteStates: record<SiteState>({
    rules: orNull(isObject),
    score: orNull(isNumber),
    doubtedScore: orNull(isObject),
    findings: isObject,
    doubts: isObject,
    failures: isNumber,
    unreachable: isSwitch,
    certificate: orNull(isObject),
  }),
  siteHistory: record<SiteHistoryEntry>({
    at: isTime,
    token: isText,
    score: isNumber,
    band: oneOf(bands),
    rank: oneOf(ranks),
    open: isNumber,
  }),
  // A later release may add types of events.
  events: record<StoredEvent>({ id: isText, seq: isId, accountId: isId, at: isTime, type: isText, site: orNull(isObject), data: isObject }),
  channels: record<Channel>({
    id: isId,
    accountId: isId,
    kind: oneOf(channelKinds),
    name: isText,
    target: isText,
    secrets: isList,
    createdAt: isTime,
    verifiedAt: orNull(isTime),
    confirmation: orNull(isObject),
    unsubscribeKey: orNull(isText),
    disabled: orNull(isObject),
  }),
  notificationRules: record<NotificationRule>({
    id: isId,
    accountId: isId,
    scope: isObject,
    events: isList,
    severityMin: oneOf(severities),
    channelIds: isList,
    createdAt: isTime,
  }),
  deliveries: record<Delivery>({
    id: isId,
    accountId: isId,
    channelId: isId,
    eventSeqs: isList,
    createdAt: isTime,
    attempts: isList,
    state: oneOf(deliveryStates),
    nextAttemptAt: orNull(isTime),
    retriedAt: orNull(isTime),
    attemptsSinceRetry: optional(isNumber),
  }),
  members: record<Member>({ ownerId: isId, memberId: isId, role: oneOf(memberRoles), since: isTime }),
  memberInvitations: record<MemberInvitation>({ ownerId: isId, email: isText, role: oneOf(memberRoles), expiresAt: isTime }),
  brands: record<StoredBrand>({ name: isText, logoPng: orNull(isText), accent: orNull(isText), footer: orNull(isText) }),
  siteAccounts: record<SiteAccount>({ rulesAnnounced: orNull(isText), metricsTokenHash: orNull(isText) }),
  sitesDue: numericReference,
  siteEventIds: numericReference,
  deliveriesDue: numericReference,
  deliveriesWaiting: numericReference,
  ownersByMember: numericReference,
  metricsTokens: numericReference,
  instance: reference,
  queueByLane: reference,
  queueGaps: numericReference,
  running: reference,
  publicScans: reference,
  scansByAccount: reference,
  ownScans: numericReference,
  accountIdsByEmail: numericReference,
  accountIdsByIdentity: numericReference,
  apiTokenHashes: reference,
  sessionHashes: reference,
} as const;

export type FormattedTable = keyof typeof rowFormats;
/** Tables in encodings of their own. */
const otherTables = ["meta", "screenshots"] as const;
export const tableNames: readonly string[] = [...Object.keys(rowFormats), ...otherTables];
