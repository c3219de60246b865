/** Faults of a fleet, as processes: each scan ends once, none is lost, and scans of the head's own machine go on. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { skippedNote } from "../../support/binary.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { type DisturbedFleet, endMsMax, startDisturbedFleet } from "./disturbed-fleet.ts";
import { stopFleets, until } from "./fleet.ts";

const testMsMax = 600_000;

describe.skipIf(natsIsMissing())(`a fleet${skippedNote}`, () => {
  let disturbed: DisturbedFleet;

  beforeEach(async () => {
    disturbed = await startDisturbedFleet();
  }, testMsMax);

  afterEach(async () => {
    await disturbed?.stop();
    await stopFleets();
  });

  test(
    "gives the scan of a killed worker to another one",
    async () => {
      const { fleet, startedScan, finishesOnce, requestsOf } = disturbed;
      const first = await fleet.startWorker("first");
      const token = await startedScan("killed");
      await fleet.startWorker("second");
      await first.end("SIGKILL");
      await finishesOnce(token);
      expect(requestsOf("killed")).toBeGreaterThan(1);
    },
    testMsMax,
  );

  test(
    "fails a scan whose workers die twice",
    async () => {
      const { fleet, startedScan, endsOf, requestsOf } = disturbed;
      const first = await fleet.startWorker("first");
      const token = await startedScan("deadly");
      await first.end("SIGKILL");
      const second = await fleet.startWorker("second");
      const requests = requestsOf("deadly");
      await until(() => requestsOf("deadly") > requests, endMsMax, second.log);
      await second.end("SIGKILL");
      // nats-server counts the deliveries of a job when a worker asks for one.
      await fleet.startWorker("first");
      expect((await fleet.api.ended(token, endMsMax)).status).toBe("failed");
      await until(() => endsOf(token) > 0, endMsMax);
      const code = await fleet.withStore(({ scans }) => scans.findByToken(token)?.errorCode);
      expect([code, endsOf(token)]).toEqual(["crashed", 1]);
    },
    testMsMax,
  );

  test(
    "survives a restart of its nats-server, with and without its disk",
    async () => {
      const { fleet, startedScan, finishesOnce, localScansGoOn } = disturbed;
      await fleet.startWorker("first");
      for (const emptyStore of [false, true]) {
        const token = await startedScan(`restart-${emptyStore}`);
        await fleet.nats.stop("SIGKILL");
        await localScansGoOn();
        const readiness = await (await fetch(`${fleet.head().url}/readyz`)).json();
        expect(readiness).toMatchObject({ status: "ok", degraded: [{ source: "fleet" }] });
        await fleet.nats.restart({ emptyStore });
        await finishesOnce(token);
      }
    },
    testMsMax,
  );

  test(
    "stores results that waited for a killed head",
    async () => {
      const { fleet, startedScan, finishesOnce } = disturbed;
      const worker = await fleet.startWorker("first");
      const token = await startedScan("waiting");
      await fleet.restartHead("SIGKILL", () => until(() => worker.log().includes("result sent"), endMsMax, worker.log));
      await finishesOnce(token);
      // One scan requests its page more than once.
      expect(worker.log().match(/scan started/g)).toHaveLength(1);
      const row = await fleet.withStore(({ scans }) => scans.findByToken(token));
      expect(row?.attempts).toBe(1);
    },
    testMsMax,
  );

  test(
    "gives the scan of a killed browser a fresh one",
    async () => {
      const { fleet, startedScan, finishesOnce } = disturbed;
      const worker = await fleet.startWorker("first");
      const token = await startedScan("browser");
      const children = Bun.spawnSync(["pgrep", "-P", String(worker.pid)])
        .stdout.toString()
        .trim()
        .split("\n");
      for (const pid of children) process.kill(Number(pid), "SIGKILL");
      await finishesOnce(token);
    },
    testMsMax,
  );

  test(
    "shuts a revoked worker out",
    async () => {
      const { fleet, startedScan, finishesOnce } = disturbed;
      const first = await fleet.startWorker("first");
      const token = await startedScan("revoked");
      await fleet.assay(["fleet", "revoke", "first"]);
      await fleet.startWorker("second");
      await finishesOnce(token);
      expect(first.log()).toContain("revoked");
    },
    testMsMax,
  );
});
