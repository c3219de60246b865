/** `/account/channels`: channels that notify the account, and the token for the metrics of its sites. */
import { issueMetricsToken, revokeMetricsToken } from "../../accounts/token-operations.ts";
import { recordIdOf } from "../../base/record-id.ts";
import {
  addChannel,
  type ChannelFieldFault,
  confirmChannel,
  disableOwnChannel,
  enableOwnChannel,
  removeChannel,
  rotateChannelSecret,
  type SavedChannel,
  testChannel,
  updateChannel,
} from "../../channels/channel-operations.ts";
import { chatServices, shownTarget } from "../../channels/chat-services.ts";
import { emailCharsMax } from "../../parse/mail/address.ts";
import { webhookUrlCharsMax } from "../../parse/scan-url.ts";
import { Instant } from "../../report/components/labels.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { ConfigLines } from "../../report/components/remediation.tsx";
import { plainUntrustedText, UntrustedText } from "../../report/components/untrusted-text.tsx";
import type { ChannelTest } from "../../sites/site-operations.ts";
import type { Account } from "../../store/accounts.ts";
import {
  type Channel,
  type ChannelKind,
  type ChatKind,
  channelKinds,
  channelNameCharsMax,
  channelsMax,
  chatKinds,
  isChatKind,
} from "../../store/channels.ts";
import { SecretOnce } from "../components/copy-field.tsx";
import { ActionForm, choiceOf, EditLink, type FormDescription, FormFields, readFields, SubmitButton } from "../components/forms.tsx";
import { outcomesOf, redirectWith } from "../components/outcome.tsx";
import { EmptyState, PageSection, TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { formMalformed, notFound } from "../errors.ts";
import { choiceIn, type Fields, Form } from "../form.tsx";
import { byOperation, type GetFor, type PostFor } from "../guards.ts";
import { accountPage, channelsPagePath, rulesPagePath } from "../private-page.tsx";
import { publicOrigin, type Visit } from "../visit.ts";
import { AttemptText, kindName } from "./channel-words.tsx";
import { siteMetricsPath } from "./site-metrics.ts";

/** Longest target of a refused form that is shown again. */
const typedCharsMax = 2_048;
/** Characters of a target that the table shows. */
const targetCharsShown = 120;

const outcomes = outcomesOf(
  channelsPagePath,
  ["added", "changed", "sent", "enabled", "disabled", "deleted", "revoked", "unsent", "too-many", "no-mail", "ended"],
  (outcome) => `channels.done.${outcome}`,
  ["unsent", "too-many", "no-mail", "ended"],
);
type ChannelsOutcome = keyof typeof outcomes.texts;

const nameField = { label: "channels.create.name", autocomplete: "off", required: false, maxLength: channelNameCharsMax } as const;
const urlField = { control: "url", autocomplete: "off", maxLength: webhookUrlCharsMax, verbatim: true } as const;
const channelForms = {
  mail: {
    target: {
      control: "email",
      id: "mail-target",
      label: "channels.create.mail",
      hint: "channels.create.mailHint",
      autocomplete: "email",
      maxLength: emailCharsMax,
      verbatim: true,
    },
    name: { ...nameField, id: "mail-name", hint: "channels.create.mailNameHint" },
  },
  webhook: {
    target: { ...urlField, id: "webhook-target", label: "channels.create.webhook", hint: "channels.create.webhookHint" },
    name: { ...nameField, id: "webhook-name", hint: "channels.create.webhookNameHint" },
  },
  chat: {
    kind: choiceOf(chatKinds, (kind) => () => chatServices[kind].product, { id: "chat-kind", label: "channels.create.chatService" }),
    target: { ...urlField, id: "chat-target", label: "channels.create.chatUrl", hint: "channels.create.chatUrlHint" },
    name: { ...nameField, id: "chat-name", hint: "channels.create.chatNameHint" },
  },
  /** A service stays, and its URL is not shown. */
  chatEdit: {
    target: { ...urlField, id: "chat-target", label: "channels.create.chatUrl", hint: "channels.create.chatUrlEditHint", required: false },
    name: { ...nameField, id: "chat-name", hint: "channels.create.chatNameHint" },
  },
} satisfies Record<string, FormDescription>;

/** Shown for each new channel. */
const reportForm = { all: { control: "check", label: "channels.create.all" } } satisfies FormDescription;

/** Typed fields of a channel, and what is wrong with them. */
interface TypedChannel {
  readonly kind: ChannelKind;
  readonly target: string;
  readonly name: string;
  readonly reportAll: boolean;
  readonly fault: ChannelFieldFault | { readonly at: "target"; readonly because: "full" };
}

interface ChannelsPageState {
  /** Refused form. */
  readonly typed?: TypedChannel;
  /** Channel whose form is shown in place of the forms for new channels. */
  readonly edited?: Channel;
  readonly tested?: { readonly channel: Channel; readonly outcome: ChannelTest };
}

/** `?edit=7` shows the form of a channel. */
export const getChannels: GetFor<"accounts"> = (visit, account) => {
  const edit = visit.url.searchParams.get("edit");
  return channelsPage(visit, account, edit === null ? {} : { edited: ownChannelOf(visit, account, edit) });
};

type ChannelHandler = (visit: Visit, account: Account, channel: Channel, fields: Fields) => Promise<Response>;

/** Handler for the channel that the form names. */
function onChannel(handler: ChannelHandler): PostFor<"accounts"> {
  return (visit, account, fields) => handler(visit, account, ownChannelOf(visit, account, fields.text("channel")), fields);
}

/** Actions that a button of the table starts. */
const channelActions = {
  test: onChannel(async (visit, account, channel) => {
    const tested = await testChannel(visit.settings, account, channel.id);
    if ("done" in tested) return channelsPage(visit, account, { tested: { channel, outcome: tested.done } });
    return refused(
      visit,
      ({ unconfirmed: "unsent", unsubscribed: "ended", unknown: "unknown", "no-mail": "no-mail" } as const)[tested.refused],
    );
  }),
  confirm: onChannel(async (visit, account, { id }) => {
    const asked = await confirmChannel(visit.settings, account, id);
    if ("done" in asked) return saved(visit, asked.done, "sent");
    return refused(visit, asked.refused === "confirmed" ? "added" : asked.refused);
  }),
  rotate: onChannel(async (visit, account, { id }) => {
    const rotated = await rotateChannelSecret(visit.settings, account, id);
    if ("refused" in rotated) throw formMalformed();
    return webhookSecretPage(visit, rotated.done);
  }),
  enable: onChannel(async (visit, account, { id }) => {
    const enabled = await enableOwnChannel(visit.settings, account, id);
    return "done" in enabled ? saved(visit, enabled.done, "enabled") : refused(visit, enabled.refused);
  }),
  disable: onChannel(async (visit, account, { id }) => {
    await disableOwnChannel(visit.settings, account, id);
    return redirectWith(visit, outcomes, "disabled");
  }),
  delete: onChannel(async (visit, account, channel, fields) => {
    if (fields.text("confirm") !== "yes") return channelDeletionPage(visit, channel);
    await removeChannel(visit.settings, account, channel.id);
    return redirectWith(visit, outcomes, "deleted");
  }),
};
type ChannelAction = keyof typeof channelActions;

export const postChannels = byOperation<Account>({
  create: createChannel,
  change: changeChannel,
  issue: async (visit, account) => metricsTokenPage(visit, await issueMetricsToken(visit.settings, account)),
  revoke: async (visit, account) => {
    await revokeMetricsToken(visit.settings, account);
    return redirectWith(visit, outcomes, "revoked");
  },
  ...channelActions,
});

async function createChannel(visit: Visit, account: Account, fields: Fields): Promise<Response> {
  const kind = choiceIn(fields, "kind", channelKinds);
  const given = { kind, target: fields.text("target"), name: fields.text("name"), reportAll: readFields(reportForm, fields).all };
  const added = await addChannel(visit.settings, account, given);
  if ("fault" in added) return channelsPage(visit, account, { typed: typedChannel(kind, fields, added.fault) });
  if ("done" in added) return kind === "webhook" ? webhookSecretPage(visit, added.done.channel) : saved(visit, added.done, "added");
  if (added.refused === "no-mail") return redirectWith(visit, outcomes, "no-mail");
  return channelsPage(visit, account, { typed: typedChannel(kind, fields, { at: "target", because: "full" }) });
}

async function changeChannel(visit: Visit, account: Account, fields: Fields): Promise<Response> {
  const edited = ownChannelOf(visit, account, fields.text("channel"));
  const target = fields.text("target");
  const keepsTarget = isChatKind(edited.kind) && target.trim() === "";
  const given = { id: edited.id, name: fields.text("name"), ...(!keepsTarget && { target }) };
  const changed = await updateChannel(visit.settings, account, given);
  if ("fault" in changed) return channelsPage(visit, account, { typed: typedChannel(edited.kind, fields, changed.fault), edited });
  return "done" in changed ? saved(visit, changed.done, "changed") : refused(visit, changed.refused);
}

/** @throws the page 404, the same for an unknown channel and for one of another account. */
function ownChannelOf({ settings }: Visit, account: Account, id: string): Channel {
  const channel = settings.store.channels.find(account.id, recordIdOf(id));
  if (channel === undefined) throw notFound();
  return channel;
}

/** The outcome of a mail that asks to confirm is more important than what was saved. */
function saved(visit: Visit, { confirmation }: SavedChannel, outcome: ChannelsOutcome): Response {
  return redirectWith(visit, outcomes, confirmation === "failed" ? "unsent" : (confirmation ?? outcome));
}

/** @throws PageError 404 for a channel that another request has removed. */
function refused(visit: Visit, outcome: ChannelsOutcome | "unknown"): Response {
  if (outcome === "unknown") throw notFound();
  return redirectWith(visit, outcomes, outcome);
}

function typedChannel(kind: ChannelKind, fields: Fields, fault: TypedChannel["fault"]): TypedChannel {
  const target = fields.text("target").slice(0, typedCharsMax);
  return {
    kind,
    target,
    name: fields.text("name").slice(0, channelNameCharsMax + 1),
    reportAll: readFields(reportForm, fields).all,
    fault,
  };
}

function channelsPage(visit: Visit, account: Account, { typed, tested, edited }: ChannelsPageState): Response {
  const { i18n, settings } = visit;
  const channels = settings.store.channels.list(account.id);
  return accountPage(visit, {
    title: "channels.title",
    lead: i18n.t("channels.lead"),
    status: typed === undefined ? 200 : 400,
    outcomes,
    children: (
      <>
        {tested !== undefined && <TestNotice {...tested} />}
        <ChannelTable channels={channels} />
        {edited === undefined ? (
          <NewChannelForms account={account} isFirst={channels.length === 0} typed={typed ?? null} />
        ) : (
          <PageSection id="edit-channel" title="channels.edit.title">
            <NoRuleNotice channel={edited} />
            <ChannelForm kind={edited.kind} edited={edited} target={isChatKind(edited.kind) ? "" : edited.target} typed={typed ?? null} />
          </PageSection>
        )}
        <MetricsSection account={account} />
      </>
    ),
  });
}

function TestNotice({ channel, outcome }: { readonly channel: Channel; readonly outcome: ChannelTest }) {
  const { i18n } = useVisit();
  const { result, because } = outcome;
  if (because === "too-many") return <Notice kind="warn" alert text={i18n.t("channels.test.tooMany")} />;
  const isDelivered = result === "delivered";
  return (
    <Notice kind={isDelivered ? "good" : "poor"} alert>
      <p>
        <UntrustedText>{channel.name}</UntrustedText>: {i18n.t(isDelivered ? "channels.test.delivered" : "channels.test.failed")}{" "}
        <AttemptText {...outcome} />
      </p>
    </Notice>
  );
}

function MetricsSection({ account }: { readonly account: Account }) {
  const { i18n, settings } = useVisit();
  const isIssued = settings.store.metricsTokens.has(account.id);
  return (
    <PageSection id="metrics" title="channels.metrics.title">
      <p>
        {i18n.t("channels.metrics.what")} <code>{siteMetricsPath}</code>
      </p>
      <p>{i18n.t(isIssued ? "channels.metrics.issued" : "channels.metrics.none")}</p>
      <Form action={channelsPagePath}>
        <p class="actions">
          <SubmitButton kind="plain" name="do" value="issue" text={isIssued ? "channels.metrics.replace" : "channels.metrics.issue"} />
          {isIssued && <SubmitButton kind="danger" name="do" value="revoke" text="channels.metrics.revoke" />}
        </p>
      </Form>
    </PageSection>
  );
}

/** Asks before a channel is deleted. A page of its own works without script. */
function channelDeletionPage(visit: Visit, { id, name }: Channel): Response {
  const { i18n } = visit;
  return accountPage(visit, {
    title: "channels.deletion.title",
    children: (
      <>
        <p>
          <strong>
            <UntrustedText>{name}</UntrustedText>
          </strong>
        </p>
        <p>{i18n.t("channels.deletion.what")}</p>
        <ActionForm
          action={channelsPagePath}
          hidden={{ do: "delete", confirm: "yes", channel: id }}
          kind="danger"
          submit="channels.deletion.submit"
          cancel={channelsPagePath}
        />
      </>
    ),
  });
}

interface NewChannelProps {
  readonly account: Account;
  /** Whether the account has no channel yet. */
  readonly isFirst: boolean;
  readonly typed: TypedChannel | null;
}

function NewChannelForms({ account, isFirst, typed }: NewChannelProps) {
  const { i18n, settings } = useVisit();
  const ofKind = (kind: ChannelKind) => (typed?.kind === kind ? typed : null);
  const ofChat = typed !== null && isChatKind(typed.kind) ? typed : null;
  return (
    <PageSection id="new-channel" title="channels.create.title">
      {settings.sites.mailConfigured() ? (
        <ChannelForm kind="mail" target={isFirst ? account.email : ""} typed={ofKind("mail")} />
      ) : (
        <Notice text={i18n.t("channels.create.noMail")} />
      )}
      <ChannelForm kind={ofChat?.kind ?? chatKinds[0]} target="" typed={ofChat} />
      <ChannelForm kind="webhook" target="" typed={ofKind("webhook")} />
    </PageSection>
  );
}

interface ChannelFormProps {
  readonly typed: TypedChannel | null;
  /** The form for a new channel of a chat service lets people choose another one. */
  readonly kind: ChannelKind;
  /** Channel that is changed; null for a new one. */
  readonly edited?: Channel | null;
  /** Value of the form before anything is typed. */
  readonly target: string;
}

function ChannelForm({ kind, edited = null, target, typed }: ChannelFormProps) {
  const { i18n } = useVisit();
  const fault = typed?.fault;
  const form = isChatKind(kind) ? "chat" : kind;
  return (
    <ActionForm
      action={channelsPagePath}
      hidden={edited !== null ? { do: "change", channel: edited.id } : { do: "create", ...(form !== "chat" && { kind }) }}
      submit={edited === null ? `channels.create.submit.${form}` : "channels.edit.submit"}
      cancel={edited === null ? undefined : channelsPagePath}
    >
      <h3>{form === "chat" && edited === null ? i18n.t("channels.create.chat") : kindName(kind, i18n)}</h3>
      {isChatKind(kind) && <WhereToFind kinds={edited === null ? chatKinds : [kind]} />}
      <FormFields
        form={channelForms[form === "chat" && edited !== null ? "chatEdit" : form]}
        values={{ kind, target: typed?.target ?? target, name: typed?.name ?? edited?.name ?? "" }}
        errors={fault && new Map([[fault.at, faultText(kind, fault, i18n)]])}
      />
      {edited === null && <FormFields form={reportForm} values={{ all: typed === null || typed.reportAll }} />}
    </ActionForm>
  );
}

function faultText(kind: ChannelKind, { at, because }: TypedChannel["fault"], { t, number }: Visit["i18n"]): string {
  const max = number(at === "target" ? channelsMax : channelNameCharsMax);
  const service = isChatKind(kind) ? chatServices[kind] : null;
  return t(`channels.create.faults.${because}`, { max, product: service?.product ?? "", example: service?.url.example ?? "" });
}

function WhereToFind({ kinds }: { readonly kinds: readonly ChatKind[] }) {
  const { i18n } = useVisit();
  return (
    <details>
      <summary>{i18n.t("channels.create.chatFind")}</summary>
      <ul>
        {kinds.map((kind) => (
          <li key={kind}>
            <strong>{chatServices[kind].product}</strong>: {i18n.t(`channels.create.chatWhere.${kind}`)}
          </li>
        ))}
      </ul>
    </details>
  );
}

function ChannelTable({ channels }: { readonly channels: readonly Channel[] }) {
  const { i18n, settings } = useVisit();
  if (channels.length === 0) return <EmptyState title={i18n.t("channels.list.none")} text={i18n.t("channels.list.noneWhat")} />;
  const { countOfChannel } = settings.store.rules;
  return (
    <PageSection id="channels" title="channels.list.caption">
      <TextTable
        caption="channels.list.caption"
        rows={channels}
        columns={{
          "channels.list.name": ({ name }) => <UntrustedText>{name}</UntrustedText>,
          "channels.list.target": (channel) => (
            <>
              {kindName(channel.kind, i18n)}
              <br />
              <UntrustedText charsMax={targetCharsShown}>{shownTarget(channel)}</UntrustedText>
            </>
          ),
          "channels.list.state": (channel) => <ChannelState channel={channel} />,
          "channels.list.rules": {
            numeric: true,
            cell: ({ accountId, id }) => {
              const count = countOfChannel(accountId, id);
              return (
                <a href={rulesPagePath}>{count === 0 ? i18n.t("channels.list.noRule") : i18n.count("channels.list.ruleCount", count)}</a>
              );
            },
          },
          "channels.list.actions": { unseen: true, cell: (channel) => <ChannelButtons channel={channel} /> },
        }}
      />
      <p class="hint">{i18n.t("channels.list.means")}</p>
    </PageSection>
  );
}

/** A channel without a rule looks as if it watched; only this says that it gets no event. */
function NoRuleNotice({ channel: { accountId, id } }: { readonly channel: Pick<Channel, "accountId" | "id"> }) {
  const { i18n, settings } = useVisit();
  if (settings.store.rules.countOfChannel(accountId, id) > 0) return null;
  return (
    <Notice kind="warn">
      <p>
        {i18n.t("channels.list.noRuleWhat")} <a href={rulesPagePath}>{i18n.t("channels.rules.create")}</a>
      </p>
    </Notice>
  );
}

function ChannelState({ channel: { kind, disabled, verifiedAt, secrets } }: { readonly channel: Channel }) {
  const { i18n } = useVisit();
  if (disabled !== null) {
    // Only a refusal disables a mail address, often at the first attempt.
    const refusal = kind === "mail" && disabled.because === "failed" ? "refused" : null;
    const because = refusal ?? (isChatKind(kind) && disabled.because === "gone" ? "chatGone" : disabled.because);
    return (
      <>
        {i18n.t(`channels.states.${because}`)} <Instant at={disabled.at} />
      </>
    );
  }
  if (verifiedAt === null) return <>{i18n.t("channels.states.unconfirmed")}</>;
  return <>{i18n.t(secrets.length > 1 ? "channels.states.rotated" : "channels.states.active")}</>;
}

function ChannelButtons({ channel }: { readonly channel: Channel }) {
  const { i18n, settings } = useVisit();
  const name = plainUntrustedText(channel.name);
  return (
    <Form action={channelsPagePath}>
      <input type="hidden" name="channel" value={channel.id} />
      <div class="actions">
        <EditLink href={`${channelsPagePath}?edit=${channel.id}#edit-channel`} name={name} />
        {actionsOn(channel, settings.sites.mailConfigured()).map((value) => {
          const text = `channels.actions.${value}` as const;
          const label = i18n.t("channels.actions.of", { action: i18n.t(text), name });
          const kind = value === "delete" ? "danger" : "plain";
          return <SubmitButton key={value} kind={kind} compact name="do" value={value} label={label} text={text} />;
        })}
      </div>
    </Form>
  );
}

function actionsOn({ kind, verifiedAt, disabled }: Channel, mailConfigured: boolean): readonly ChannelAction[] {
  const isReachable = kind !== "mail" || mailConfigured;
  const offered: Readonly<Record<ChannelAction, boolean>> = {
    test: verifiedAt !== null && isReachable && disabled?.because !== "unsubscribed",
    confirm: verifiedAt === null && isReachable && disabled === null,
    rotate: kind === "webhook",
    enable: disabled !== null,
    disable: disabled === null,
    delete: true,
  };
  return (Object.keys(offered) as ChannelAction[]).filter((action) => offered[action]);
}

function webhookSecretPage(visit: Visit, channel: Pick<Channel, "accountId" | "id" | "name" | "secrets">): Response {
  const { i18n } = visit;
  const { name, secrets } = channel;
  return accountPage(visit, {
    title: "channels.secret.title",
    children: (
      <SecretOnce
        notice={<Notice kind="warn">{i18n.t("channels.secret.text")}</Notice>}
        id="secret"
        label={<UntrustedText>{name}</UntrustedText>}
        value={secrets[0] ?? ""}
        copy="channels.secret.copy"
        copied="channels.secret.copied"
        back={[channelsPagePath, "channels.secret.back"]}
      >
        <p>{i18n.t("channels.secret.means")}</p>
        {secrets.length > 1 && <p>{i18n.t("channels.secret.rotated")}</p>}
        <NoRuleNotice channel={channel} />
      </SecretOnce>
    ),
  });
}

function metricsTokenPage(visit: Visit, value: string): Response {
  const { i18n } = visit;
  const url = `${publicOrigin(visit)}${siteMetricsPath}`;
  return accountPage(visit, {
    title: "channels.metrics.made.title",
    children: (
      <SecretOnce
        notice={<Notice kind="warn">{i18n.t("channels.metrics.made.text")}</Notice>}
        id="token"
        label={i18n.t("channels.metrics.made.label")}
        value={value}
        copy="channels.metrics.made.copy"
        copied="channels.secret.copied"
        back={[channelsPagePath, "channels.secret.back"]}
      >
        <p>{i18n.t("channels.metrics.made.try")}</p>
        <ConfigLines label={i18n.t("tokens.made.curl")}>{`curl -H 'Authorization: Bearer ${value}' '${url}'`}</ConfigLines>
      </SecretOnce>
    ),
  });
}
