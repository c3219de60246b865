/** A job as JetStream delivered it, and the answers to it (ADR-15 of nats-architecture-and-design). */
import type { Msg, NatsConnection } from "@nats-io/transport-node";

export interface DeliveredJob {
  readonly data: Uint8Array;
  /** From 1. */
  readonly delivery: number;
  /** The same for all deliveries of one message: another one was published again. */
  readonly publication: string;
  /** Keeps JetStream from delivering the job again for another `jobAckWaitMs`. */
  working(): void;
  /** Another worker gets the job at once. */
  giveBack(): void;
  /** No worker gets the job again. */
  terminate(): void;
  /** Resolves when JetStream has confirmed. @throws RequestError or TimeoutError */
  acknowledge(timeoutMs: number): Promise<void>;
}

/** Null unless the message comes from a consumer: an answer is published only on subjects of JetStream. */
export function deliveredJob(connection: NatsConnection, { data, reply = "" }: Pick<Msg, "data" | "reply">): DeliveredJob | null {
  const delivered = deliveryOf(reply);
  if (delivered === null) return null;
  const answer = (verb: "+WPI" | "-NAK" | "+TERM") => connection.publish(reply, verb);
  return {
    data,
    ...delivered,
    working: () => answer("+WPI"),
    giveBack: () => answer("-NAK"),
    terminate: () => answer("+TERM"),
    acknowledge: async (timeout) => {
      await connection.request(reply, "+ACK", { timeout });
    },
  };
}

/**
 * `$JS.ACK.<stream>.<consumer>.<delivery>.<stream sequence>.<consumer sequence>.<time>.<pending>`. Servers may add domain and account
 * before the stream. Sequences begin again when a server has lost its disk, times do not.
 */
function deliveryOf(reply: string): Pick<DeliveredJob, "delivery" | "publication"> | null {
  const [js, ack, ...rest] = reply.split(".");
  if (js !== "$JS" || ack !== "ACK") return null;
  const [delivery = "", sequence, , time] = rest.slice(rest.length === 7 ? 2 : 4);
  return /^[1-9]\d{0,8}$/.test(delivery) ? { delivery: Number(delivery), publication: `${sequence}.${time}` } : null;
}
