/** Fields of a channel, as people and programs give them. Faults are codes: pages and API have texts of their own. */
import { parseMailbox } from "../parse/mail/smtp-settings.ts";
import { parseWebhookUrl } from "../parse/scan-url.ts";
import { type ChannelKind, channelNameCharsMax } from "../store/channels.ts";

export interface ChannelTargetRules {
  /** Whether webhooks may have an http URL. */
  readonly allowHttp: boolean;
  /** Why deliveries would never reach the URL; null for a permitted one. */
  readonly targetFault: (url: string) => string | null;
}

/** `refused`: deliveries would never reach the literal address. */
export type ChannelTargetFault = "required" | "not-mail" | "not-url" | "refused";
export type ChannelNameFault = "too-long" | "characters";

/** Stored form of the target. */
export function parseChannelTarget(
  kind: ChannelKind,
  text: string,
  { allowHttp, targetFault }: ChannelTargetRules,
): { readonly target: string } | { readonly fault: ChannelTargetFault } {
  const typed = text.trim();
  if (typed === "") return { fault: "required" };
  if (kind === "mail") {
    const mailbox = parseMailbox(typed);
    return mailbox === null || mailbox.name !== null ? { fault: "not-mail" } : { target: mailbox.email };
  }
  const url = parseWebhookUrl(typed, { allowHttp });
  if (url === null) return { fault: "not-url" };
  return targetFault(url) === null ? { target: url } : { fault: "refused" };
}

/** Without a name, the host of a webhook or the mail address is the name. */
export function parseChannelLabel(text: string, target: string): { readonly name: string } | { readonly fault: ChannelNameFault } {
  const name = text.trim();
  if (name.length > channelNameCharsMax) return { fault: "too-long" };
  // Names get into subjects of mails.
  if (/[\p{Cc}\p{Cf}]/u.test(name) || !name.isWellFormed()) return { fault: "characters" };
  return { name: name === "" ? (URL.parse(target)?.host || target).slice(0, channelNameCharsMax) : name };
}
