/**
 * Receivers of chat services on loopback. Each one takes what its vendor documents and nothing else, and refuses the rest with the vendor's
 * status. Fields and limits are written out here: a fault in the data of the product must not repeat itself.
 */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { ChatKind } from "../../src/store/channels.ts";

type Json = Readonly<Record<string, unknown>>;

interface Refusal {
  readonly status: number;
  readonly body?: string;
}

interface ChatVendor {
  /** Path and query of the URL that people copy; `%` is a token. */
  readonly place: string;
  readonly token: string;
  /** What the vendor answers to a wrong token. */
  readonly unknown: Refusal;
  readonly taken: { readonly status: number; readonly body: string };
  /** Answer to too many messages. */
  readonly tooMany: Refusal & { readonly headers: Readonly<Record<string, string>> };
  /** Why a body is refused; null for one that is taken. */
  readonly refusalOf: (body: Json, bytes: number) => Refusal | null;
  /** All text that people see. */
  readonly textOf: (body: Json) => string;
}

function hasOnly(value: unknown, names: readonly string[]): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).every((name) => names.includes(name));
}

function isText(value: unknown, max: number): value is string {
  return typeof value === "string" && value.length >= 1 && value.length <= max;
}

function listOf(value: unknown, max: number): readonly unknown[] | null {
  return Array.isArray(value) && value.length >= 1 && value.length <= max ? value : null;
}

const slackRefusal = (body: string): Refusal => ({ status: 400, body });

/** A `<` begins a link, a mention or a tag; Slack documents no other use. */
function isSlackText(text: unknown, max: number): boolean {
  return isText(text, max) && /^(?:[^<>&]|&(?:amp|lt|gt);|<https?:\/\/[^<>|]+\|[^<>|]+>)*$/.test(text);
}

function slackRefusalOf(body: Json): Refusal | null {
  if (!hasOnly(body, ["text", "blocks", "unfurl_links", "unfurl_media", "mrkdwn", "thread_ts", "attachments"]))
    return slackRefusal("invalid_payload");
  if (body.text === undefined && body.blocks === undefined) return slackRefusal("no_text");
  if (!isSlackText(body.text, 40_000)) return slackRefusal("invalid_payload");
  const blocks = listOf(body.blocks, 50);
  const areSections = blocks?.every(
    (block) =>
      hasOnly(block, ["type", "text", "block_id", "fields", "accessory"]) &&
      block.type === "section" &&
      hasOnly(block.text, ["type", "text", "verbatim"]) &&
      block.text.type === "mrkdwn" &&
      block.text.verbatim === true &&
      isSlackText(block.text.text, 3_000),
  );
  return areSections === true ? null : slackRefusal("invalid_blocks");
}

const teamsRefusal: Refusal = { status: 400, body: '{"error":{"code":"TriggerInputSchemaMismatch"}}' };

function isCardElement(element: unknown): boolean {
  if (!hasOnly(element, ["type", "inlines", "spacing", "separator"]) || element.type !== "RichTextBlock") return false;
  return (listOf(element.inlines, 20) ?? [null]).every((run) => {
    if (!hasOnly(run, ["type", "text", "size", "weight", "color", "selectAction"]) || run.type !== "TextRun") return false;
    const action = run.selectAction ?? { type: "Action.OpenUrl", url: "https://none.example/" };
    return (
      isText(run.text, 28_000) &&
      hasOnly(action, ["type", "url"]) &&
      action.type === "Action.OpenUrl" &&
      URL.canParse(String(action.url)) &&
      ["undefined", "Small", "Default", "Medium", "Large", "ExtraLarge"].includes(String(run.size)) &&
      ["undefined", "Lighter", "Default", "Bolder"].includes(String(run.weight)) &&
      ["undefined", "Default", "Good", "Warning", "Attention"].includes(String(run.color))
    );
  });
}

