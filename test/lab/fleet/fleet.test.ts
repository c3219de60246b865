/** The fleet of the tests leaves no process behind, however its start ends. */
import { afterEach, describe, expect, test } from "vitest";
import { skippedNote } from "../../support/binary.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { startFleet, stopFleets, until } from "./fleet.ts";

const testMsMax = 120_000;
const endMsMax = 10_000;

function children(): string {
  return Bun.spawnSync(["pgrep", "-P", String(process.pid), "nats-server|assay|bun"]).stdout.toString();
}

describe.skipIf(natsIsMissing())(`the start of a fleet${skippedNote}`, () => {
  afterEach(stopFleets);

  test(
    "that fails ends what it has started",
    async () => {
      const before = children();
      await expect(startFleet({ headArgs: ["--no-such-flag"] })).rejects.toThrow("no-such-flag");
      expect(children()).toBe(before);
    },
    testMsMax,
  );

  test(
    "that takes too long ends as soon as its test does",
    async () => {
      const before = children();
      const outcome = startFleet().catch((error: Error) => error);
      await until(() => children() !== before, testMsMax);
      await stopFleets();
      expect(await outcome).toBeInstanceOf(Error);
      await until(() => children() === before, endMsMax, children);
    },
    testMsMax,
  );
});
