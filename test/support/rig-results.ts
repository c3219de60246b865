/** Results as a worker sends them by hand to the head of a rig. */
import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { type PackedResult, packResult } from "../../src/fleet/results.ts";
import { type JobDelivery, resultSubjects } from "../../src/fleet/subjects.ts";
import { messagesIn } from "./fleet-places.ts";
import { type FleetRig, gatheredFor } from "./fleet-rig.ts";
import { eventually } from "./raw-head.ts";

/** Sends parts without the protection against doubled messages: `twice` publishes each part twice. */
export async function sendParts(
  connection: NatsConnection,
  delivery: JobDelivery,
  { parts, manifest }: PackedResult,
  twice = false,
): Promise<void> {
  const client = jetstream(connection);
  const messages = [...parts.entries()].map(([part, bytes]) => ({ address: { ...delivery, part: part as number | null }, bytes }));
  messages.push({ address: { ...delivery, part: null }, bytes: Buffer.from(JSON.stringify(manifest)) });
  for (const { address, bytes } of messages) {
    await client.publish(resultSubjects.of(address), bytes);
    if (twice) await client.publish(resultSubjects.of(address), bytes, { msgID: `${resultSubjects.of(address)} again` });
  }
}

export async function expectEmptyStreams(rig: FleetRig): Promise<void> {
  const head = await rig.connectHead();
  try {
    await eventually(async () => (await messagesIn(head)).every((count) => count === 0), "empty streams", 5_000);
  } finally {
    await head.close();
  }
}

export function honestResult(rig: FleetRig, token: string): PackedResult {
  const scan = rig.store.scans.findByToken(token);
  return packResult(gatheredFor(scan?.url ?? "", scan?.startedAt ?? "", 512));
}
