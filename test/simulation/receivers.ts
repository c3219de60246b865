/** Receivers of webhooks and chat messages, and a mail server, in every mood. What they took is kept for the laws. */
import { pause } from "../../src/base/clock.ts";
import { secondMs } from "../../src/base/units.ts";
import type { Mailer, MailOutcome } from "../../src/channels/mail.ts";
import type { SendOutcome, WebhookAttempt } from "../../src/channels/webhook.ts";
import type { ReceiverMood } from "./plan.ts";
import type { World } from "./world.ts";

/** Time of an attempt that the sender gives up. */
const deadlineMs = 15 * secondMs;
const answerMs = 200;

/** A message that a receiver got. */
export interface Taken {
  /** Target of the channel. */
  readonly target: string;
  /** Same for each attempt of a delivery; empty for chat services. */
  readonly id: string;
  readonly atMs: number;
  /** Number of the process that sent it. */
  readonly life: number;
  /** `drops`: the sender does not know that it was taken. */
  readonly mood: ReceiverMood;
  /** Whether the disk took no changes then. */
  readonly whileFull: boolean;
}

/** What happens to one attempt: taken or not, and how it ends for the sender. */
async function attempt(world: World, target: string, id: string, signal: AbortSignal | undefined): Promise<ReceiverMood | "aborted"> {
  const mood = world.moods.get(target) ?? "takes";
  const life = world.life?.number ?? 0;
  await pause(world.lifeClock(), mood === "hangs" || mood === "drops" ? deadlineMs : answerMs, signal);
  if (signal?.aborted) return "aborted";
  if (mood === "takes" || mood === "drops") world.note({ target, id, life, mood, atMs: world.nowMs, whileFull: world.isDiskFull });
  return mood;
}

/** `onOpen` gets 1 when an attempt begins, and -1 at its end. */
export function modelWebhooks(world: World, onOpen: (target: string, by: 1 | -1) => void) {
  return async ({ url, id, signal }: WebhookAttempt): Promise<SendOutcome> => {
    onOpen(url, 1);
    const mood = await attempt(world, url, id, signal);
    onOpen(url, -1);
    if (mood === "takes") return { result: "delivered", status: 204, ms: answerMs };
    if (mood === "gone") return { result: "gone", status: 410, ms: answerMs };
    if (mood === "fails") return { result: "failed", status: 500, because: "status", retryAfterMs: null, ms: answerMs };
    return { result: "failed", status: null, because: "timeout", retryAfterMs: null, ms: deadlineMs };
  };
}

export function modelMailer(world: World, onOpen: (target: string, by: 1 | -1) => void): Mailer {
  return {
    send: async ({ to, messageId }, options): Promise<MailOutcome> => {
      onOpen(to, 1);
      const mood = await attempt(world, to, messageId, options?.signal);
      onOpen(to, -1);
      if (mood === "takes") return { result: "sent", response: "250 taken", ms: answerMs };
      if (mood === "gone") return { result: "failed", because: "recipient", permanent: true, code: 550, ms: answerMs };
      return { result: "failed", because: mood === "fails" ? "refused" : "timeout", permanent: false, code: null, ms: answerMs };
    },
  };
}
