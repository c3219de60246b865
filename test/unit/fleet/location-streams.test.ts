/** Streams of locations while nats-server does not answer for one of them, as a cluster whose stream has no leader. */
import type { JetStreamManager } from "@nats-io/jetstream";
import { expect, test } from "vitest";
import { createLocationStreams } from "../../../src/fleet/head/location-streams.ts";
import { defaultStreamLimits } from "../../../src/fleet/head/streams.ts";

const nothing = () => {};
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const purpose = { instance: "one", isCluster: true, limits: defaultStreamLimits };

test("a location without an answer delays no other, and is asked for once at a time", async () => {
  const asked: string[] = [];
  const info = (name: string) => {
    asked.push(name);
    return name === "ASSAY_SCANS_berlin" ? new Promise(nothing) : Promise.reject(new Error("no space left"));
  };
  const manager = { streams: { info } } as unknown as JetStreamManager;
  const streams = createLocationStreams({ workers: { locations: () => ["berlin", "paris"] }, ackWaitMs: 1_000, log });
  void streams.follow(manager, purpose);
  void streams.followOne("berlin", manager, purpose);
  await streams.followOne("paris", manager, purpose);
  await streams.followOne("unknown", manager, purpose);
  expect(streams.fault()).toBe("the location paris has no stream in NATS: no space left");
  expect(asked).toEqual(["ASSAY_SCANS_berlin", "ASSAY_SCANS_paris"]);
});
