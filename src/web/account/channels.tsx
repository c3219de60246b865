/** `/account/channels`: channels that notify the account, and the token for the metrics of its sites. */
import { recordIdOf } from "../../base/record-id.ts";
import type { ChannelFieldFault } from "../../deliver/channel-operations.ts";
import { webhookUrlCharsMax } from "../../parse/scan-url.ts";
import { Notice } from "../../report/components/notice.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import type { ChannelTest } from "../../sites/site-operations.ts";
import { emailCharsMax } from "../../store/account-index.ts";
import type { Account } from "../../store/accounts.ts";
import { type Channel, type ChannelKind, channelNameCharsMax, channelsMax } from "../../store/channels.ts";
import { CheckField, Field } from "../components/field.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { notFound } from "../errors.ts";
import { Form } from "../form.tsx";
import type { GetFor } from "../guards.ts";
import type { Visit } from "../visit.ts";
import { accountPage } from "./account-frame.tsx";
import { channelsPagePath } from "./channels/channel-paths.ts";
import { ChannelTable } from "./channels/channel-table.tsx";
import { SaveOrCancel } from "./channels/edit-parts.tsx";
import { siteMetricsPath } from "./channels/site-metrics.ts";

const goodOutcomes = ["added", "changed", "sent", "enabled", "disabled", "deleted", "revoked"] as const;
const badOutcomes = ["unsent", "too-many", "no-mail", "ended"] as const;
/** Outcome of an action, in the query of the page that follows it. */
export type ChannelsOutcome = (typeof goodOutcomes)[number] | (typeof badOutcomes)[number];

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
export function ownChannelOf({ settings }: Visit, account: Account, id: string): Channel {
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
export function channelDeletionPage(visit: Visit, channel: Channel): Response {
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

export interface TypedChannel {
  readonly kind: ChannelKind;
  readonly target: string;
  readonly name: string;
  readonly reportAll: boolean;
  readonly fault: ChannelFieldFault | { readonly at: "target"; readonly because: "full" };
}
