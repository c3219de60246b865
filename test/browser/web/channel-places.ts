/** Pages of notifications in every state. */
import { submit } from "./forms.ts";
import { at, longWord, type Place, sent } from "./place.ts";

const path = "/account/channels";
const newWebhook = "form:has([value=webhook])";
const newChat = "form:has([name=kind] option)";
const newRule = "form:has([name=scope])";
const hook = { target: "https://hooks.example.org/incoming", name: longWord };

/** Form of the first row. `target` of a refused one is typed and sent. */
function edited(list: string, target?: string): Place["go"] {
  return async (visitor) => {
    await visitor.open(list);
    const form = await visitor.open((await visitor.page.$eval("a[href*='?edit=']", (link) => link.getAttribute("href"))) ?? "");
    return target === undefined ? form : submit(visitor.page, { target }, { unchecked: true, form: "form:has([value=change])" });
  };
}

export const channelPlaces: readonly Place[] = [
  { name: "channels", who: "agency", go: at(path) },
  { name: "channels-none", who: "careful", go: at(path) },
  { name: "channels-done", who: "agency", go: at(`${path}?done=deleted`) },
  { name: "channels-unsent", who: "agency", go: at(`${path}?done=unsent`) },
  { name: "channels-refused", who: "agency", status: 400, go: sent(path, { ...hook, target: longWord }, newWebhook) },
  { name: "channels-first-refused", who: "careful", status: 400, go: sent(path, { target: longWord, all: "" }, newWebhook) },
  { name: "channels-chat-refused", who: "agency", status: 400, go: sent(path, { ...hook, kind: "discord" }, newChat) },
  { name: "channel-made", who: "agency", go: sent(path, hook, newWebhook) },
  { name: "site-metrics-token", who: "agency", go: sent(path, {}, "form:has([value=issue])") },
  { name: "rules", who: "agency", go: at("/account/rules") },
  { name: "rules-without-channel", who: "careful", go: at("/account/rules?done=deleted") },
  { name: "channel-edit", who: "agency", go: edited(path) },
  { name: "channel-edit-refused", who: "agency", status: 400, go: edited(path, longWord) },
  { name: "rule-edit", who: "agency", go: edited("/account/rules") },
  { name: "rules-refused", who: "agency", status: 400, go: sent("/account/rules", { scope: "", severity: "low" }, newRule) },
  { name: "deliveries", who: "agency", go: at("/account/deliveries") },
  { name: "deliveries-refused", who: "agency", go: at("/account/deliveries?done=refused") },
  { name: "deliveries-none", who: "careful", go: at("/account/deliveries") },
  { name: "channel-confirm", go: at(({ channelLinks }) => channelLinks.confirm) },
  { name: "channel-confirm-unusable", status: 404, go: at("/confirm-channel/1-1?key=x") },
  { name: "unsubscribe", go: at(({ channelLinks }) => channelLinks.unsubscribe) },
  { name: "unsubscribe-unusable", status: 404, go: at("/unsubscribe/1-1?key=x") },
];
