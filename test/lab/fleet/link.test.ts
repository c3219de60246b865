/** A link between worker and nats-server that is cut in mid-scan, for seconds and for minutes. */
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, test } from "vitest";
import { skippedNote } from "../../support/binary.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { startTcpProxy } from "../../support/tcp-proxy.ts";
import { startDisturbedFleet } from "./disturbed-fleet.ts";
import { stopFleets } from "./fleet.ts";

const testMsMax = 800_000;

describe.skipIf(natsIsMissing())(`a cut link${skippedNote}`, () => {
  // Those of tests that ran out of time while they started.
  afterAll(stopFleets);

  test.concurrent.each([5, 60, 300])(
    "of %i seconds costs no scan",
    async (seconds) => {
      const { fleet, startedScan, finishesOnce, localScansGoOn, stop } = await startDisturbedFleet();
      const proxy = await startTcpProxy(fleet.nats.port);
      try {
        await fleet.startWorker("first", { natsPort: proxy.port });
        const token = await startedScan("cut");
        proxy.cut();
        await localScansGoOn();
        await wait(seconds * 1_000);
        proxy.mend();
        await finishesOnce(token);
        await finishesOnce(await startedScan("after"));
      } finally {
        proxy.close();
        await stop();
      }
    },
    testMsMax,
  );
});
