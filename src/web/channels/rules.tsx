/** `/account/rules`: rules that say which channels are notified of which events. */
import { recordIdOf } from "../../base/record-id.ts";
import { addRule, type RuleFault, removeRule, updateRule } from "../../channels/rule-operations.ts";
import { severities } from "../../check/check.ts";
import { Notice } from "../../report/components/notice.tsx";
import { plainUntrustedText, UntrustedText } from "../../report/components/untrusted-text.tsx";
import type { Account } from "../../store/accounts.ts";
import type { Channel } from "../../store/channels.ts";
import {
  eventTypes,
  type NotificationRule,
  type RuleScope,
  rulesMax,
  severityMinDefault,
  siteReportTypes,
} from "../../store/notification-rules.ts";
import type { Site } from "../../store/sites.ts";
import type { I18n } from "../../text/translator.ts";
import {
  ActionForm,
  choiceOf,
  EditLink,
  type FormDescription,
  FormFields,
  type FormValues,
  readFields,
  SubmitButton,
} from "../components/forms.tsx";
import { outcomesOf, redirectWith } from "../components/outcome.tsx";
import { EmptyState, PageSection, TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { notFound } from "../errors.ts";
import { type Fields, Form } from "../form.tsx";
import { byOperation, type GetFor } from "../guards.ts";
import { accountPage, channelsPagePath, rulesPagePath } from "../private-page.tsx";
import type { Visit } from "../visit.ts";

const outcomes = outcomesOf(rulesPagePath, ["added", "changed", "deleted"], (outcome) => `channels.rules.done.${outcome}`);

const ruleForm = {
  scope: { control: "select", label: "channels.rules.scope", hint: "channels.rules.scopeHint", options: [] },
  "event[]": {
    control: "checks",
    label: "channels.rules.events",
    values: eventTypes,
    options: ({ i18n }) => eventTypes.map((type) => ({ value: type, text: i18n.t(`channels.events.${type}`) })),
  },
  severity: choiceOf(
    severities,
    (severity) =>
      ({ i18n }) =>
        i18n.severity(severity),
    {
      label: "channels.rules.severity",
      hint: "channels.rules.severityHint",
    },
  ),
  // The page offers the channels of the account.
  "channel[]": { control: "checks", label: "channels.rules.channels", options: () => [] },
} satisfies FormDescription;

/** Values of the form, and the error of a refused one. */
interface TypedRule {
  readonly values: FormValues<typeof ruleForm>;
  readonly error: "noEvents" | "noChannels" | "noScope" | "full" | null;
}

function newRule(channels: readonly Channel[]): TypedRule["values"] {
  return {
    scope: "all",
    "event[]": siteReportTypes,
    severity: severityMinDefault,
    "channel[]": channels.length === 1 ? channels.map(({ id }) => String(id)) : [],
  };
}

function valuesOf({ scope, events, severityMin, channelIds }: NotificationRule): TypedRule["values"] {
  return { scope: scopeValue(scope), "event[]": events, severity: severityMin, "channel[]": channelIds.map(String) };
}

/** `?edit=7` shows the form of a rule. */
export const getRules: GetFor<"accounts"> = (visit, account) => {
  const edit = visit.url.searchParams.get("edit");
  if (edit === null) return rulesPage(visit, account);
  const edited = ownRule(visit, account, edit);
  return rulesPage(visit, account, { edited, typed: { values: valuesOf(edited), error: null } });
};

export const postRules = byOperation<Account>({
  create: (visit, account, fields) => save(visit, account, fields, null),
  change: (visit, account, fields) => save(visit, account, fields, ownRule(visit, account, fields.text("rule"))),
  delete: async (visit, account, fields) => {
    await removeRule(visit.settings, account, recordIdOf(fields.text("rule")));
    return redirectWith(visit, outcomes, "deleted");
  },
});

/** @throws the page 404, the same for a rule of another account. */
function ownRule({ settings }: Visit, account: Account, id: string): NotificationRule {
  const rule = settings.store.rules.find(account.id, recordIdOf(id));
  if (rule === undefined) throw notFound();
  return rule;
}

const ruleErrors = {
  "unknown-site": "noScope",
  "no-events": "noEvents",
  "no-channels": "noChannels",
  "unknown-channel": "noChannels",
  full: "full",
} as const satisfies Record<RuleFault | "full", TypedRule["error"]>;

/** `edited`: null for a new rule. */
async function save(visit: Visit, account: Account, fields: Fields, edited: NotificationRule | null): Promise<Response> {
  const { store } = visit.settings;
  const values = readFields(ruleForm, fields);
  const refuse = (error: TypedRule["error"]) => rulesPage(visit, account, { edited, typed: { values, error } });
  const scope = scopeNamed(values.scope, store.sites.list(account.id), edited?.scope ?? null);
  if (scope === null) return refuse("noScope");
  const channelIds = store.channels
    .list(account.id)
    .map(({ id }) => id)
    .filter((id) => values["channel[]"].includes(String(id)));
  const rule = { scope, events: values["event[]"], severityMin: values.severity, channelIds };
  const saved =
    edited === null ? await addRule(visit.settings, account, rule) : await updateRule(visit.settings, account, { id: edited.id, ...rule });
  if ("done" in saved) return redirectWith(visit, outcomes, edited === null ? "added" : "changed");
  if (saved.refused === "unknown") throw notFound();
  return refuse(ruleErrors[saved.refused]);
}

interface RulesPageState {
  /** Rule whose form is shown; null for the form of a new rule. */
  readonly edited: NotificationRule | null;
  readonly typed: TypedRule | null;
}

function rulesPage(visit: Visit, account: Account, { edited, typed }: RulesPageState = { edited: null, typed: null }): Response {
  const { i18n, settings } = visit;
  const { store } = settings;
  const [channels, sites] = [store.channels.list(account.id), store.sites.list(account.id)];
  const error = typed?.error ?? null;
  return accountPage(visit, {
    title: "channels.rules.title",
    lead: i18n.t("channels.rules.lead"),
    status: error === null ? 200 : 400,
    outcomes,
    children: (
      <>
        {error !== null && error !== "noScope" && (
          <Notice kind="poor" alert text={i18n.t(`channels.rules.${error}`, { max: i18n.number(rulesMax) })} />
        )}
        <RuleTable rules={store.rules.list(account.id)} channels={channels} sites={sites} />
        {channels.length === 0 ? (
          <p>
            <a href={channelsPagePath}>{i18n.t("channels.rules.channelFirst")}</a>
          </p>
        ) : (
          <RuleForm sites={sites} channels={channels} edited={edited} typed={typed} />
        )}
      </>
    ),
  });
}

interface RuleTableProps {
  readonly rules: readonly NotificationRule[];
  readonly channels: readonly Channel[];
  readonly sites: readonly Site[];
}

function RuleTable({ rules, channels, sites }: RuleTableProps) {
  const { i18n } = useVisit();
  if (rules.length === 0) return <EmptyState title={i18n.t("channels.rules.none")} text={i18n.t("channels.rules.noneWhat")} />;
  return (
    <TextTable
      caption="channels.rules.title"
      rows={rules}
      columns={{
        "channels.rules.scope": ({ scope }) => <UntrustedText>{scopeText(i18n, scope, sites)}</UntrustedText>,
        "channels.rules.events": ({ events }) => <RuleEvents events={events} />,
        "channels.rules.severity": ({ severityMin }) => i18n.severity(severityMin),
        "channels.rules.channels": ({ channelIds }) => (
          <ul class="plain">
            {channels
              .filter(({ id }) => channelIds.includes(id))
              .map(({ id, name }) => (
                <li key={id}>
                  <UntrustedText>{name}</UntrustedText>
                </li>
              ))}
          </ul>
        ),
        "channels.list.actions": { unseen: true, cell: (rule) => <RuleActions rule={rule} sites={sites} /> },
      }}
    />
  );
}

function RuleEvents({ events }: Pick<NotificationRule, "events">) {
  const { i18n } = useVisit();
  if (events.length === eventTypes.length) return <>{i18n.t("channels.rules.everyEvent")}</>;
  return (
    <ul class="plain">
      {eventTypes
        .filter((type) => events.includes(type))
        .map((type) => (
          <li key={type}>{i18n.t(`channels.events.${type}`)}</li>
        ))}
    </ul>
  );
}

function RuleActions({ rule: { id, scope }, sites }: { readonly rule: NotificationRule; readonly sites: readonly Site[] }) {
  const { i18n } = useVisit();
  const name = scopeText(i18n, scope, sites);
  const action = i18n.t("channels.actions.delete");
  return (
    <Form action={rulesPagePath}>
      <input type="hidden" name="do" value="delete" />
      <input type="hidden" name="rule" value={id} />
      <div class="actions">
        <EditLink href={`${rulesPagePath}?edit=${id}#rule-form`} name={name} />
        <SubmitButton kind="danger" compact label={i18n.t("channels.actions.of", { action, name })} text="channels.actions.delete" />
      </div>
    </Form>
  );
}

interface RuleFormProps {
  readonly sites: readonly Site[];
  readonly channels: readonly Channel[];
  /** Rule that is changed; null for a new one. */
  readonly edited: NotificationRule | null;
  readonly typed: TypedRule | null;
}

function RuleForm({ sites, channels, edited, typed }: RuleFormProps) {
  const { i18n } = useVisit();
  const scopes = scopesOf(sites, edited?.scope ?? null).map((scope) => ({ value: scopeValue(scope), text: scopeText(i18n, scope, sites) }));
  return (
    <PageSection id="rule-form" title={edited === null ? "channels.rules.create" : "channels.rules.change"}>
      <ActionForm
        action={rulesPagePath}
        hidden={edited === null ? { do: "create" } : { do: "change", rule: edited.id }}
        submit={edited === null ? "channels.rules.submit" : "channels.edit.submit"}
        cancel={edited === null ? undefined : rulesPagePath}
      >
        <FormFields
          form={ruleForm}
          values={typed?.values ?? newRule(channels)}
          errors={typed?.error === "noScope" ? new Map([["scope", i18n.t("channels.rules.noScope")]]) : null}
          onPage={{ scope: { options: scopes }, "channel[]": { options: () => channels.map(channelOption) } }}
        />
      </ActionForm>
    </PageSection>
  );
}

function channelOption({ id, name }: Channel) {
  return { value: String(id), text: <UntrustedText>{name}</UntrustedText> };
}

/** Plain text, for options and labels of buttons. */
function scopeText(i18n: I18n, scope: RuleScope, sites: readonly Site[]): string {
  switch (scope.kind) {
    case "all":
      return i18n.t("channels.rules.scopes.all");
    case "site": {
      const site = sites.find(({ id }) => id === scope.siteId);
      if (site === undefined) return i18n.t("channels.rules.scopes.deletedSite");
      return i18n.t("channels.rules.scopes.site", { name: plainUntrustedText(site.name) });
    }
    case "tag":
      return i18n.t("channels.rules.scopes.tag", { name: plainUntrustedText(scope.tag) });
    case "client":
      return i18n.t("channels.rules.scopes.client", { name: plainUntrustedText(scope.client) });
  }
}

/** Scope as the form has it: `all`, `site:7`, `tag:live` or `client:Acme`. */
function scopeValue(scope: RuleScope): string {
  switch (scope.kind) {
    case "all":
      return "all";
    case "site":
      return `site:${scope.siteId}`;
    case "tag":
      return `tag:${scope.tag}`;
    case "client":
      return `client:${scope.client}`;
  }
}

/** Every scope of these sites: all, then clients, tags and sites by name. `kept` follows if it has no site any more. */
function scopesOf(sites: readonly Site[], kept: RuleScope | null): readonly RuleScope[] {
  const clients = new Set(sites.flatMap(({ client }) => client ?? []));
  const tags = new Set(sites.flatMap((site) => site.tags));
  const scopes: readonly RuleScope[] = [
    { kind: "all" },
    ...[...clients].sort().map((client) => ({ kind: "client" as const, client })),
    ...[...tags].sort().map((tag) => ({ kind: "tag" as const, tag })),
    ...sites.toSorted((one, other) => one.name.localeCompare(other.name)).map(({ id }) => ({ kind: "site" as const, siteId: id })),
  ];
  const isKnown = kept === null || scopes.some((scope) => scopeValue(scope) === scopeValue(kept));
  return isKnown ? scopes : [...scopes, kept];
}

/** Null unless the form offers the scope. `kept`: scope of the rule that is changed, which may have no site any more. */
function scopeNamed(value: string, sites: readonly Site[], kept: RuleScope | null): RuleScope | null {
  return scopesOf(sites, kept).find((scope) => scopeValue(scope) === value) ?? null;
}
