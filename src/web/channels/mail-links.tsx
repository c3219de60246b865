/** Pages of the links in mails: `/confirm-channel/{name}` and `/unsubscribe/{name}`. Their key is the permission; no one signs in. */
import { timingSafeEqual } from "node:crypto";
import type { ComponentChildren } from "preact";
import { confirmChannelPath, parseChannelName, unsubscribePath } from "../../channels/channel-operations.ts";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { type Channel, canConfirm } from "../../store/channels.ts";
import { hashOfSecret, isSecretValue } from "../../store/secret-value.ts";
import type { TextPath } from "../../text/translator.ts";
import { plainPage } from "../accounts/credentials.tsx";
import { ActionForm } from "../components/forms.tsx";
import { readForm, readOneClickForm } from "../form.tsx";
import type { PageHandler, Visit } from "../visit.ts";

/** Query parameter with the key of the link. */
const keyParam = "key";

interface LinkedChannel {
  readonly channel: Channel;
  readonly key: string;
}

/** A program that follows links of mails must confirm nothing, so the page has a button. */
export const getConfirmation: PageHandler = (visit, name) => {
  const linked = linkedChannel(visit, name);
  if (linked === null || !canConfirm(linked.channel, linked.key, visit.now)) return linkPage(visit, "confirmUnusable");
  const { store } = visit.settings;
  const by = store.accounts.findById(linked.channel.accountId)?.email ?? "";
  return linkPage(
    visit,
    "confirmAsk",
    <>
      <p>
        {visit.i18n.t("channels.links.account")} <UntrustedText>{by}</UntrustedText>
        <br />
        {visit.i18n.t("channels.links.address")} <UntrustedText>{linked.channel.target}</UntrustedText>
      </p>
      <LinkForm path={confirmChannelPath} linked={linked} submit="channels.links.confirmAsk.submit" />
    </>,
  );
};

export const postConfirmation: PageHandler = async (visit, name) => {
  await readForm(visit);
  const linked = linkedChannel(visit, name);
  const { store, log } = visit.settings;
  const confirmed =
    linked === null ? undefined : await store.channels.confirm(linked.channel.accountId, linked.channel.id, linked.key, visit.now);
  if (confirmed === undefined) return linkPage(visit, "confirmUnusable");
  log.info("channel confirmed", { account: confirmed.accountId, channel: confirmed.id });
  return linkPage(visit, "confirmDone");
};

export const getUnsubscribe: PageHandler = (visit, name) => {
  const linked = linkedChannel(visit, name);
  if (linked === null || !isSubscriber(linked)) return linkPage(visit, "endUnusable");
  if (linked.channel.disabled?.because === "unsubscribed") return linkPage(visit, "endDone");
  return linkPage(
    visit,
    "endAsk",
    <>
      <p>
        {visit.i18n.t("channels.links.address")} <UntrustedText>{linked.channel.target}</UntrustedText>
      </p>
      <LinkForm path={unsubscribePath} linked={linked} submit="channels.links.endAsk.submit" />
    </>,
  );
};

/** RFC 8058 section 3.2: the answer to a mail program is no redirect, and needs neither cookie nor session. */
export const postUnsubscribe: PageHandler = async (visit, name) => {
  await readOneClickForm(visit);
  const linked = linkedChannel(visit, name);
  if (linked === null || !isSubscriber(linked)) return linkPage(visit, "endUnusable");
  const { accountId, id } = linked.channel;
  const { store, log } = visit.settings;
  await store.channels.disable(accountId, id, "unsubscribed", visit.now);
  // A channel that was disabled for another reason must not be enabled against the reader either.
  await store.channels.change(accountId, id, ({ disabled }) =>
    disabled?.because === "unsubscribed" ? {} : { disabled: { at: visit.now.toISOString(), because: "unsubscribed" } },
  );
  log.info("channel unsubscribed", { account: accountId, channel: id });
  return linkPage(visit, "endDone");
};

/** Null for an unknown channel, and without a key. */
function linkedChannel({ url, settings }: Visit, name: string | null): LinkedChannel | null {
  const ids = parseChannelName(name ?? "");
  const key = url.searchParams.get(keyParam) ?? "";
  const channel = ids === null ? undefined : settings.store.channels.find(ids.accountId, ids.id);
  return channel === undefined || !isSecretValue(key) ? null : { channel, key };
}

function isSubscriber({ channel: { unsubscribeKey }, key }: LinkedChannel): boolean {
  return unsubscribeKey !== null && timingSafeEqual(Buffer.from(hashOfSecret(unsubscribeKey)), Buffer.from(hashOfSecret(key)));
}

interface LinkFormProps {
  readonly path: string;
  readonly linked: LinkedChannel;
  readonly submit: TextPath;
}

function LinkForm({ path, linked: { channel, key }, submit }: LinkFormProps) {
  const query = new URLSearchParams({ [keyParam]: key });
  return <ActionForm action={`${path}/${channel.accountId}-${channel.id}?${query}`} submit={submit} />;
}

type LinkTexts = "confirmAsk" | "confirmDone" | "confirmUnusable" | "endAsk" | "endDone" | "endUnusable";

/** The address has a secret, so that the page is neither kept nor indexed. */
function linkPage(visit: Visit, texts: LinkTexts, children?: ComponentChildren): Response {
  return plainPage(visit, {
    title: `channels.links.${texts}.title`,
    status: texts === "confirmUnusable" || texts === "endUnusable" ? 404 : 200,
    children: (
      <>
        <p>{visit.i18n.t(`channels.links.${texts}.what`)}</p>
        {children}
      </>
    ),
  });
}
