/** Messages to chat services: one template for each body, from the same texts as mails. */
import type { ChatKind } from "../store/channels.ts";
import type { StoredEvent } from "../store/site-events.ts";
import { chatServices, ntfyPlace } from "./chat-services.ts";
import { type DigestContext, digestOf } from "./digest-mail.ts";
import { cutText, type MailBlock, oneLine, type TextPart, textPartsOf } from "./mail-frame.ts";
import type { MailContext } from "./mail-text.ts";
import type { WebhookAttempt } from "./webhook.ts";

export interface ChatMessage {
  /** Whether something has become worse. */
  readonly isWorse: boolean;
  readonly subject: string;
  readonly blocks: readonly MailBlock[];
  /** Stands in place of what has no space. */
  readonly cut: string;
}

export function chatMessage(context: DigestContext, events: readonly StoredEvent[]): ChatMessage {
  const { subject, sections } = digestOf(events, context);
  return {
    isWorse: sections.some(({ tone }) => tone === "worse"),
    subject,
    blocks: sections.flatMap(({ blocks }) => blocks),
    cut: context.words.t("chat.cut"),
  };
}

export function chatTestMessage({ words }: Pick<MailContext, "words">, channel: string): ChatMessage {
  const blocks: readonly MailBlock[] = [{ kind: "line", text: words.t("chat.test") }];
  return { isWorse: false, subject: words.t("test.subject", { channel }), blocks, cut: "" };
}

type ChatRequest = Pick<WebhookAttempt, "url" | "body" | "headers" | "retryAfterMember" | "goneStatus">;

/** `target`: URL of the channel. */
export function chatRequest(kind: ChatKind, target: string, message: ChatMessage): ChatRequest {
  const { retryAfterMember, goneStatus } = chatServices[kind];
  const { url, authorization } = kind === "ntfy" ? ntfyPlace(target) : { url: target, authorization: null };
  return {
    url,
    body: JSON.stringify(templates[kind](message, target)),
    headers: authorization === null ? [] : [["Authorization", authorization]],
    retryAfterMember,
    goneStatus,
  };
}

const templates: Readonly<Record<ChatKind, (message: ChatMessage, target: string) => object>> = {
  slack: (message) => ({
    // Notifications show it in place of the blocks.
    text: slackMarkup.escape(oneLine(message.subject)),
    blocks: [
      {
        type: "section",
        // Verbatim: no link, channel or mention is made out of plain text.
        text: { type: "mrkdwn", verbatim: true, text: textOf(withTitle(message), slackMarkup, chatServices.slack.limits.section) },
      },
    ],
    unfurl_links: false,
    unfurl_media: false,
  }),
  teams: (message) => ({
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          msteams: { width: "Full" },
          body: cardBody(message),
        },
      },
    ],
  }),
  discord: (message) => {
    const { embedTitle, embedDescription } = chatServices.discord.limits;
    return {
      embeds: [
        {
          // Escapes at most double it.
          title: discordMarkup.escape(cutText(message.subject, embedTitle / 2)),
          description: textOf(message, discordMarkup, embedDescription),
          color: message.isWorse ? colourWorse : colour,
        },
      ],
      allowed_mentions: { parse: [] },
    };
  },
  mattermost: (message) => ({ text: textOf(withTitle(message), mattermostMarkup, chatServices.mattermost.limits.text) }),
  ntfy: (message, target) => {
    const { messageBytes } = chatServices.ntfy.limits;
    const link = partsOf(message).find((part) => part.kind === "link");
    return {
      topic: ntfyPlace(target).topic,
      title: cutText(message.subject, titleCharsMax),
      message: textOf(message, plainText, messageBytes, Buffer.byteLength),
      priority: message.isWorse ? 4 : 3,
      tags: message.isWorse ? ["warning"] : [],
      ...(link !== undefined && { click: link.url }),
    };
  },
};

const colour = 0x1f4e79;
const colourWorse = 0xb3261e;
/** Without a documented limit, as in mails. */
const titleCharsMax = 200;
const bullet = "\u2022";
/** Separates characters that would mean something together, and is not seen. */
const nothing = "\u200b";

/** A link without an absolute address is left out, as without a public URL. */
function partsOf({ blocks }: Pick<ChatMessage, "blocks">): readonly TextPart[] {
  return blocks.flatMap(textPartsOf).filter((part) => part.text !== "" && (part.kind !== "link" || part.url !== ""));
}

