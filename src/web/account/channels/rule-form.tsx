/** Form that creates or changes a rule. */
import { type Severity, severities } from "../../../check/check.ts";
import { plainUntrustedText, UntrustedText } from "../../../report/components/untrusted-text.tsx";
import type { Channel } from "../../../store/channels.ts";
import { eventTypes } from "../../../store/event-types.ts";
import type { NotificationRule, RuleScope } from "../../../store/notification-rules.ts";
import type { EventType } from "../../../store/site-events.ts";
import type { Site } from "../../../store/sites.ts";
import type { I18n } from "../../../text/translator.ts";
import { CheckField, SelectField } from "../../components/field.tsx";
import { SubmitButton } from "../../components/submit-button.tsx";
import { useVisit } from "../../context.ts";
import { Form } from "../../form.tsx";
import { rulesPagePath } from "./channel-paths.ts";
import { SaveOrCancel } from "./edit-parts.tsx";
import { eventTexts } from "./event-texts.ts";
import { scopesOf, scopeValue } from "./rule-scope.ts";

/** HTML wants brackets where checkboxes share a name. */
export const eventField = "event[]";
export const channelField = "channel[]";

/** Values of the form, and the error of a refused one. */
export interface TypedRule {
  readonly scope: string;
  readonly events: readonly EventType[];
  readonly severityMin: Severity;
  readonly channelIds: readonly number[];
  readonly error: "noEvents" | "noChannels" | "noScope" | "full" | null;
}

export function typedRuleOf({ scope, events, severityMin, channelIds }: NotificationRule): TypedRule {
  return { scope: scopeValue(scope), events, severityMin, channelIds, error: null };
}

interface RuleFormProps {
  readonly sites: readonly Site[];
  readonly channels: readonly Channel[];
  /** Rule that is changed; null for a new one. */
  readonly edited: NotificationRule | null;
  readonly typed: TypedRule | null;
}

export function RuleForm({ sites, channels, edited, typed }: RuleFormProps) {
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
export function scopeText(i18n: I18n, scope: RuleScope, sites: readonly Site[]): string {
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
