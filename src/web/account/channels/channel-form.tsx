/** Forms that create a channel, or change one: a mail address, or a webhook. */
import { webhookUrlCharsMax } from "../../../parse/scan-url.ts";
import { Notice } from "../../../report/components/notice.tsx";
import { emailCharsMax } from "../../../store/account-index.ts";
import type { Account } from "../../../store/accounts.ts";
import { type Channel, type ChannelKind, channelNameCharsMax, channelsMax } from "../../../store/channels.ts";
import { CheckField, Field } from "../../components/field.tsx";
import { SubmitButton } from "../../components/submit-button.tsx";
import { useVisit } from "../../context.ts";
import { Form } from "../../form.tsx";
import type { TypedChannel } from "./channel-fault.ts";
import { channelsPagePath } from "./channel-paths.ts";
import { SaveOrCancel } from "./edit-parts.tsx";

interface ChannelFormsProps {
  readonly account: Account;
  /** Whether the account has no channel yet. */
  readonly isFirst: boolean;
  readonly typed: TypedChannel | null;
}

export function ChannelForms({ account, isFirst, typed }: ChannelFormsProps) {
  const { i18n, settings } = useVisit();
  const ofKind = (kind: ChannelKind) => (typed?.kind === kind ? typed : null);
  return (
    <section aria-labelledby="new-channel">
      <h2 id="new-channel">{i18n.t("channels.create.title")}</h2>
      {settings.sites.mailConfigured() ? (
        <ChannelForm kind="mail" target={isFirst ? account.email : ""} isFirst={isFirst} typed={ofKind("mail")} />
      ) : (
        <Notice>
          <p>{i18n.t("channels.create.noMail")}</p>
        </Notice>
      )}
      <ChannelForm kind="webhook" target="" isFirst={isFirst} typed={ofKind("webhook")} />
    </section>
  );
}

interface ChannelFormProps {
  readonly kind: ChannelKind;
  /** Channel that is changed; null for a new one. */
  readonly edited?: Channel | null;
  /** Value of the form before anything is typed. */
  readonly target: string;
  readonly isFirst: boolean;
  readonly typed: TypedChannel | null;
}

export function EditChannel({ channel, typed }: { readonly channel: Channel; readonly typed: TypedChannel | null }) {
  const { i18n } = useVisit();
  return (
    <section aria-labelledby="edit-channel">
      <h2 id="edit-channel">{i18n.t("channels.edit.title")}</h2>
      <ChannelForm kind={channel.kind} edited={channel} target={channel.target} isFirst={false} typed={typed} />
    </section>
  );
}

function ChannelForm({ kind, edited = null, target, isFirst, typed }: ChannelFormProps) {
  const { i18n } = useVisit();
  const isMail = kind === "mail";
  const fault = typed?.fault;
  return (
    <Form action={channelsPagePath}>
      <h3>{i18n.t(`channels.kinds.${kind}`)}</h3>
      <input type="hidden" name="do" value={edited === null ? "create" : "change"} />
      {edited === null ? (
        <input type="hidden" name="kind" value={kind} />
      ) : (
        <input type="hidden" name="channel" value={String(edited.id)} />
      )}
      <Field
        name="target"
        id={`${kind}-target`}
        label={i18n.t(`channels.create.${kind}`)}
        hint={i18n.t(`channels.create.${kind}Hint`)}
        type={isMail ? "email" : "url"}
        autocomplete={isMail ? "email" : "off"}
        value={typed?.target ?? target}
        maxLength={isMail ? emailCharsMax : webhookUrlCharsMax}
        error={fault?.at === "target" ? i18n.t(`channels.create.faults.${fault.because}`, { max: i18n.number(channelsMax) }) : undefined}
        verbatim
      />
      <Field
        name="name"
        id={`${kind}-name`}
        label={i18n.t("channels.create.name")}
        hint={i18n.t(`channels.create.${kind}NameHint`)}
        autocomplete="off"
        required={false}
        value={typed?.name ?? edited?.name ?? ""}
        maxLength={channelNameCharsMax}
        error={
          fault?.at === "name" ? i18n.t(`channels.create.faults.${fault.because}`, { max: i18n.number(channelNameCharsMax) }) : undefined
        }
      />
      {isFirst && <CheckField name="all" value="yes" label={i18n.t("channels.create.all")} checked={typed === null || typed.reportAll} />}
      {edited === null ? (
        <SubmitButton>{i18n.t(`channels.create.submit.${kind}`)}</SubmitButton>
      ) : (
        <SaveOrCancel cancelPath={channelsPagePath} />
      )}
    </Form>
  );
}
