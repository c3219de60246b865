/** Messages to chat services: every event within the documented fields and limits, in both languages, and hostile texts. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { chatServices, isChatUrl, ntfyPlace, shownTarget } from "../../../src/channels/chat-services.ts";
import { type ChatMessage, chatMessage, chatRequest, chatTestMessage } from "../../../src/channels/chat-text.ts";
import { mailWords } from "../../../src/channels/mail-text.ts";
import { type ChatKind, chatKinds } from "../../../src/store/channels.ts";
import type { StoredEvent } from "../../../src/store/site-events.ts";
import { createTexts } from "../../../src/text/i18n.ts";
import { chatPlace, chatVendors } from "../../support/chat-receivers.ts";
import { randomRuns } from "../../support/random-runs.ts";
import { eventSite, storedEvent, storedEvents } from "../../support/stored-events.ts";

const texts = createTexts({ "en-gb": enGb.checks, "de-de": deDe.checks });
const locales = ["en-gb", "de-de"] as const;
const context = (locale: (typeof locales)[number] = "en-gb", address = "https://assay.test") => ({
  words: mailWords(texts, locale),
  address,
  measurementsOf: () => ({ since: "2026-03-05T09:18:00.000Z", before: null, after: null }),
});
const hosts: Readonly<Record<ChatKind, string>> = {
  slack: "hooks.slack.com",
  teams: "prod-12.westeurope.logic.azure.com:443",
  discord: "discord.com",
  mattermost: "chat.example.org",
  ntfy: "ntfy.sh",
};
const urlOf = (kind: ChatKind) => `https://${hosts[kind]}${chatPlace(kind)}`;

function sent(kind: ChatKind, message: ChatMessage) {
  const { body } = chatRequest(kind, urlOf(kind), message);
  const parsed = JSON.parse(body);
  return { parsed, refusal: chatVendors[kind].refusalOf(parsed, Buffer.byteLength(body)), text: chatVendors[kind].textOf(parsed) };
}

const dropped = (name: string, given: Partial<StoredEvent["site"]> = {}) =>
  storedEvent(
    { type: "site.score_dropped", token: "t".repeat(22), data: { from: 99, to: 52, band: "warn", rank: "weak" } },
    { site: { ...eventSite, name, ...given } },
  );
const textOf = (kind: ChatKind, name: string) => sent(kind, chatMessage(context(), [dropped(name)])).text;

describe.each(chatKinds)("%s", (kind) => {
  test.each(locales)("takes every type of event in %s, alone and together", (locale) => {
    for (const events of [...storedEvents.map((event) => [event]), storedEvents]) {
      const { parsed, refusal, text } = sent(kind, chatMessage(context(locale), events));
      expect(refusal).toBeNull();
      expect(Object.keys(parsed).every((name) => (chatServices[kind].members as readonly string[]).includes(name))).toBe(true);
      expect(text).not.toMatch(/\{\{|undefined|null/);
    }
    expect(sent(kind, chatTestMessage(context(locale), "Team")).refusal).toBeNull();
  });

  test("names what happened, to which site, and where to read on", () => {
    const { text, parsed } = sent(kind, chatMessage(context(), [dropped("Bakery")]));
    expect(text).toContain("Bakery");
    expect(text).toMatch(/from 99 to 52/);
    expect(JSON.stringify(parsed)).toContain("https://assay.test/sites/7");
  });

  test("without a public URL has no links", () => {
    const { refusal, text } = sent(kind, chatMessage(context("en-gb", ""), [dropped("Bakery")]));
    expect([refusal, text.includes("/sites/7")]).toEqual([null, false]);
  });

  test.each(["plain", "&<>*_~`@\\[]()!#|:", "\u{1f4a5}", "\u0000\u202e"])(
    "cuts what is too long between lines, and says so: %s",
    (text) => {
      const name = text.repeat(200).slice(0, 200);
      const lines = Array.from({ length: 100 }, (_, at) => `https://a${at}.example/${"x".repeat(400)}`);
      const blocks = lines.flatMap((line) => [{ kind: "heading", text: name } as const, { kind: "line", text: line } as const]);
      const { refusal, text: shown } = sent(kind, { ...chatMessage(context(), [dropped(name)]), blocks });
      expect(refusal).toBeNull();
      expect(shown).toContain("The rest has no space here");
      expect(shown.isWellFormed()).toBe(true);
    },
  );

  test("mentions nobody, whatever a site is called", () => {
    for (const name of [
      "<!channel>",
      "<!here|now>",
      "@everyone",
      "@here",
      "@channel @all",
      "<@U012AB3CD>",
      "<@&123>",
      "<#C012AB3CD>",
      "&lt;!channel&gt;",
    ]) {
      const text = textOf(kind, name);
      if (kind === "teams" || kind === "ntfy") expect(text).toContain(name);
      else expect(text).not.toMatch(/<!|<@|<#|(?<!\\)@\w/);
    }
  });

  test("makes no link with another label out of a name", () => {
    for (const name of [
      "[bank](https://evil.example)",
      "<https://evil.example|bank>",
      "](https://evil.example) [",
      "![x](https://evil.example/x.png)",
    ]) {
      const text = textOf(kind, name);
      const links = [...text.matchAll(kind === "slack" ? /<(https?:[^|>]+)\|/g : /(?<!\\)\]\((\S+)\)/g)].map(([, url = ""]) => url);
      // Those two have neither Markdown nor tags.
      if (kind === "teams" || kind === "ntfy") expect(text).toContain(name);
      else expect(links.map((url) => new URL(url).origin)).toEqual(["https://assay.test", "https://assay.test"]);
    }
  });

  test("is a URL of this service alone", () => {
    expect(isChatUrl(kind, urlOf(kind))).toBe(true);
    for (const other of chatKinds) if (other !== kind) expect(isChatUrl(kind, urlOf(other))).toBe(false);
    expect(shownTarget({ kind, target: urlOf(kind) })).toBe(`${new URL(urlOf(kind)).origin}/...`);
  });
});

describe("random names", () => {
  const tokens = [
    ..."<>&@!#|[]()*_~`\\:/-+. \n\u0000",
    "<!channel>",
    "<@U0>",
    "@everyone",
    "](https://evil.example)",
    "&lt;",
    "https://",
    "\ud800",
  ];
  const names = fc
    .array(fc.oneof(fc.constantFrom(...tokens), fc.string({ unit: "grapheme" })), { minLength: 1, maxLength: 60 })
    .map((parts) => parts.join(""));
  const holds = (kind: ChatKind, property: (text: string) => boolean) =>
    fc.assert(
      fc.property(names, (name) => {
        const message = chatMessage(context(), [dropped(name)]);
        const { parsed, refusal, text } = sent(kind, message);
        return refusal === null && property(kind === "discord" ? parsed.embeds[0].title : text);
      }),
      { numRuns: randomRuns(2_000) },
    );

  // Its receiver refuses each `<` outside of links.
  test("mean nothing to Slack", () => holds("slack", (text) => !/@(?!\u200b)/.test(text)));
  test("mean nothing to Discord", () => holds("discord", (title) => !/[<>@[\]`*_~|#\\]/.test(title.replace(/\\[^\p{L}\p{N}\s]/gu, ""))));
  test("mean nothing to Mattermost", () => holds("mattermost", (text) => !/<|@(?!\u200b)|:\/\/(?!assay\.test)/.test(text)));
  test("are taken by Teams", () => holds("teams", () => true));
  test("are taken by ntfy", () => holds("ntfy", () => true));
});

describe("a URL", () => {
  test.each([
    ["slack", "https://hooks.slack-gov.com/services/T0/B0/abc", true],
    ["slack", "http://127.0.0.1:8080/services/T0/B0/abc", true],
    ["slack", "http://hooks.slack.com/services/T0/B0/abc", false],
    ["slack", "https://hooks.slack.com/services/T0/B0", false],
    ["slack", "https://hooks.slack.com/workflows/T0/A0/1/abc", false],
    ["slack", "https://hooks.slack.com.evil.example/services/T0/B0/abc", false],
    ["slack", "https://acme.slack.com/archives/C0", false],
    ["discord", "https://discordapp.com/api/webhooks/1/a_b-c", true],
    ["discord", "https://ptb.discord.com/api/v10/webhooks/1/abc?thread_id=12", true],
    ["discord", "https://discord.com/api/webhooks/1/abc/slack", false],
    ["discord", "https://discord.com/channels/1/2", false],
    [
      "teams",
      "https://0123.45.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/0a/triggers/manual/paths/invoke?api-version=1&sig=abc",
      true,
    ],
    ["teams", "https://prod-1.westeurope.logic.azure.com/workflows/0a/triggers/manual/paths/invoke?api-version=1", false],
    ["teams", "https://acme.webhook.office.com/webhookb2/0a@0b/IncomingWebhook/0c/0d", false],
    ["mattermost", "https://example.org/chat/hooks/xxx0generatedkey0xxx", true],
    ["mattermost", "https://example.org/api/v4/posts", false],
    ["ntfy", "https://ntfy.sh/my_topic-1", true],
    ["ntfy", "https://ntfy.example.org/t?auth=QmVhcmVyIHRrX2FiYw", true],
    ["ntfy", "https://ntfy.sh/", false],
    ["ntfy", "https://ntfy.sh/a/json", false],
    ["ntfy", "https://ntfy.sh/topic?priority=5", false],
    ["ntfy", `https://ntfy.sh/topic?auth=${Buffer.from("Bearer a\r\nX-Y: z").toString("base64url")}`, false],
  ] as const)("of %s: %s is one: %s", (kind, url, expected) => expect(isChatUrl(kind, url)).toBe(expected));

  test("of ntfy has its token as a field, in both documented forms", () => {
    const encoded = Buffer.from("Basic cGhpbDpteXBhc3M=").toString("base64url");
    expect(ntfyPlace(`https://ntfy.sh/t?auth=${encoded}`)).toEqual({
      url: "https://ntfy.sh/",
      topic: "t",
      authorization: "Basic cGhpbDpteXBhc3M=",
    });
    expect(ntfyPlace("https://ntfy.sh/t?auth=tk_abc").authorization).toBe("Bearer tk_abc");
    expect(ntfyPlace("https://ntfy.sh/t").authorization).toBeNull();
  });
});

test("the data name where and when the limits were read", () => {
  for (const { documents, readOn } of Object.values(chatServices)) {
    expect(documents.every((url) => url.startsWith("https://"))).toBe(true);
    expect(Number.isNaN(Date.parse(readOn))).toBe(false);
  }
});
