/** `/account/rules`: rules that say which channels are notified of which events. */
import { recordIdOf } from "../../base/record-id.ts";
import { type Severity, severities } from "../../check/check.ts";
import { addRule, type RuleFault, removeRule, updateRule } from "../../deliver/rule-operations.ts";
import { DataTable } from "../../report/components/layout.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { plainUntrustedText, UntrustedText } from "../../report/components/untrusted-text.tsx";
import type { Account } from "../../store/accounts.ts";
import type { Channel } from "../../store/channels.ts";
import { eventTypes } from "../../store/event-types.ts";
import { type NotificationRule, type RuleScope, rulesMax } from "../../store/notification-rules.ts";
import type { EventType } from "../../store/site-events.ts";
import type { Site } from "../../store/sites.ts";
import type { I18n } from "../../text/translator.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { CheckField, SelectField } from "../components/field.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { formMalformed, notFound } from "../errors.ts";
import { type Fields, Form } from "../form.tsx";
import type { GetFor, PostFor } from "../guards.ts";
import { redirect } from "../response.ts";
import type { Visit } from "../visit.ts";
import { accountPage, channelsPagePath, EditLink, rulesPagePath, SaveOrCancel } from "./account-page.tsx";
import { eventTexts } from "./event-texts.ts";

/** Longest scope of a refused form that is shown again. */
const scopeCharsMax = 200;

/** `?edit=7` shows the form of a rule. */
export const getRules: GetFor<"accounts"> = (visit, account) => {
  const edit = visit.url.searchParams.get("edit");
  if (edit === null) return rulesPage(visit, account);
  const edited = ownRule(visit, account, edit);
  return rulesPage(visit, account, { edited, typed: typedRuleOf(edited) });
};

export const postRules: PostFor<"accounts"> = (visit, account, fields) => {
  const operation = fields.text("do");
  if (operation === "create") return save(visit, account, fields, null);
  if (operation === "change") return save(visit, account, fields, ownRule(visit, account, fields.text("rule")));
  if (operation === "delete") return remove(visit, account, fields);
  throw formMalformed();
};

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
  const severityMin = severities.find((one) => one === fields.text("severity"));
  if (severityMin === undefined) throw formMalformed();
  const [events, channelIds] = [fields.all(eventField), fields.all(channelField).map(recordIdOf)];
  const chosen = {
    severityMin,
    events: eventTypes.filter((type) => events.includes(type)),
    channelIds: store.channels
      .list(account.id)
      .map(({ id }) => id)
      .filter((id) => channelIds.includes(id)),
  };
  const typedScope = fields.text("scope").slice(0, scopeCharsMax);
  const refuse = (error: TypedRule["error"]) => rulesPage(visit, account, { edited, typed: { ...chosen, scope: typedScope, error } });
  const scope = scopeNamed(typedScope, store.sites.list(account.id), edited?.scope ?? null);
  if (scope === null) return refuse("noScope");
  const rule = { scope, ...chosen };
  const saved =
    edited === null ? await addRule(visit.settings, account, rule) : await updateRule(visit.settings, account, { id: edited.id, ...rule });
  if ("done" in saved) return redirect(visit, `${rulesPagePath}?done=${edited === null ? "added" : "changed"}`);
  if (saved.refused === "unknown") throw notFound();
  return refuse(ruleErrors[saved.refused]);
}

async function remove(visit: Visit, account: Account, fields: Fields): Promise<Response> {
  await removeRule(visit.settings, account, recordIdOf(fields.text("rule")));
  return redirect(visit, `${rulesPagePath}?done=deleted`);
}

interface RulesPageState {
  /** Rule whose form is shown; null for the form of a new rule. */
  readonly edited: NotificationRule | null;
  readonly typed: TypedRule | null;
}

