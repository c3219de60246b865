/** `/account/channels`: channels that notify the account, and the token for the metrics of its sites. */
import { recordIdOf } from "../../../base/record-id.ts";
import { Notice } from "../../../report/components/notice.tsx";
import { UntrustedText } from "../../../report/components/untrusted-text.tsx";
import type { ChannelTest } from "../../../sites/site-operations.ts";
import type { Account } from "../../../store/accounts.ts";
import type { Channel } from "../../../store/channels.ts";
import { SubmitButton } from "../../components/submit-button.tsx";
import { useVisit } from "../../context.ts";
import { notFound } from "../../errors.ts";
import { Form } from "../../form.tsx";
import type { GetFor } from "../../guards.ts";
import type { Visit } from "../../visit.ts";
import { accountPage } from "../account-frame.tsx";
import type { TypedChannel } from "./channel-fault.ts";
import { ChannelForms, EditChannel } from "./channel-form.tsx";
import { channelsPagePath } from "./channel-paths.ts";
import { ChannelTable } from "./channel-table.tsx";
import { siteMetricsPath } from "./site-metrics.ts";

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