function teamsRefusalOf(body: Json, bytes: number): Refusal | null {
  if (bytes > 28 * 1_024) return { status: 413 };
  if (!hasOnly(body, ["type", "attachments"]) || body.type !== "message") return teamsRefusal;
  const [attachment, ...more] = listOf(body.attachments, 10) ?? [];
  if (more.length > 0 || !hasOnly(attachment, ["contentType", "contentUrl", "content"])) return teamsRefusal;
  if (attachment.contentType !== "application/vnd.microsoft.card.adaptive" || attachment.contentUrl !== null) return teamsRefusal;
  const card = attachment.content;
  if (!hasOnly(card, ["$schema", "type", "version", "body", "actions", "msteams"]) || card.type !== "AdaptiveCard") return teamsRefusal;
  const isCard = /^1\.[2-5]$/.test(String(card.version)) && listOf(card.body, 1_000)?.every(isCardElement);
  return isCard === true ? null : teamsRefusal;
}

const discordRefusal: Refusal = { status: 400, body: '{"message":"Invalid Form Body","code":50035}' };

function discordRefusalOf(body: Json): Refusal | null {
  const members = ["content", "username", "avatar_url", "tts", "embeds", "allowed_mentions"];
  if (!hasOnly(body, members)) return discordRefusal;
  if (JSON.stringify(body.allowed_mentions) !== '{"parse":[]}') return discordRefusal;
  const embeds = listOf(body.embeds, 10);
  const total = embeds?.map((embed) => {
    if (!hasOnly(embed, ["title", "description", "url", "timestamp", "color", "footer", "fields", "author"])) return 6_001;
    const { title = "", description = "", color } = embed as { title?: string; description?: string; color?: unknown };
    const isColour = color === undefined || (Number.isInteger(color) && Number(color) >= 0 && Number(color) <= 0xffffff);
    return isColour && isText(title, 256) && isText(description, 4_096) ? title.length + description.length : 6_001;
  });
  return total !== undefined && total.reduce((sum, each) => sum + each, 0) <= 6_000 ? null : discordRefusal;
}

function mattermostRefusalOf(body: Json): Refusal | null {
  const members = ["text", "channel", "username", "icon_url", "icon_emoji", "attachments", "type", "props", "priority"];
  // A longer text would become several posts.
  return hasOnly(body, members) && isText(body.text, 16_383)
    ? null
    : { status: 400, body: '{"id":"web.incoming_webhook.parse.app_error"}' };
}

const ntfyMembers = [
  "topic",
  "message",
  "title",
  "tags",
  "priority",
  "actions",
  "click",
  "attach",
  "markdown",
  "icon",
  "filename",
  "delay",
  "email",
];

function ntfyRefusalOf(body: Json): Refusal | null {
  const refused = (code: number): Refusal => ({
    status: Math.floor(code / 100),
    body: JSON.stringify({ code, http: Math.floor(code / 100) }),
  });
  if (!hasOnly(body, ntfyMembers)) return refused(40_024);
  if (!/^[-_A-Za-z0-9]{1,64}$/.test(String(body.topic))) return refused(40_009);
  if (typeof body.message !== "string" || typeof body.title !== "string") return refused(40_024);
  // It would become an attachment.
  if (Buffer.byteLength(body.message) > 4_096) return refused(41_301);
  if (![1, 2, 3, 4, 5].includes(Number(body.priority))) return refused(40_007);
  if (!Array.isArray(body.tags) || body.tags.some((tag) => typeof tag !== "string")) return refused(40_024);
  return body.click === undefined || URL.canParse(String(body.click)) ? null : refused(40_024);
}

