/** Channels that notify the account: webhooks and mail addresses. Secrets are in the answers that create them, and in no other. */
import { newWebhookSecret } from "../../deliver/webhook-signature.ts";
import { channelsMax } from "../../store/channels.ts";
import { callingAccount } from "../own-scan.ts";
import { written } from "../writing.ts";
import {
  type AccountRequest,
  answerJson,
  answerNothing,
  assertSomeField,
  channelsApiPath,
  readFields,
  type SiteApiSettings,
} from "./account-request.ts";
import { assertMailConfigured, changeChannel, channelBody, kindOf, nameOf, ownChannel, sendConfirmation, targetOf } from "./own-channel.ts";
import { recordNotFound, recordsExceeded } from "./site-errors.ts";

export function createChannelHandlers(settings: SiteApiSettings) {
  const { store, sites, now } = settings;
  return { list, add, read, change, remove };

  function list(given: AccountRequest): Response {
    return answerJson(given, 200, { items: store.channels.list(callingAccount(given.requestContext).id).map(channelBody) });
  }

  function read(given: AccountRequest): Response {
    return answerJson(given, 200, channelBody(ownChannel(store, given)));
  }

  async function add(given: AccountRequest): Promise<Response> {
    const { account, fields } = await readFields(settings, given, { names: ["kind", "name", "target"], required: "kind" });
    const kind = kindOf(fields.kind);
    if (kind === "mail") assertMailConfigured(sites);
    const target = targetOf(sites, kind, fields.target);
    const secret = kind === "webhook" ? newWebhookSecret() : null;
    const verified = kind === "webhook";
    const added = await written(() =>
      store.channels.add({
        accountId: account.id,
        kind,
        name: nameOf(fields.name, target),
        target,
        secrets: secret === null ? [] : [secret],
        verified,
        now: now(),
      }),
    );
    if (added === "full") throw recordsExceeded("channels", channelsMax);
    const confirmation = verified ? null : await sendConfirmation(settings, added);
    const body = { ...channelBody(store.channels.find(account.id, added.id) ?? added), secret, confirmation };
    return answerJson(given, 201, body, { location: `${channelsApiPath}/${added.id}` });
  }

  async function change(given: AccountRequest): Promise<Response> {
    const before = ownChannel(store, given);
    const { account, fields } = await readFields(settings, given, { names: ["name", "target"], required: null });
    assertSomeField(fields, ["name", "target"]);
    const target = fields.target === undefined ? undefined : targetOf(sites, before.kind, fields.target);
    if (before.kind === "mail" && target !== undefined && target !== before.target) assertMailConfigured(sites);
    const name = fields.name === undefined ? undefined : nameOf(fields.name, target ?? before.target);
    let isMoved = false;
    // The stored channel decides: another request may have changed and confirmed its address while this body arrived.
    const changed = await changeChannel(store, before, (stored) => {
      isMoved = stored.kind === "mail" && target !== undefined && target !== stored.target;
      return { ...(name !== undefined && { name }), ...(target !== undefined && { target }) };
    });
    const confirmation = isMoved ? await sendConfirmation(settings, changed) : null;
    return answerJson(given, 200, { ...channelBody(store.channels.find(account.id, before.id) ?? changed), confirmation });
  }

  async function remove(given: AccountRequest): Promise<Response> {
    const { accountId, id } = ownChannel(store, given);
    if (!(await written(() => store.channels.remove(accountId, id)))) throw recordNotFound("channel");
    return answerNothing(given);
  }
}
