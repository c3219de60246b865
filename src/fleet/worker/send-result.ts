/** Sends a result to the head in parts, each confirmed by JetStream, for as long as it takes. */
import { setTimeout as wait } from "node:timers/promises";
import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { messageOf } from "../../base/log.ts";
import type { PackedResult } from "../result-parts.ts";
import { type Delivery, type ResultAddress, resultMessageId, resultSubject } from "../subjects.ts";

export interface ResultSending {
  readonly connection: NatsConnection;
  /** Resolves when the connection is up. Until then nothing is published, because the client would collect all attempts in memory. */
  readonly connected: (signal: AbortSignal) => Promise<void>;
  /** Called once for each new reason. */
  readonly onRetry: (because: string) => void;
  readonly signal: AbortSignal;
}

/** Confirmation of one part, over a slow link: 900 KB at 64 KB/s. */
const partTimeoutMs = 20_000;
const retryMsMin = 500;
const retryMsMax = 15_000;

/** Resolves when every part is stored; false if the signal has aborted before. The manifest is the last. */
export async function sendResult({ parts, manifest }: PackedResult, delivery: Delivery, sending: ResultSending): Promise<boolean> {
  for (const [part, bytes] of parts.entries()) if (!(await sendPart({ ...delivery, part }, bytes, sending))) return false;
  return sendPart({ ...delivery, part: null }, Buffer.from(JSON.stringify(manifest)), sending);
}

async function sendPart(address: ResultAddress, bytes: Uint8Array, sending: ResultSending): Promise<boolean> {
  const { connection, connected, onRetry, signal } = sending;
  const client = jetstream(connection);
  let last: string | null = null;
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      await connected(signal);
      await client.publish(resultSubject(address), bytes, { msgID: resultMessageId(address), timeout: partTimeoutMs });
      return true;
    } catch (error) {
      const because = messageOf(error);
      if (!signal.aborted && because !== last) onRetry(because);
      last = because;
      await wait(retryDelayMs(attempt), undefined, { signal }).catch(() => {});
    }
  }
  return false;
}

/** Exponential backoff with jitter: half of the delay is random, so that workers do not retry all at once. */
function retryDelayMs(attempt: number): number {
  const delayMs = Math.min(retryMsMax, retryMsMin * 2 ** Math.min(attempt, 10));
  return delayMs / 2 + Math.random() * (delayMs / 2);
}
