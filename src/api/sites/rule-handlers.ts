/** Rules that say which channels are notified of which events. */
import { isObject } from "../../base/is-object.ts";
import { recordIdOf } from "../../base/record-id.ts";
import { severities } from "../../check/check.ts";
import { eventTypes } from "../../store/event-types.ts";
import { type NotificationRule, type RuleScope, rulesMax } from "../../store/notification-rules.ts";
import { siteNameCharsMax, siteTagCharsMax } from "../../store/sites.ts";
import { invalidFields } from "../errors.ts";
import { callingAccount } from "../own-scan.ts";
import { written } from "../writing.ts";
import {
  type AccountRequest,
  answerJson,
  answerNothing,
  assertKnownFields,
  assertSomeField,
  type GivenBody,
  readFields,
  rulesPath,
  type SiteApiSettings,
} from "./account-request.ts";
import { recordNotFound, recordsExceeded } from "./site-errors.ts";

const ruleFieldNames = ["scope", "events", "severityMin", "channelIds"] as const;
/** Fields of a scope, by its kind, besides `kind`. */
const scopeFields = { all: [], site: ["siteId"], tag: ["tag"], client: ["client"] } as const;
export const scopeKinds = ["all", "site", "tag", "client"] as const satisfies readonly RuleScope["kind"][];

export function createRuleHandlers(settings: SiteApiSettings) {
  const { store, now } = settings;
  return { list, add, read, change, remove };

  function list(given: AccountRequest): Response {
    return answerJson(given, 200, { items: store.rules.list(callingAccount(given.requestContext).id).map(ruleBody) });
  }

  function read(given: AccountRequest): Response {
    return answerJson(given, 200, ruleBody(ownRule(store, given)));
  }

  async function add(given: AccountRequest): Promise<Response> {
    const body = await readFields(settings, given, { names: ruleFieldNames, required: "events" });
    const { account, fields } = body;
    const rule = {
      accountId: account.id,
      scope: scopeOf(store, body, fields.scope ?? { kind: "all" }),
      events: entriesOf(fields.events, "events", eventTypes),
      severityMin: severityOf(fields.severityMin ?? severities.at(-1)),
      channelIds: channelIdsOf(store, body),
      now: now(),
    };
    const added = await written(() => store.rules.add(rule));
    if (added === "full") throw recordsExceeded("rules", rulesMax);
    return answerJson(given, 201, ruleBody(added), { location: `${rulesPath}/${added.id}` });
  }

  async function change(given: AccountRequest): Promise<Response> {
    const { accountId, id } = ownRule(store, given);
    const body = await readFields(settings, given, { names: ruleFieldNames, required: null });
    const { fields } = body;
    assertSomeField(fields, ruleFieldNames);
    const ruleChange = {
      ...(fields.scope !== undefined && { scope: scopeOf(store, body, fields.scope) }),
      ...(fields.events !== undefined && { events: entriesOf(fields.events, "events", eventTypes) }),
      ...(fields.severityMin !== undefined && { severityMin: severityOf(fields.severityMin) }),
      ...(fields.channelIds !== undefined && { channelIds: channelIdsOf(store, body) }),
    };
    const changed = await written(() => store.rules.change(accountId, id, ruleChange));
    if (changed === undefined) throw recordNotFound("rule");
    return answerJson(given, 200, ruleBody(changed));
  }

  async function remove(given: AccountRequest): Promise<Response> {
    const { accountId, id } = ownRule(store, given);
    if (!(await written(() => store.rules.remove(accountId, id)))) throw recordNotFound("rule");
    return answerNothing(given);
  }
}

type RuleStore = SiteApiSettings["store"];

/** @throws ApiError 404, the same for a rule of another account. */
function ownRule(store: RuleStore, { params, requestContext }: AccountRequest): NotificationRule {
  const rule = store.rules.find(callingAccount(requestContext).id, recordIdOf(params.id));
  if (rule === undefined) throw recordNotFound("rule");
  return rule;
}

/** @throws ApiError 400, also for a site of another account. */
function scopeOf(store: RuleStore, { account }: GivenBody, given: unknown): RuleScope {
  if (!isObject(given)) throw invalidFields({ scope: ["must be an object with kind"] });
  const kind = scopeKinds.find((each) => each === given.kind);
  if (kind === undefined) throw invalidFields({ scope: [`must have kind with one of ${scopeKinds.join(", ")}`] });
  assertKnownFields(given, ["kind", ...scopeFields[kind]]);
  if (kind === "all") return { kind };
  if (kind === "site") {
    const siteId = Number.isSafeInteger(given.siteId) ? Number(given.siteId) : 0;
    if (store.sites.find(account.id, siteId) === undefined) throw invalidFields({ scope: ["must have siteId with the id of a site"] });
    return { kind, siteId };
  }
  if (kind === "tag") return { kind, tag: textOf(given.tag, "tag", siteTagCharsMax) };
  return { kind, client: textOf(given.client, "client", siteNameCharsMax) };
}

/** @throws ApiError 400, also for a channel of another account. */
function channelIdsOf(store: RuleStore, { account, fields }: GivenBody): readonly number[] {
  const known = store.channels.list(account.id).map(({ id }) => id);
  return entriesOf(fields.channelIds, "channelIds", known);
}

function ruleBody({ id, scope, events, severityMin, channelIds, createdAt }: NotificationRule): object {
  return { id, scope, events, severityMin, channelIds, createdAt };
}

/** At least one of `known`, each once. @throws ApiError 400 */
function entriesOf<T>(given: unknown, field: string, known: readonly T[]): readonly T[] {
  if (given === undefined) throw invalidFields({ [field]: ["is required"] });
  if (!Array.isArray(given) || given.length === 0) throw invalidFields({ [field]: ["must be a list with at least one entry"] });
  if (given.some((each) => !known.includes(each)))
    throw invalidFields({ [field]: [known.length === 0 ? "must exist" : `must each be one of ${known.join(", ")}`] });
  return known.filter((each) => given.includes(each));
}

function severityOf(given: unknown): NotificationRule["severityMin"] {
  const severity = severities.find((each) => each === given);
  if (severity === undefined) throw invalidFields({ severityMin: [`must be one of ${severities.join(", ")}`] });
  return severity;
}

function textOf(given: unknown, name: string, charsMax: number): string {
  const text = typeof given === "string" ? given.trim() : "";
  if (text === "" || text.length > charsMax) throw invalidFields({ scope: [`must have ${name} with 1 to ${charsMax} characters`] });
  return text;
}
