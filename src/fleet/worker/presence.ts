/** Presence of a worker: says at an interval that it is there, and hears whether it may take jobs. */
import { messageOf } from "../../base/log.ts";
import { fleetProtocol, type PresenceAnswer, type PresenceNote, presenceAnswers, presenceEveryMs, presenceLapsesMs } from "../messages.ts";
import { presenceSubject } from "../subjects.ts";
import type { JobSlotsOptions } from "./job-slots.ts";

export interface PresenceOptions extends Pick<JobSlotsOptions, "connection" | "address" | "clock" | "log"> {
  readonly note: () => Omit<PresenceNote, "v">;
  /** Called after each answer, and when the last one has become too old. */
  readonly onChange: () => void;
  readonly everyMs?: number;
  readonly lapsesMs?: number;
}

export interface Presence {
  /** Whether the head accepts this worker, and said so to a question of the last `lapsesMs`. */
  isAccepted(): boolean;
  /** A clause that says why this worker may take no jobs; null while it may. */
  fault(): string | null;
  /** Says it now: after a connection, and when this worker takes no more jobs. */
  say(): Promise<void>;
  close(): void;
}

/** Time for an answer of the head, however often it is asked. */
const answerMsMin = 1_000;
const replyBytesMax = 4_096;
const textCharsMax = 500;

interface Heard {
  readonly answer: PresenceAnswer;
  readonly text: string;
  /** When it was asked. */
  readonly atMs: number;
}

export function startPresence(options: PresenceOptions): Presence {
  const { address, note, onChange, clock, log, everyMs = presenceEveryMs, lapsesMs = presenceLapsesMs } = options;
  let heard: Heard | null = null;
  let silence: string | null = "the head has not answered yet";
  let logged: string | null | undefined;
  let asking: Promise<void> | null = null;
  let closed = false;
  let cancelLapse = () => {};

  const isFresh = () => heard !== null && clock.monotonicMs() - heard.atMs < lapsesMs;
  const isAccepted = () => isFresh() && heard?.answer === "accepted";

  function fault(): string | null {
    if (isAccepted()) return null;
    return isFresh() && heard !== null ? `the head answers "${heard.answer}"${heard.text === "" ? "" : `: ${heard.text}`}` : silence;
  }

  async function ask(): Promise<void> {
    const reply = await replyOf(options, note(), Math.max(answerMsMin, everyMs / 2));
    // Before `changed`: what has changed since the question needs another one.
    asking = null;
    if (typeof reply === "string") silence = reply;
    else hear(reply);
    changed();
  }

  function hear(latest: Heard): void {
    heard = latest;
    silence = "the head does not answer any more";
    cancelLapse();
    // Questions to a silent head end later than its last answer lapses.
    if (!closed) cancelLapse = clock.after(Math.ceil(latest.atMs + lapsesMs - clock.monotonicMs()) + 1, changed);
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

  const say = () => {
    asking ??= ask();
    return asking;
  };
  const stopSaying = clock.every(everyMs, () => void say());
  return {
    isAccepted,
    fault,
    say,
    close: () => {
      closed = true;
      stopSaying();
      cancelLapse();
    },
  };
}

/** What the head answers, or a clause that says why there is no answer. Never rejects. */
async function replyOf(
  { connection, address, clock }: PresenceOptions,
  note: Omit<PresenceNote, "v">,
  timeout: number,
): Promise<Heard | string> {
  const sent: PresenceNote = { v: fleetProtocol, ...note };
  // An answer may be read long after it came: it is as old as its question.
  const atMs = clock.monotonicMs();
  try {
    const { data } = await connection.request(presenceSubject(address), JSON.stringify(sent), { timeout });
    const reply = parsePresenceReply(data);
    return reply === null ? "the answer of the head is not understood; it may be of another release" : { ...reply, atMs };
  } catch (error) {
    return silenceOf(error, address.location);
  }
}

/** Answer of a head; null for other bytes. Members that this release does not know are dropped. */
function parsePresenceReply(data: Uint8Array): { readonly answer: PresenceAnswer; readonly text: string } | null {
  if (data.length > replyBytesMax) return null;
  try {
    const { v, answer, text } = JSON.parse(new TextDecoder().decode(data)) as Readonly<Record<string, unknown>>;
    const known = presenceAnswers.find((one) => one === answer);
    if (v !== fleetProtocol || known === undefined || typeof text !== "string") return null;
    return { answer: known, text: text.slice(0, textCharsMax) };
  } catch {
    return null;
  }
}

function silenceOf(error: unknown, location: string): string {
  const message = messageOf(error);
  if (/permissions? violation/i.test(message))
    return `nats-server does not let these credentials work at the location ${location}: they were enrolled for another one, or its configuration was not reloaded`;
  if (/no responders/i.test(message)) return "no head is connected to nats-server";
  return `the head does not answer (${message})`;
}
