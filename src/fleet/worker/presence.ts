/** Presence of a worker: sent at an interval. The answer of the head says whether the worker may take jobs. */
import { messageOf } from "../../base/log.ts";
import {
  fleetProtocol,
  type PresenceNote,
  type PresenceReply,
  parsePresenceReply,
  presenceEveryMs,
  presenceLapsesMs,
} from "../messages.ts";
import { presenceSubjects } from "../subjects.ts";
import type { JobSlotsOptions } from "./job-slots.ts";

export interface PresenceOptions extends Pick<JobSlotsOptions, "connection" | "address" | "clock" | "log"> {
  readonly note: () => Omit<PresenceNote, "v">;
  /** Called after each answer, and when the last one has become too old. */
  readonly onChange: () => void;
  readonly everyMs?: number;
  readonly lapsesMs?: number;
}

export type Presence = ReturnType<typeof startPresence>;

/** Time for an answer of the head, however often it is asked. */
const answerMsMin = 1_000;
const textCharsMax = 500;

/** `atMs`: when the question was sent. */
type Answer = Pick<PresenceReply, "answer" | "text"> & { readonly atMs: number };

export function startPresence(options: PresenceOptions) {
  const { address, note, onChange, clock, log, everyMs = presenceEveryMs, lapsesMs = presenceLapsesMs } = options;
  let latest: Answer | null = null;
  let noAnswerBecause: string | null = "the head has not answered yet";
  let logged: string | null | undefined;
  let asking: Promise<void> | null = null;
  let closed = false;
  let cancelLapse = () => {};

  const isFresh = () => latest !== null && clock.monotonicMs() - latest.atMs < lapsesMs;
  const isAccepted = () => isFresh() && latest?.answer === "accepted";

  function fault(): string | null {
    if (isAccepted()) return null;
    if (!isFresh() || latest === null) return noAnswerBecause;
    return `the head answers "${latest.answer}"${latest.text === "" ? "" : `: ${latest.text}`}`;
  }

  async function ask(): Promise<void> {
    const answer = await answerOf(options, note(), Math.max(answerMsMin, everyMs / 2));
    // Before `changed`: what has changed since the question needs another one.
    asking = null;
    if (typeof answer === "string") noAnswerBecause = answer;
    else keep(answer);
    changed();
  }

  function keep(answer: Answer): void {
    latest = answer;
    noAnswerBecause = "the head does not answer any more";
    cancelLapse();
    // Questions to a silent head end later than its last answer lapses.
    if (!closed) cancelLapse = clock.after(Math.ceil(answer.atMs + lapsesMs - clock.monotonicMs()) + 1, changed);
  }

  function changed(): void {
    if (closed) return;
    report();
    onChange();
  }

  /** One line for each change, not for each interval. */
  function report(): void {
    const now = fault();
    if (now === logged) return;
    if (now === null) log.info("accepted by the head", { location: address.location });
    else log.warn("takes no jobs", { location: address.location, because: now });
    logged = now;
  }

  const send = () => {
    asking ??= ask();
    return asking;
  };
  const stopSending = clock.every(everyMs, () => void send());
  return {
    /** Whether the head accepts this worker, and said so to a question of the last `lapsesMs`. */
    isAccepted,
    /** A clause that says why this worker may take no jobs; null while it may. */
    fault,
    /** Sends the presence now: after a connection, and when this worker takes no more jobs. */
    send,
    close: () => {
      closed = true;
      stopSending();
      cancelLapse();
    },
  };
}

/** What the head answers, or a clause that says why there is no answer. Never rejects. */
async function answerOf(
  { connection, address, clock }: PresenceOptions,
  note: Omit<PresenceNote, "v">,
  timeout: number,
): Promise<Answer | string> {
  const sent: PresenceNote = { v: fleetProtocol, ...note };
  // An answer may be read long after it came: it is as old as its question.
  const atMs = clock.monotonicMs();
  try {
    const { data } = await connection.request(presenceSubjects.of(address), JSON.stringify(sent), { timeout });
    const reply = parsePresenceReply(data);
    if (reply === null) return "the answer of the head is not understood; it may be of another release";
    return { answer: reply.answer, text: reply.text.slice(0, textCharsMax), atMs };
  } catch (error) {
    return failureOf(error, address.location);
  }
}

function failureOf(error: unknown, location: string): string {
  const message = messageOf(error);
  if (/permissions? violation/i.test(message))
    return `nats-server does not let these credentials work at the location ${location}: they were enrolled for another one, or its configuration was not reloaded`;
  if (/no responders/i.test(message)) return "no head is connected to nats-server";
  return `the head does not answer (${message})`;
}
