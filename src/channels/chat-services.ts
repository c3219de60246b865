/** Chat services: their documented fields and limits, what their URLs look like, and how such a URL is shown. */
import { parseHost } from "../egress/host.ts";
import { type Channel, type ChatKind, isChatKind } from "../store/channels.ts";

interface ChatService {
  /** Name of the product, in every language. */
  readonly product: string;
  /** Pages of the vendor that say so, and the day on which they were read. */
  readonly documents: readonly string[];
  readonly readOn: string;
  readonly url: {
    /** Null where anyone can run a server. */
    readonly hosts: RegExp | null;
    readonly path: RegExp;
    readonly query: RegExp;
    /** Shown to people who typed another URL. */
    readonly example: string;
  };
  /** Members of the body that the template of the service uses. */
  readonly members: readonly string[];
  /** Documented limits of these members, in characters unless the name says bytes. */
  readonly limits: Readonly<Record<string, number>>;
  /** Member of the JSON answer 429 that has the seconds to wait. Null: Retry-After alone. */
  readonly retryAfterMember: string | null;
  /** Status besides 410 after which the vendor wants no further attempt. */
  readonly goneStatus: number | null;
}

export const chatServices = {
  slack: {
    product: "Slack",
    documents: [
      "https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks",
      "https://docs.slack.dev/messaging/formatting-message-text",
      "https://docs.slack.dev/reference/block-kit/composition-objects/text-object",
      // One message a second; 429 with Retry-After beyond it.
      "https://docs.slack.dev/apis/web-api/rate-limits",
    ],
    readOn: "2026-11-28",
    url: {
      hosts: /^hooks\.slack(-gov)?\.com$/,
      path: /^\/services\/T\w+\/B\w+\/\w+$/,
      query: /^$/,
      example: "https://hooks.slack.com/services/T.../B.../...",
    },
    members: ["text", "blocks", "unfurl_links", "unfurl_media"],
    limits: { text: 40_000, blocks: 50, section: 3_000 },
    retryAfterMember: null,
    goneStatus: null,
  },
  teams: {
    product: "Microsoft Teams",
    documents: [
      "https://learn.microsoft.com/en-us/connectors/teams/#microsoft-teams-webhook",
      // 28 KB for a message; answers 202 before the message is posted.
      "https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook",
      // Text runs have no Markdown, so that nothing needs an escape.
      "https://learn.microsoft.com/en-us/adaptive-cards/schema-explorer/text-run",
    ],
    readOn: "2026-11-28",
    url: {
      hosts: /\.(logic\.azure\.(com|us|cn)|api\.powerplatform\.(com|us|cn)|api\.powerautomate\.(com|us|cn))$/,
      path: /\/workflows\/[^/]+\/triggers\//,
      query: /[?&]sig=[^&]/,
      example: "https://....logic.azure.com/workflows/.../triggers/manual/paths/invoke?...&sig=...",
    },
    members: ["type", "attachments"],
    limits: { bodyBytes: 28_000 },
    retryAfterMember: null,
    goneStatus: null,
  },
  discord: {
    product: "Discord",
    documents: [
      "https://docs.discord.com/developers/resources/webhook#execute-webhook",
      "https://docs.discord.com/developers/resources/message#embed-object-embed-limits",
      "https://docs.discord.com/developers/topics/rate-limits#exceeding-a-rate-limit",
    ],
    readOn: "2026-11-28",
    url: {
      hosts: /^((canary|ptb)\.)?discord(app)?\.com$/,
      path: /^\/api(\/v\d+)?\/webhooks\/\d+\/[\w-]+$/,
      query: /^(\?thread_id=\d+)?$/,
      example: "https://discord.com/api/webhooks/.../...",
    },
    members: ["embeds", "allowed_mentions"],
    limits: { embeds: 10, embedTitle: 256, embedDescription: 4_096, embedTotal: 6_000 },
    retryAfterMember: "retry_after",
    // Repeated attempts would restrict the address of this server, and so the channels of all accounts.
    goneStatus: 404,
  },
  mattermost: {
    product: "Mattermost",
    documents: [
      "https://developers.mattermost.com/integrate/webhooks/incoming/",
      // `<!channel>` and `<url|text>` of Slack work too, and must be escaped.
      "https://developers.mattermost.com/integrate/webhooks/incoming/#slack-compatibility",
    ],
    readOn: "2026-11-28",
    url: { hosts: null, path: /\/hooks\/[a-z0-9]+$/i, query: /^$/, example: "https://chat.example.org/hooks/..." },
    members: ["text"],
    // A longer text becomes several posts.
    limits: { text: 16_383 },
    retryAfterMember: null,
    goneStatus: null,
  },
  ntfy: {
    product: "ntfy",
    documents: [
      "https://docs.ntfy.sh/publish/#publish-as-json",
      "https://docs.ntfy.sh/publish/#authentication",
      // A longer message becomes an attachment, or is refused.
      "https://docs.ntfy.sh/publish/#limitations",
    ],
    readOn: "2026-11-28",
    url: {
      hosts: null,
      path: /^\/[-\w]{1,64}$/,
      query: /^(\?auth=[^&]+)?$/,
      example: "https://ntfy.sh/topic?auth=tk_...",
    },
    members: ["topic", "title", "message", "priority", "tags", "click"],
    limits: { messageBytes: 4_096 },
    retryAfterMember: null,
    goneStatus: null,
  },
} as const satisfies Record<ChatKind, ChatService>;

/**
 * Whether a URL, as `parseWebhookUrl` returned it, can belong to the service. No vendor uses literal addresses: one stands for a relay, of
 * which the guard decides.
 */
export function isChatUrl(kind: ChatKind, text: string): boolean {
  const { hosts, path, query }: ChatService["url"] = chatServices[kind].url;
  const { protocol, hostname, pathname, search } = new URL(text);
  const isRelay = parseHost(hostname)?.kind !== "name";
  const isServer = hosts === null || isRelay || (protocol === "https:" && hosts.test(hostname));
  return (
    isServer && path.test(pathname) && query.test(search) && (kind !== "ntfy" || search === "" || ntfyPlace(text).authorization !== null)
  );
}

interface NtfyPlace {
  /** Messages as JSON go to the root of the server. */
  readonly url: string;
  readonly topic: string;
  /** Null without one. */
  readonly authorization: string | null;
}

/** `auth` is an access token, or the Base64 of a field Authorization. It is sent as that field, so that no log of a proxy has it. */
export function ntfyPlace(target: string): NtfyPlace {
  const { origin, pathname, searchParams } = new URL(target);
  const auth = searchParams.get("auth") ?? "";
  const field = /^tk_\w+$/.test(auth) ? `Bearer ${auth}` : Buffer.from(auth, "base64url").toString("latin1");
  return { url: `${origin}/`, topic: pathname.slice(1), authorization: /^(Basic|Bearer) [\x21-\x7e]+$/.test(field) ? field : null };
}

/** Target as people and programs see it: the path of a chat service is a secret. */
export function shownTarget({ kind, target }: Pick<Channel, "kind" | "target">): string {
  return isChatKind(kind) ? `${URL.parse(target)?.origin ?? ""}/...` : target;
}
