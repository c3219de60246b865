/** A job as JetStream delivered it, and the answers to it (ADR-15 of nats-architecture-and-design). */
import type { Msg, NatsConnection } from "@nats-io/transport-node";

export interface DeliveredJob {
  readonly data: Uint8Array;
  /** From 1. */
  readonly delivery: number;
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
export function deliveredJob(connection: NatsConnection, { data, reply = "" }: Msg): DeliveredJob | null {
  const delivery = deliveryOf(reply);
  if (delivery === null) return null;
  const answer = (verb: "+WPI" | "-NAK" | "+TERM") => connection.publish(reply, verb);
  return {
    data,
    delivery,
    working: () => answer("+WPI"),
    giveBack: () => answer("-NAK"),
    terminate: () => answer("+TERM"),
    acknowledge: async (timeout) => {
      await connection.request(reply, "+ACK", { timeout });
    },
  };
}

/** `$JS.ACK.<stream>.<consumer>.<delivery>...`, or since 2.10 optionally `$JS.ACK.<domain>.<account>.<stream>.<consumer>.<delivery>...`. */
function deliveryOf(reply: string): number | null {
  const [js, ack, ...rest] = reply.split(".");
  if (js !== "$JS" || ack !== "ACK") return null;
  const text = rest.length === 7 ? rest[2] : rest[4];
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}
