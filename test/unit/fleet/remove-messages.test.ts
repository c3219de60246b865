/** Messages of a stream that does not exist, as at a location whose workers were all revoked. */
import { jetstreamManager } from "@nats-io/jetstream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeMessages, subjectsOf } from "../../../src/fleet/streams.ts";
import { type FakeFleet, startFakeFleet } from "../../support/fake-fleet.ts";

let fleet: FakeFleet;
beforeEach(async () => {
  fleet = await startFakeFleet();
});
afterEach(() => fleet[Symbol.asyncDispose]());

test("a stream that does not exist has no messages, and none are removed", async () => {
  const manager = await fleet.clock.until(jetstreamManager(fleet.nats.connect()));
  expect(await fleet.clock.until(subjectsOf(manager, "absent", ">"))).toEqual([]);
  expect(await fleet.clock.until(removeMessages(manager, "absent", ">"))).toBeUndefined();
});
