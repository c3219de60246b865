/** Operations on rules, which say what channels are notified of. */

import { type Static, Type } from "@sinclair/typebox";
import { addRule, type RuleFault, removeRule, updateRule } from "../../channels/rule-operations.ts";
import { type Severity, severities } from "../../check/check.ts";
import { eventTypes, type RuleScope, rulesMax } from "../../store/notification-rules.ts";
import { siteNameCharsMax, siteTagCharsMax } from "../../store/sites.ts";
import { jsonBody } from "../body.ts";
import { type ApiError, doneOrThrow, invalidFields, recordNotFound, recordsExceeded } from "../errors.ts";
import { type Call, forAccounts, JsonAnswer, operation, ownRecord } from "../operation.ts";
import { answered, badBody, badField, locationHeader, refused } from "../responses.ts";
import { bodyOf, closed, entriesAlone, example, instantOf, model, nullable, oneOfValues, recordId, worded } from "../schemas.ts";
import { assertKnownFields } from "../validation.ts";

const ofNotifications = forAccounts("notifications");
const rulesPath = "/api/v1/rules";
/** Fields of a scope, by its kind. */
const scopeFields = { all: ["kind"], site: ["kind", "siteId"], tag: ["kind", "tag"], client: ["kind", "client"] } as const;
const scopeKinds = ["all", "site", "tag", "client"] as const satisfies readonly RuleScope["kind"][];

const kindText = `must have kind with one of ${scopeKinds.join(", ")}`;
const siteText = "must have siteId with the id of a site";
const textOf = (name: "tag" | "client", charsMax: number) => `must have ${name} with 1 to ${charsMax} characters`;
const tagText = textOf("tag", siteTagCharsMax);
const clientText = textOf("client", siteNameCharsMax);

const Scope = worded(
  Type.Object(
    {
      kind: worded(oneOfValues(scopeKinds), { wrong: kindText, required: kindText }),
      siteId: Type.Optional(worded(recordId("With kind site."), { wrong: siteText })),
      tag: Type.Optional(worded(Type.String({ description: "With kind tag." }), { wrong: tagText })),
      client: Type.Optional(worded(Type.String({ description: "With kind client." }), { wrong: clientText })),
    },
    {
      ...closed,
      description:
        "Sites that it is about; all without one. catalog.changed, scan.finished and proof.finished are about the account, whatever the scope.",
      examples: [{ kind: "tag", tag: "shop" }],
    },
  ),
  { wrong: "must be an object with kind" },
);
const atLeastOne = { wrong: "must be a list with at least one entry", min: "must be a list with at least one entry" };
const events = worded(
  Type.Array(worded(oneOfValues(eventTypes), { wrong: `must each be one of ${eventTypes.join(", ")}` }), {
    minItems: 1,
    examples: [["finding.opened", "site.score_dropped"]],
  }),
  atLeastOne,
);
/** Severity of a new rule without one, as the released API has it. Scripts rely on it; pages offer `severityMinDefault` of the store. */
const severityMinReleased: Severity = "info";
const severityMin = Type.Unsafe<Severity>({
  ...oneOfValues(severities),
  description: `Findings below it are left out of the events finding.*. A new rule without one has ${severityMinReleased}.`,
  [example]: "medium",
});
const channelIds = Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1, description: "Channels of the account.", examples: [[3]] });
const channelIdsField = worded(entriesAlone(channelIds), atLeastOne);

const RuleRequest = model(
  "RuleRequest",
  Type.Object(
    {
      scope: Type.Optional(nullable(Scope, { examples: [{ kind: "tag", tag: "shop" }] })),
      events,
      severityMin: Type.Optional(nullable(severityMin)),
      channelIds: channelIdsField,
    },
    closed,
  ),
);
const RuleChange = model(
  "RuleChange",
  Type.Object(
    {
      scope: Type.Optional(Scope),
      events: Type.Optional(events),
      severityMin: Type.Optional(severityMin),
      channelIds: Type.Optional(channelIdsField),
    },
    { ...closed, minProperties: 1 },
  ),
);
const Rule = model(
  "Rule",
  Type.Object({
    id: recordId("Names the rule.", { [example]: 5 }),
    scope: Scope,
    events,
    severityMin,
    channelIds,
    createdAt: instantOf("When it was added.", "2026-02-01T08:00:00.000Z"),
  }),
);
const RuleList = model("RuleList", Type.Object({ items: Type.Array(Rule) }));

const badRule = badField(badBody, "channelIds", "must each be one of 3");
const ofRule = { ...ofNotifications, ...ownRecord("rule", 5, (store, accountId, id) => store.rules.find(accountId, id)) };