function rulesPage(visit: Visit, account: Account, { edited, typed }: RulesPageState = { edited: null, typed: null }): Response {
  const { i18n, url, settings } = visit;
  const { store } = settings;
  const [channels, sites] = [store.channels.list(account.id), store.sites.list(account.id)];
  const error = typed?.error ?? null;
  const done = (["added", "changed", "deleted"] as const).find((one) => typed === null && one === url.searchParams.get("done"));
  return accountPage(visit, {
    title: "channels.rules.title",
    lead: i18n.t("channels.rules.lead"),
    status: error === null ? 200 : 400,
    done: done === undefined ? null : i18n.t(`channels.rules.done.${done}`),
    children: (
      <>
        {error !== null && error !== "noScope" && (
          <Notice kind="poor" alert>
            <p>{i18n.t(`channels.rules.${error}`, { max: i18n.number(rulesMax) })}</p>
          </Notice>
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
  if (rules.length === 0)
    return (
      <EmptyState title={i18n.t("channels.rules.none")}>
        <p>{i18n.t("channels.rules.noneWhat")}</p>
      </EmptyState>
    );
  return (
    <DataTable
      caption={i18n.t("channels.rules.title")}
      captionUnseen
      rows={rules}
      columns={[
        { label: i18n.t("channels.rules.scope"), cell: ({ scope }) => <UntrustedText>{scopeText(i18n, scope, sites)}</UntrustedText> },
        { label: i18n.t("channels.rules.events"), cell: ({ events }) => <RuleEvents events={events} /> },
        { label: i18n.t("channels.rules.severity"), cell: ({ severityMin }) => i18n.severity(severityMin) },
        {
          label: i18n.t("channels.rules.channels"),
          cell: ({ channelIds }) => (
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
        },
        { label: i18n.t("channels.list.actions"), unseen: true, cell: (rule) => <RuleActions rule={rule} sites={sites} /> },
      ]}
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
          <li key={type}>{i18n.t(eventTexts[type])}</li>
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
      <input type="hidden" name="rule" value={String(id)} />
      <div class="actions">
        <EditLink href={`${rulesPagePath}?edit=${id}#rule-form`} name={name} />
        <SubmitButton kind="danger" compact label={i18n.t("channels.actions.of", { action, name })}>
          {action}
        </SubmitButton>
      </div>
    </Form>
  );
}

/** HTML wants brackets where checkboxes share a name. */
const eventField = "event[]";
const channelField = "channel[]";

/** Values of the form, and the error of a refused one. */
interface TypedRule {
  readonly scope: string;
  readonly events: readonly EventType[];
  readonly severityMin: Severity;
  readonly channelIds: readonly number[];
  readonly error: "noEvents" | "noChannels" | "noScope" | "full" | null;
}

function typedRuleOf({ scope, events, severityMin, channelIds }: NotificationRule): TypedRule {
  return { scope: scopeValue(scope), events, severityMin, channelIds, error: null };
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
  const severityMin = typed?.severityMin ?? "info";
  return (
    <section aria-labelledby="rule-form">
      <h2 id="rule-form">{i18n.t(edited === null ? "channels.rules.create" : "channels.rules.change")}</h2>
      <Form action={rulesPagePath}>
        <input type="hidden" name="do" value={edited === null ? "create" : "change"} />
        {edited !== null && <input type="hidden" name="rule" value={String(edited.id)} />}
        <SelectField
          name="scope"
          label={i18n.t("channels.rules.scope")}
          hint={i18n.t("channels.rules.scopeHint")}
          value={typed?.scope ?? "all"}
          options={scopesOf(sites, edited?.scope ?? null).map((scope) => ({
            value: scopeValue(scope),
            text: scopeText(i18n, scope, sites),
          }))}
          error={typed?.error === "noScope" ? i18n.t("channels.rules.noScope") : undefined}
        />
        <fieldset>
          <legend>{i18n.t("channels.rules.events")}</legend>
          {eventTypes.map((type) => (
            <CheckField
              key={type}
              name={eventField}
              value={type}
              label={i18n.t(eventTexts[type])}
              checked={typed === null ? type !== "scan.finished" : typed.events.includes(type)}
            />
          ))}
        </fieldset>
        <SelectField
          name="severity"
          label={i18n.t("channels.rules.severity")}
          hint={i18n.t("channels.rules.severityHint")}
          value={severityMin}
          options={severities.map((severity) => ({ value: severity, text: i18n.severity(severity) }))}
        />
        <fieldset>
          <legend>{i18n.t("channels.rules.channels")}</legend>
          {channels.map(({ id, name }) => (
            <CheckField
              key={id}
              name={channelField}
              value={String(id)}
              label={<UntrustedText>{name}</UntrustedText>}
              checked={typed === null ? channels.length === 1 : typed.channelIds.includes(id)}
            />
          ))}
        </fieldset>
        {edited === null ? <SubmitButton>{i18n.t("channels.rules.submit")}</SubmitButton> : <SaveOrCancel cancelPath={rulesPagePath} />}
      </Form>
    </section>
  );
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
export function scopesOf(sites: readonly Site[], kept: RuleScope | null): readonly RuleScope[] {
  const scopes = namedScopes(sites);
  const isKnown = kept === null || scopes.some((scope) => scopeValue(scope) === scopeValue(kept));
  return isKnown ? scopes : [...scopes, kept];
}

function namedScopes(sites: readonly Site[]): readonly RuleScope[] {
  const clients = new Set(sites.flatMap(({ client }) => client ?? []));
  const tags = new Set(sites.flatMap((site) => site.tags));
  return [
    { kind: "all" },
    ...[...clients].sort().map((client): RuleScope => ({ kind: "client", client })),
    ...[...tags].sort().map((tag): RuleScope => ({ kind: "tag", tag })),
    ...sites.toSorted((one, other) => one.name.localeCompare(other.name)).map(({ id }): RuleScope => ({ kind: "site", siteId: id })),
  ];
}

/** Null unless the scope has a site. `kept`: scope of the rule that is changed, which may have none any more. */
function scopeNamed(value: string, sites: readonly Site[], kept: RuleScope | null): RuleScope | null {
  if (kept !== null && value === scopeValue(kept)) return kept;
  if (value === "all") return { kind: "all" };
  const [, kind, text = ""] = /^(site|tag|client):([\s\S]+)$/.exec(value) ?? [];
  if (kind === "site") return sites.some(({ id }) => id === recordIdOf(text)) ? { kind, siteId: recordIdOf(text) } : null;
  if (kind === "tag") return sites.some(({ tags }) => tags.includes(text)) ? { kind, tag: text } : null;
  return kind === "client" && sites.some(({ client }) => client === text) ? { kind, client: text } : null;
}