/** Strings below a value, in their order. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

const retryAfter = { "retry-after": "90" };

export const chatVendors: Readonly<Record<ChatKind, ChatVendor>> = {
  slack: {
    place: "/services/T0123ABCD/B0123ABCD/%",
    token: "secretOfSlack00000000001",
    unknown: { status: 404, body: "no_service" },
    taken: { status: 200, body: "ok" },
    tooMany: { status: 429, headers: retryAfter, body: "rate_limited" },
    refusalOf: slackRefusalOf,
    textOf: ({ blocks }) => stringsIn(blocks).join("\n"),
  },
  teams: {
    place: "/workflows/0123abcd/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=%",
    token: "secretOfTeams-signature",
    unknown: { status: 401, body: '{"error":{"code":"DirectApiAuthorizationRequired"}}' },
    taken: { status: 202, body: "" },
    tooMany: { status: 429, headers: retryAfter },
    refusalOf: teamsRefusalOf,
    textOf: (body) => stringsIn(body).join("\n"),
  },
  discord: {
    place: "/api/webhooks/123456789012345678/%",
    token: "secretOf-Discord_token",
    unknown: { status: 404, body: '{"message":"Unknown Webhook","code":10015}' },
    taken: { status: 204, body: "" },
    tooMany: { status: 429, headers: {}, body: '{"message":"You are being rate limited.","retry_after":89.25,"global":false}' },
    refusalOf: discordRefusalOf,
    textOf: ({ embeds }) => stringsIn(embeds).join("\n"),
  },
  mattermost: {
    place: "/hooks/%",
    token: "secretofmattermost00000001",
    unknown: { status: 400, body: '{"id":"web.incoming_webhook.invalid.app_error"}' },
    taken: { status: 200, body: "ok" },
    tooMany: { status: 429, headers: retryAfter },
    refusalOf: mattermostRefusalOf,
    textOf: ({ text }) => String(text),
  },
  ntfy: {
    place: "/alerts?auth=%",
    token: "tk_secretofntfy0000000000000001",
    unknown: { status: 401, body: '{"code":40101,"http":401,"error":"unauthorized"}' },
    taken: { status: 200, body: '{"id":"hwQ2YpKdmg","event":"message"}' },
    tooMany: { status: 429, headers: retryAfter, body: '{"code":42901,"http":429}' },
    refusalOf: ntfyRefusalOf,
    textOf: ({ title, message }) => `${title}\n${message}`,
  },
};

/** Path and query of a URL with this token. */
export function chatPlace(kind: ChatKind, token = chatVendors[kind].token): string {
  return chatVendors[kind].place.replace(/%$/, token);
}

export interface ChatAnswer extends Refusal {
  readonly headers?: Readonly<Record<string, string>>;
}

export type ChatReceiver = Awaited<ReturnType<typeof startChatReceiver>>;

export async function startChatReceiver(kind: ChatKind) {
  const vendor = chatVendors[kind];
  const taken: Json[] = [];
  const refused: Refusal[] = [];
  let next: (() => ChatAnswer | Promise<ChatAnswer>) | null = null;
  const refusalOf = (request: IncomingMessage, raw: string): Refusal | null => {
    const isKnown =
      kind === "ntfy"
        ? request.url === "/" && request.headers.authorization === `Bearer ${vendor.token}`
        : request.url === chatPlace(kind) && request.headers.authorization === undefined;
    if (!isKnown) return vendor.unknown;
    if (request.method !== "POST" || request.headers["content-type"] !== "application/json") return { status: 415 };
    const body = JSON.parse(raw) as Json;
    const refusal = vendor.refusalOf(body, Buffer.byteLength(raw));
    if (refusal === null) taken.push(body);
    return refusal;
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", async () => {
      const answer: ChatAnswer = (await next?.()) ?? refusalOf(request, Buffer.concat(parts).toString()) ?? vendor.taken;
      if (answer !== vendor.taken) refused.push(answer);
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ origin, taken, refused },
    url: `${origin}${chatPlace(kind)}`,
    /** Answers like this from now on; null as its vendor does. A promise that stays open makes a slow receiver. */
    answer: (given: typeof next) => {
      next = given;
    },
    text: (at = taken.length - 1): string => vendor.textOf(taken[at] ?? {}),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