export const ruleOperations = [
  operation({
    id: "listRules",
    route: "GET /api/v1/rules",
    ...ofNotifications,
    summary: "List your account's rules",
    answers: { 200: answered("All rules, oldest first.", RuleList) },
    run: ({ account, api }) => ({ items: api.store.rules.list(account.id).map(ruleBody) }),
  }),
  operation({
    id: "addRule",
    route: "POST /api/v1/rules",
    ...ofNotifications,
    summary: "Add a rule",
    description: "An event that several rules match reaches each of their channels once.",
    body: jsonBody(RuleRequest),
    answers: { 201: answered("The rule.", Rule, locationHeader("rule")) },
    refusals: { ...badRule, 409: refused("The account has too many rules.", recordsExceeded("rules", rulesMax).message) },
    run: async ({ body, ...call }) => {
      const { account, api } = call;
      const added = await addRule(api, account, {
        scope: scopeOf(body.scope ?? { kind: "all" }),
        events: eventTypes.filter((each) => body.events.includes(each)),
        severityMin: body.severityMin ?? severityMinReleased,
        channelIds: channelIdsOf(call, body.channelIds),
      });
      const rule = doneOrThrow(added, ruleRefused);
      return new JsonAnswer(ruleBody(rule), { location: `${rulesPath}/${rule.id}` });
    },
  }),
  operation({
    id: "readRule",
    route: "GET /api/v1/rules/{id}",
    ...ofRule,
    summary: "Read a rule",
    answers: { 200: answered("The rule.", Rule) },
    run: ({ record }) => ruleBody(record),
  }),
  operation({
    id: "changeRule",
    route: "PATCH /api/v1/rules/{id}",
    ...ofRule,
    summary: "Change a rule",
    description: "Changes the given fields, each as a whole.",
    body: jsonBody(RuleChange),
    answers: { 200: answered("The rule as it is now.", Rule) },
    refusals: badRule,
    run: async ({ record: { id }, body, ...call }) => {
      const changed = await updateRule(call.api, call.account, {
        id,
        ...(body.scope !== undefined && { scope: scopeOf(body.scope) }),
        ...(body.events !== undefined && { events: eventTypes.filter((each) => body.events?.includes(each)) }),
        ...(body.severityMin !== undefined && { severityMin: body.severityMin }),
        ...(body.channelIds !== undefined && { channelIds: channelIdsOf(call, body.channelIds) }),
      });
      return ruleBody(doneOrThrow(changed, ruleRefused));
    },
  }),
  operation({
    id: "removeRule",
    route: "DELETE /api/v1/rules/{id}",
    ...ofRule,
    summary: "Remove a rule",
    answers: { 204: { description: "The rule is gone." } },
    run: async ({ record, account, api }) => doneOrThrow(await removeRule(api, account, record.id), ruleRefused),
  }),
];

type Caller = Pick<Call, "account" | "api">;

/** Fields that are empty are refused before. */
function ruleRefused(refusal: RuleFault | "full" | "unknown"): ApiError {
  if (refusal === "full") return recordsExceeded("rules", rulesMax);
  if (refusal === "unknown") return recordNotFound("rule");
  return refusal === "unknown-site" ? invalidFields({ scope: [siteText] }) : invalidFields({ channelIds: ["must exist"] });
}

/** @throws ApiError 400 */
function scopeOf(scope: Static<typeof Scope>): RuleScope {
  const { kind, siteId = 0, tag = "", client = "" } = scope;
  assertKnownFields(scope, scopeFields[kind]);
  if (kind === "all") return { kind };
  if (kind === "site") return { kind, siteId };
  if (kind === "tag") return { kind, tag: lineOf(tag, siteTagCharsMax, tagText) };
  return { kind, client: lineOf(client, siteNameCharsMax, clientText) };
}

function lineOf(given: string, charsMax: number, fault: string): string {
  const line = given.trim();
  if (line === "" || line.length > charsMax) throw invalidFields({ scope: [fault] });
  return line;
}

/** Each once. @throws ApiError 400, also for a channel of another account. */
function channelIdsOf({ account, api }: Caller, given: readonly unknown[]): readonly number[] {
  const known = api.store.channels.list(account.id).map(({ id }) => id);
  if (given.some((each) => !known.some((id) => id === each)))
    throw invalidFields({ channelIds: [known.length === 0 ? "must exist" : `must each be one of ${known.join(", ")}`] });
  return known.filter((id) => given.includes(id));
}

const ruleBody = bodyOf(Rule);
