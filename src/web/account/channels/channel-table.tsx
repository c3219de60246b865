/** Table of the account's channels, with the actions on each. */
import { Instant } from "../../../report/components/labels.tsx";
import { DataTable } from "../../../report/components/layout.tsx";
import { plainUntrustedText, UntrustedText } from "../../../report/components/untrusted-text.tsx";
import type { Channel } from "../../../store/channels.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { SubmitButton } from "../../components/submit-button.tsx";
import { useVisit } from "../../context.ts";
import { Form } from "../../form.tsx";
import { channelsPagePath, rulesPagePath } from "./channel-paths.ts";
import { EditLink } from "./edit-parts.tsx";

/** Actions that a button of the table starts. */
export const channelActions = ["test", "confirm", "rotate", "enable", "disable", "delete"] as const;
export type ChannelAction = (typeof channelActions)[number];

/** Characters of a target that the table shows. */
const targetCharsShown = 120;

export function ChannelTable({ channels }: { readonly channels: readonly Channel[] }) {
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
