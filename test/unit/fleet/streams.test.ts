/** Replicas of the streams of a location, on a cluster in memory that has too few servers at first. */
import { jetstreamManager } from "@nats-io/jetstream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { messageOf } from "../../../src/base/log.ts";
import { defaultStreamLimits, ensureLocation } from "../../../src/fleet/streams.ts";
import type { FakeConnection } from "../../support/fake-connection.ts";
import { startClientTime } from "../../support/fake-fleet.ts";
import { createFakeNats, type FakeNats } from "../../support/fake-nats.ts";

const names = ["ASSAY_SCANS_berlin", "ASSAY_RESULTS_berlin"];
const purpose = { instance: "one", isCluster: true, limits: defaultStreamLimits };

let time: ReturnType<typeof startClientTime>;
let nats: FakeNats;
let connection: FakeConnection;
beforeEach(() => {
  time = startClientTime();
  nats = createFakeNats();
  connection = nats.connect();
});
afterEach(() => time[Symbol.dispose]());

const manager = () => jetstreamManager(connection, { checkAPI: false, timeout: 1_000 });
const ensure = async () => time.clock.until(ensureLocation(await manager(), "berlin", purpose));
const updates = () => nats.received.filter(({ subject, data }) => subject.startsWith("$JS.API.STREAM.UPDATE.") && data.length > 0).length;
async function replicas(): Promise<readonly number[]> {
  const { streams } = await manager();
  const infos = await Promise.all(names.map((name) => streams.info(name)));
  return infos.map(({ config }) => config.num_replicas);
}

test("streams of a cluster with too few servers get their replicas once there are enough", async () => {
  await ensure();
  await ensure();
  expect(await replicas()).toEqual([1, 1]);
  nats.jetStream.servers = 3;
  await ensure();
  expect(await replicas()).toEqual([3, 3]);
  const before = updates();
  await ensure();
  expect(updates()).toBe(before);
});

test("replicas that an operator has added stay", async () => {
  nats.jetStream.servers = 5;
  await ensure();
  const { streams } = await manager();
  for (const name of names) await streams.update(name, { num_replicas: 5 });
  await ensure();
  expect(await replicas()).toEqual([5, 5]);
});

test("a cluster that does not answer to a request for replicas is not ready", async () => {
  await ensure();
  connection.copies = ({ subject }) => (subject.startsWith("$JS.API.STREAM.UPDATE.") ? 0 : 1);
  expect(await ensure().catch(messageOf)).toBe("timeout");
});
