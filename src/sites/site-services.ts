/** What interfaces to watched sites need of the running server. */
import type { Channel } from "../store/channels.ts";

/** Attempt to reach a channel, without the text of the answer. */
export interface ChannelTest {
  readonly result: "delivered" | "failed";
  /** Status of HTTP, or reply code of SMTP; null without an answer. */
  readonly status: number | null;
  readonly ms: number;
  /** Code of the failure; null for a success. `too-many`: the account has tested too often for now. */
  readonly because: string | null;
}

/** `too-many`: the account or the address got enough of them for now. */
export type ConfirmationOutcome = "sent" | "failed" | "too-many";

export interface SiteServices {
  /** Sites were added or changed, so that a run may be due earlier. */
  readonly wakeClock: () => void;
  /** A delivery may be due earlier. */
  readonly wakeDeliveries: () => void;
  /** Whether the appliance has a mail server. */
  readonly mailConfigured: () => boolean;
  /** `value`: of `issueConfirmation`. Never rejects. */
  readonly sendConfirmation: (channel: Channel, value: string) => Promise<ConfirmationOutcome>;
  /** By the code of deliveries. Never rejects. */
  readonly testChannel: (channel: Channel) => Promise<ChannelTest>;
  /** Whether webhooks may have an http URL: `webhooks.allow_http`. */
  readonly webhooksAllowHttp: boolean;
  /** Why a webhook may not be sent there, by its literal address; completes "target ...". Null for a permitted URL. */
  readonly webhookTargetFault: (url: string) => string | null;
}
