/** `/account/channels`: channels that notify the account, and the token for the metrics of its sites. */
import { issueMetricsToken, revokeMetricsToken } from "../../account/token-operations.ts";
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
} from "../../deliver/channel-operations.ts";
import { webhookUrlCharsMax } from "../../parse/scan-url.ts";
import { Instant } from "../../report/components/labels.tsx";
import { DataTable } from "../../report/components/layout.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { plainUntrustedText, UntrustedText } from "../../report/components/untrusted-text.tsx";
import type { ChannelTest } from "../../sites/site-operations.ts";
import { emailCharsMax } from "../../store/account-index.ts";
import type { Account } from "../../store/accounts.ts";
import { type Channel, type ChannelKind, channelKinds, channelNameCharsMax, channelsMax } from "../../store/channels.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { CheckField, Field } from "../components/field.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { formMalformed, notFound } from "../errors.ts";
import { type Fields, Form } from "../form.tsx";
import type { GetFor, PostFor } from "../guards.ts";
import { redirect } from "../response.ts";
import type { Visit } from "../visit.ts";
import { accountPage, channelsPagePath, EditLink, rulesPagePath, SaveOrCancel } from "./account-page.tsx";
import { metricsTokenPage, webhookSecretPage } from "./secret-page.tsx";
import { siteMetricsPath } from "./site-metrics.ts";

const goodOutcomes = ["added", "changed", "sent", "enabled", "disabled", "deleted", "revoked"] as const;
const badOutcomes = ["unsent", "too-many", "no-mail", "ended"] as const;
/** Outcome of an action, in the query of the page that follows it. */
type ChannelsOutcome = (typeof goodOutcomes)[number] | (typeof badOutcomes)[number];

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

/** @throws the page 404, the same for an unknown channel and for one of another account. */
function ownChannelOf({ settings }: Visit, account: Account, id: string): Channel {
  const channel = settings.store.channels.find(account.id, recordIdOf(id));
  if (channel === undefined) throw notFound();
  return channel;
}

export function channelsPage(visit: Visit, account: Account, { typed, tested, edited }: ChannelsPageState = {}): Response {
  const { i18n, url, settings } = visit;
  const channels = settings.store.channels.list(account.id);
  const outcome = typed === undefined && tested === undefined ? url.searchParams.get("done") : null;
  const good = goodOutcomes.find((one) => one === outcome);
  const bad = badOutcomes.find((one) => one === outcome);
  return accountPage(visit, {
    title: "channels.title",
    lead: i18n.t("channels.lead"),
    status: typed === undefined ? 200 : 400,
    done: good === undefined ? null : i18n.t(`channels.done.${good}`),
    children: (
      <>
        {bad !== undefined && (
          <Notice kind="warn" alert>
            <p>{i18n.t(`channels.done.${bad}`)}</p>
          </Notice>
        )}
        {tested !== undefined && <TestNotice {...tested} />}
        <ChannelTable channels={channels} />
        {edited === undefined ? (
          <ChannelForms account={account} isFirst={channels.length === 0} typed={typed ?? null} />
        ) : (
          <EditChannel channel={edited} typed={typed ?? null} />
        )}
        <MetricsSection account={account} />
      </>
    ),
  });
}

/** Status, time and code of the failure: what a receiver answered is not shown. */
function TestNotice({ channel, outcome }: { readonly channel: Channel; readonly outcome: ChannelTest }) {
  const { i18n } = useVisit();
  const { result, status, ms, because } = outcome;
  if (because === "too-many")
    return (
      <Notice kind="warn" alert>
        <p>{i18n.t("channels.test.tooMany")}</p>
      </Notice>
    );
  const isDelivered = result === "delivered";
  return (
    <Notice kind={isDelivered ? "good" : "poor"} alert>
      <p>
        <UntrustedText>{channel.name}</UntrustedText>: {i18n.t(isDelivered ? "channels.test.delivered" : "channels.test.failed")}{" "}
        {status === null ? i18n.t("channels.test.noStatus") : i18n.t("channels.test.status", { status })}{" "}
        {i18n.t("channels.test.time", { ms: i18n.number(Math.round(ms)) })} {because !== null && <code>{because}</code>}
      </p>
    </Notice>
  );
}

function MetricsSection({ account }: { readonly account: Account }) {
  const { i18n, settings } = useVisit();
  const isIssued = settings.store.metricsTokens.has(account.id);
  return (
    <section aria-labelledby="metrics">
      <h2 id="metrics">{i18n.t("channels.metrics.title")}</h2>
      <p>
        {i18n.t("channels.metrics.what")} <code>{siteMetricsPath}</code>
      </p>
      <p>{i18n.t(isIssued ? "channels.metrics.issued" : "channels.metrics.none")}</p>
      <Form action={channelsPagePath}>
        <p class="actions">
          <SubmitButton kind="plain" name="do" value="issue">
            {i18n.t(isIssued ? "channels.metrics.replace" : "channels.metrics.issue")}
          </SubmitButton>
          {isIssued && (
            <SubmitButton kind="danger" name="do" value="revoke">
              {i18n.t("channels.metrics.revoke")}
            </SubmitButton>
          )}
        </p>
      </Form>
    </section>
  );
}

