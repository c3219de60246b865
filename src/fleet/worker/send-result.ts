/** Sends a result to the head in parts, each confirmed by JetStream, for as long as it takes. */
import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { aborted, type Clock, pause, randomId, withDeadline } from "../../base/clock.ts";
import { messageOf } from "../../base/log.ts";
import type { PackedResult } from "../results.ts";
import { type JobDelivery, manifestPart, type ResultAddress, resultSubjects } from "../subjects.ts";

export interface ResultSending {
  readonly connection: NatsConnection;
  /** Resolves when the connection is up. Until then nothing is published, because the client would collect all attempts in memory. */
  readonly connected: (signal: AbortSignal) => Promise<void>;
  /** Called once for each new reason. */
  readonly onRetry: (because: string) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Upload of one part with its confirmation: 900 KB at 15 KB/s. */
const partMsMax = 60_000;
/** Confirmation after the upload: at first, and after several attempts. A part that arrives twice counts once. */
const confirmationMsMin = 2_000;
const confirmationMsMax = 20_000;
const retryMsMin = 500;
const retryMsMax = 15_000;

/** Resolves to true when every part is stored, and to false if the signal has aborted before. The manifest is the last. */
export async function sendResult({ parts, manifest }: PackedResult, delivery: JobDelivery, sending: ResultSending): Promise<boolean> {
  // JetStream drops a part that is published twice with an id. A job that is published again has the same addresses as before: its result
  // must not count as a repetition.
  const id = randomId(sending.clock);
  for (const [part, bytes] of parts.entries()) if (!(await sendPart({ ...delivery, part }, bytes, id, sending))) return false;
  return sendPart({ ...delivery, part: null }, Buffer.from(JSON.stringify(manifest)), id, sending);
}

async function sendPart(address: ResultAddress, bytes: Uint8Array, id: string, sending: ResultSending): Promise<boolean> {
  const { connection, connected, onRetry, clock, signal } = sending;
  const options = { msgID: `${id}.${address.part ?? manifestPart}`, timeout: partMsMax };
  let last: string | null = null;
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      await connected(signal);
      await withDeadline(clock, partMsMax, [signal], async (ended) => {
        const published = jetstream(connection).publish(resultSubjects.of(address), bytes, options);
        const late = unconfirmed(sending, doubled(confirmationMsMin, confirmationMsMax, attempt), ended);
        await Promise.race([published, late, aborted(ended).then(() => Promise.reject(ended.reason))]);
      });
      return true;
    } catch (error) {
      const because = messageOf(error);
      if (!signal.aborted && because !== last) onRetry(because);
      last = because;
      await pause(clock, retryDelayMs(clock, attempt), signal);
    }
  }
  return false;
}

/** Without a stream, a server does not answer to other accounts at all. Rejects so long after the upload, however slow the link is. */
async function unconfirmed({ connection, clock }: ResultSending, confirmationMs: number, signal: AbortSignal): Promise<never> {
  await connection.flush();
  await pause(clock, confirmationMs, signal);
  throw new Error("JetStream does not confirm results");
}

/** Exponential backoff with jitter: half of the delay is random, so that workers do not retry all at once. */
function retryDelayMs(clock: Clock, attempt: number): number {
  const delayMs = doubled(retryMsMin, retryMsMax, attempt);
  return delayMs / 2 + clock.random() * (delayMs / 2);
}

function doubled(first: number, most: number, attempt: number): number {
  return Math.min(most, first * 2 ** Math.min(attempt, 10));
}