function withTitle({ blocks, ...message }: ChatMessage): ChatMessage {
  return { ...message, blocks: [{ kind: "heading", text: message.subject }, ...blocks] };
}

/**
 * How a service writes text. Sites and names are written by others: `escape` leaves nothing in them that has a meaning, neither a link with
 * another label nor a mention of people.
 */
interface Markup {
  readonly escape: (text: string) => string;
  readonly bold: (escaped: string) => string;
  readonly link: (escaped: string, url: string) => string;
}

/** Slack has escapes for three characters only. Those of styles give way to others that look like them. */
const slackMarkup: Markup = {
  escape: (text) => replaced(text, /[&<>*~`@]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, slackCharacters),
  bold: (escaped) => `*${escaped}*`,
  link: (escaped, url) => `<${url}|${escaped}>`,
};
const slackCharacters: Readonly<Record<string, string>> = {
  ...{ "&": "&amp;", "<": "&lt;", ">": "&gt;" },
  ...{ "*": "\u2217", "~": "\u223c", "`": "\u02cb", _: "\uff3f", "@": `@${nothing}` },
};

const markdownLinks = {
  bold: (escaped: string) => `**${escaped}**`,
  link: (escaped: string, url: string) => `[${escaped}](${url})`,
};

const discordMarkup: Markup = { ...markdownLinks, escape: (text) => text.replace(/[\\`*_{}[\]()<>#+\-!|~:@]/g, "\\$&") };

/** Takes tags of Slack too. Backslashes help neither against them nor against mentions and bare addresses. */
const mattermostMarkup: Markup = {
  ...markdownLinks,
  escape: (text) =>
    text
      .replace(/[\\`*_{}[\]()#+\-!|~>]/g, "\\$&")
      .replaceAll("<", "&lt;")
      .replace(/@|:(?=\/\/)/g, `$&${nothing}`),
};

const plainText: Markup = { escape: (text) => text, bold: (text) => text, link: (text, url) => `${text}: ${url}` };

function replaced(text: string, pattern: RegExp, by: Readonly<Record<string, string>>): string {
  return text.replace(pattern, (character) => by[character] ?? "");
}

function textOf(message: ChatMessage, markup: Markup, max: number, sizeOf = (text: string) => text.length): string {
  const lines = partsOf(message).map((part, index) => {
    const escaped = markup.escape(part.text);
    if (part.kind === "link") return markup.link(escaped, part.url);
    if (part.kind === "heading") return `${index === 0 ? "" : "\n"}${markup.bold(escaped)}`;
    return part.kind === "item" ? `${bullet} ${escaped}` : escaped;
  });
  return fitted(lines, markup.escape(message.cut), max, (line) => sizeOf(line) + 1).join("\n");
}

/** Text runs have neither Markdown nor mentions. */
function cardBody(message: ChatMessage): readonly object[] {
  const title = { text: oneLine(message.subject), size: "Large", weight: "Bolder", ...(message.isWorse && { color: "Attention" }) };
  const lines = partsOf(message).map((part) => {
    if (part.kind === "link") return textRun({ text: part.text, selectAction: { type: "Action.OpenUrl", url: part.url } });
    if (part.kind === "heading") return textRun({ text: part.text, weight: "Bolder" });
    return textRun({ text: part.kind === "item" ? `${bullet} ${part.text}` : part.text });
  });
  const sizeOf = (block: object) => Buffer.byteLength(JSON.stringify(block)) + 1;
  const bytesMax = chatServices.teams.limits.bodyBytes - cardFrameBytes - sizeOf(textRun(title));
  return [textRun(title), ...fitted(lines, textRun({ text: message.cut }), bytesMax, sizeOf)];
}

/** More than the card around its lines. */
const cardFrameBytes = 500;

function textRun(run: { readonly text: string } & Readonly<Record<string, unknown>>): object {
  return { type: "RichTextBlock", inlines: [{ type: "TextRun", ...run }] };
}

/** As many lines as have space, and the note where some have none. Lines stay whole, so that no escape and no link is broken. */
function fitted<Line>(lines: readonly Line[], note: Line, max: number, sizeOf: (line: Line) => number): readonly Line[] {
  const sizes = lines.map(sizeOf);
  if (sizes.reduce((sum, size) => sum + size, 0) <= max) return lines;
  let left = max - sizeOf(note);
  const end = sizes.findIndex((size) => {
    left -= size;
    return left < 0;
  });
  return [...lines.slice(0, end), note];
}
