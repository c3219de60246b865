/** Streams of locations while nats-server does not answer for one of them, as a cluster whose stream has no leader. */
import { expect, test } from "vitest";
import { createLocationStreams, type NatsLink } from "../../../src/fleet/head/nats-transport.ts";
import { defaultStreamLimits } from "../../../src/fleet/streams.ts";

const nothing = () => {};
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const purpose = { instance: "one", isCluster: true, limits: defaultStreamLimits };

test("a location without an answer delays no other, and is asked for once at a time", async () => {
  const asked: string[] = [];
  const info = (name: string) => {
    asked.push(name);
    return name === "ASSAY_SCANS_berlin" ? new Promise(nothing) : Promise.reject(new Error("no space left"));
  };
  const link = { manager: { streams: { info } } } as unknown as NatsLink;
  const workers = { locations: () => ["berlin", "paris"] };
  const streams = createLocationStreams({ workers, ackWaitMs: 1_000, onManifest: nothing, log });
  void streams.follow(link, purpose);
  void streams.followOne("berlin", link, purpose);
  await streams.followOne("paris", link, purpose);
  await streams.followOne("unknown", link, purpose);
  expect(streams.fault()).toBe("the location paris has no streams in NATS: no space left");
  expect(asked).toEqual(["ASSAY_SCANS_berlin", "ASSAY_SCANS_paris"]);
});