/** Asks before a channel is deleted. A page of its own works without script. */
function channelDeletionPage(visit: Visit, channel: Channel): Response {
  const { i18n } = visit;
  return accountPage(visit, {
    title: "channels.deletion.title",
    children: (
      <>
        <p>
          <strong>
            <UntrustedText>{channel.name}</UntrustedText>
          </strong>
        </p>
        <p>{i18n.t("channels.deletion.what")}</p>
        <Form action={channelsPagePath}>
          <input type="hidden" name="do" value="delete" />
          <input type="hidden" name="confirm" value="yes" />
          <input type="hidden" name="channel" value={String(channel.id)} />
          <p class="actions">
            <SubmitButton kind="danger">{i18n.t("channels.deletion.submit")}</SubmitButton>
            <a class="button" href={channelsPagePath}>
              {i18n.t("channels.deletion.cancel")}
            </a>
          </p>
        </Form>
      </>
    ),
  });
}

interface ChannelFormsProps {
  readonly account: Account;
  /** Whether the account has no channel yet. */
  readonly isFirst: boolean;
  readonly typed: TypedChannel | null;
}

function ChannelForms({ account, isFirst, typed }: ChannelFormsProps) {
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

function EditChannel({ channel, typed }: { readonly channel: Channel; readonly typed: TypedChannel | null }) {
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

interface TypedChannel {
  readonly kind: ChannelKind;
  readonly target: string;
  readonly name: string;
  readonly reportAll: boolean;
  readonly fault: ChannelFieldFault | { readonly at: "target"; readonly because: "full" };
}

/** Longest target of a refused form that is shown again. */
const typedCharsMax = 2_048;

export const postChannels: PostFor<"accounts"> = async (visit, account, fields) => {
  const { settings } = visit;
  const operation = fields.text("do");
  if (operation === "create") return saveNewChannel(visit, account, fields);
  if (operation === "change") return saveChannel(visit, account, fields);
  if (operation === "issue") return metricsTokenPage(visit, await issueMetricsToken(settings, account));
  if (operation === "revoke") {
    await revokeMetricsToken(settings, account);
    return done(visit, "revoked");
  }
  const action = channelActions.find((one) => one === operation);
  if (action === undefined) throw formMalformed();
  const channel = ownChannelOf(visit, account, fields.text("channel"));
  if (action === "delete" && fields.text("confirm") !== "yes") return channelDeletionPage(visit, channel);
  return changes[action](visit, account, channel);
};

const changes: Readonly<Record<ChannelAction, (visit: Visit, account: Account, channel: Channel) => Promise<Response>>> = {
  test: async (visit, account, channel) => {
    const tested = await testChannel(visit.settings, account, channel.id);
    if ("done" in tested) return channelsPage(visit, account, { tested: { channel, outcome: tested.done } });
    return refused(
      visit,
      ({ unconfirmed: "unsent", unsubscribed: "ended", unknown: "unknown", "no-mail": "no-mail" } as const)[tested.refused],
    );
  },
  confirm: async (visit, account, { id }) => {
    const asked = await confirmChannel(visit.settings, account, id);
    if ("done" in asked) return saved(visit, asked.done, "sent");
    return refused(visit, asked.refused === "confirmed" ? "added" : asked.refused);
  },
  rotate: async (visit, account, { id }) => {
    const rotated = await rotateChannelSecret(visit.settings, account, id);
    if ("refused" in rotated) throw formMalformed();
    return webhookSecretPage(visit, rotated.done);
  },
  enable: async (visit, account, { id }) => {
    const enabled = await enableOwnChannel(visit.settings, account, id);
    return "done" in enabled ? saved(visit, enabled.done, "enabled") : refused(visit, enabled.refused);
  },
  disable: async (visit, account, { id }) => {
    await disableOwnChannel(visit.settings, account, id);
    return done(visit, "disabled");
  },
  delete: async (visit, account, { id }) => {
    await removeChannel(visit.settings, account, id);
    return done(visit, "deleted");
  },
};

async function saveNewChannel(visit: Visit, account: Account, fields: Fields): Promise<Response> {
  const kind = channelKinds.find((one) => one === fields.text("kind"));
  if (kind === undefined) throw formMalformed();
  const given = { kind, target: fields.text("target"), name: fields.text("name"), reportAll: reportsAll(fields) };
  const added = await addChannel(visit.settings, account, given);
  if ("fault" in added) return channelsPage(visit, account, { typed: typedChannel(kind, fields, added.fault) });
  if ("done" in added) return kind === "webhook" ? webhookSecretPage(visit, added.done.channel) : saved(visit, added.done, "added");
  if (added.refused === "no-mail") return done(visit, "no-mail");
  return channelsPage(visit, account, { typed: typedChannel(kind, fields, { at: "target", because: "full" }) });
}

async function saveChannel(visit: Visit, account: Account, fields: Fields): Promise<Response> {
  const edited = ownChannelOf(visit, account, fields.text("channel"));
  const given = { id: edited.id, target: fields.text("target"), name: fields.text("name") };
  const changed = await updateChannel(visit.settings, account, given);
  if ("fault" in changed) return channelsPage(visit, account, { typed: typedChannel(edited.kind, fields, changed.fault), edited });
  return "done" in changed ? saved(visit, changed.done, "changed") : refused(visit, changed.refused);
}

function done(visit: Visit, outcome: ChannelsOutcome): Response {
  return redirect(visit, `${channelsPagePath}?done=${outcome}`);
}

/** The outcome of a mail that asks to confirm is more important than what was saved. */
function saved(visit: Visit, { confirmation }: SavedChannel, outcome: ChannelsOutcome): Response {
  return done(visit, confirmation === null ? outcome : confirmation === "failed" ? "unsent" : confirmation);
}

/** @throws PageError 404 for a channel that another request has removed. */
function refused(visit: Visit, outcome: ChannelsOutcome | "unknown"): Response {
  if (outcome === "unknown") throw notFound();
  return done(visit, outcome);
}

function typedChannel(kind: ChannelKind, fields: Fields, fault: TypedChannel["fault"]): TypedChannel {
  const target = fields.text("target").slice(0, typedCharsMax);
  return { kind, target, name: fields.text("name").slice(0, channelNameCharsMax + 1), reportAll: reportsAll(fields), fault };
}

function reportsAll(fields: Fields): boolean {
  return fields.text("all") === "yes";
}

/** Actions that a button of the table starts. */
const channelActions = ["test", "confirm", "rotate", "enable", "disable", "delete"] as const;
type ChannelAction = (typeof channelActions)[number];

/** Characters of a target that the table shows. */
const targetCharsShown = 120;

function ChannelTable({ channels }: { readonly channels: readonly Channel[] }) {
  const { i18n, settings } = useVisit();
  if (channels.length === 0)
    return (
      <EmptyState title={i18n.t("channels.list.none")}>
        <p>{i18n.t("channels.list.noneWhat")}</p>
      </EmptyState>
    );
  const rules = settings.store.rules.list(channels[0]?.accountId ?? 0);
  const rulesOf = (id: number) => rules.filter(({ channelIds }) => channelIds.includes(id)).length;
  return (
    <section aria-labelledby="channels">
      <h2 id="channels">{i18n.t("channels.list.caption")}</h2>
      <DataTable
        caption={i18n.t("channels.list.caption")}
        captionUnseen
        rows={channels}
        columns={[
          { label: i18n.t("channels.list.name"), cell: ({ name }) => <UntrustedText>{name}</UntrustedText> },
          {
            label: i18n.t("channels.list.target"),
            cell: ({ kind, target }) => (
              <>
                {i18n.t(`channels.kinds.${kind}`)}
                <br />
                <UntrustedText charsMax={targetCharsShown}>{target}</UntrustedText>
              </>
            ),
          },
          { label: i18n.t("channels.list.state"), cell: (channel) => <ChannelState channel={channel} /> },
          {
            label: i18n.t("channels.list.rules"),
            numeric: true,
            cell: ({ id }) => <a href={rulesPagePath}>{i18n.count("channels.list.ruleCount", rulesOf(id))}</a>,
          },
          { label: i18n.t("channels.list.actions"), unseen: true, cell: (channel) => <ChannelButtons channel={channel} /> },
        ]}
      />
      <p class="hint">{i18n.t("channels.list.means")}</p>
    </section>
  );
}

function ChannelState({ channel: { kind, disabled, verifiedAt, secrets } }: { readonly channel: Channel }) {
  const { i18n } = useVisit();
  if (disabled !== null) {
    // Only a refusal disables a mail address, often at the first attempt.
    const because = kind === "mail" && disabled.because === "failed" ? "refused" : disabled.because;
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
      <input type="hidden" name="channel" value={String(channel.id)} />
      <div class="actions">
        <EditLink href={`${channelsPagePath}?edit=${channel.id}#edit-channel`} name={name} />
        {actionsOn(channel, settings.sites.mailConfigured()).map((action) => {
          const text = i18n.t(`channels.actions.${action}`);
          const kind = action === "delete" ? "danger" : "plain";
          return (
            <SubmitButton
              key={action}
              compact
              kind={kind}
              name="do"
              value={action}
              label={i18n.t("channels.actions.of", { action: text, name })}
            >
              {text}
            </SubmitButton>
          );
        })}
      </div>
    </Form>
  );
}

function actionsOn({ kind, verifiedAt, disabled }: Channel, mailConfigured: boolean): readonly ChannelAction[] {
  const isReachable = kind === "webhook" || mailConfigured;
  const offered: Readonly<Record<ChannelAction, boolean>> = {
    test: verifiedAt !== null && isReachable && disabled?.because !== "unsubscribed",
    confirm: verifiedAt === null && isReachable && disabled === null,
    rotate: kind === "webhook",
    enable: disabled !== null,
    disable: disabled === null,
    delete: true,
  };
  return channelActions.filter((action) => offered[action]);
}
