/** Faults of a fleet, as processes: each scan ends once, none is lost, and scans of the head's own machine go on. */
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { skippedNote } from "../../support/binary.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { startHttp, type TestServer } from "../../support/servers.ts";
import { startTcpProxy } from "../../support/tcp-proxy.ts";
import { startFleet, type TestFleet, until } from "./fleet.ts";

const location = "berlin";
/** Long enough for a fault in mid-scan. */
const firstByteMs = 3_000;
/** A lapsed job, a second gathering, and time for a busy machine. */
const endMsMax = 180_000;
const testMsMax = 600_000;

describe.skipIf(natsIsMissing())(`a fleet${skippedNote}`, () => {
  let fleet: TestFleet;
  let site: TestServer;

  beforeEach(async () => {
    site = await startHttp({
      "/": async (_request, response) => {
        await wait(firstByteMs);
        response.end("<!doctype html><title>slow</title><p>slow");
      },
      "*": { status: 404, body: "not found" },
    });
    fleet = await startFleet({ headArgs: ["--allow-cidr", "127.0.0.0/8", "--allow-port", "any"] });
    await fleet.enrol("first", location);
    await fleet.enrol("second", location);
  }, testMsMax);

  afterEach(async () => {
    await fleet?.stop();
    await site?.stop();
  });

  const url = (name: string) => `http://127.0.0.1:${site.port}/?${name}`;
  const requestOf = (name: string) => site.requests.filter(({ path }) => path === `/?${name}`).length;
  const running = (token: string) => fleet.withStore(({ scans }) => scans.findByToken(token)?.progressStage !== null);

  async function startedScan(name: string): Promise<string> {
    const token = await fleet.scan(url(name), location);
    await until(
      () => requestOf(name) > 0 && running(token),
      endMsMax,
      () => fleet.head().stderr(),
    );
    return token;
  }

  /** The scan finished, and the head has ended it once. */
  async function expectFinishedOnce(token: string): Promise<void> {
    const { status, scanErrorMessage } = await fleet.api.ended(token, endMsMax);
    expect([status, scanErrorMessage]).toEqual(["finished", null]);
    expect(endsOf(token)).toBe(1);
  }

  const endsOf = (token: string) =>
    fleet
      .head()
      .stderr()
      .split("\n")
      .filter((line) => line.includes("scan ended") && line.includes(token)).length;

  async function expectLocalScansGoOn(): Promise<void> {
    const token = await fleet.scan(url("local"));
    expect((await fleet.api.ended(token, endMsMax)).status).toBe("finished");
  }

  test(
    "gives the scan of a killed worker to another one",
    async () => {
      const first = await fleet.startWorker("first");
      const token = await startedScan("killed");
      await fleet.startWorker("second");
      await first.end("SIGKILL");
      await expectFinishedOnce(token);
      expect(requestOf("killed")).toBeGreaterThan(1);
    },
    testMsMax,
  );

  test(
    "fails a scan whose workers die twice",
    async () => {
      const first = await fleet.startWorker("first");
      const token = await startedScan("deadly");
      await first.end("SIGKILL");
      const second = await fleet.startWorker("second");
      await until(() => second.log().includes(token), endMsMax, second.log);
      await second.end("SIGKILL");
      expect((await fleet.api.ended(token, endMsMax)).status).toBe("failed");
      const code = await fleet.withStore(({ scans }) => scans.findByToken(token)?.errorCode);
      expect([code, endsOf(token)]).toEqual(["crashed", 1]);
    },
    testMsMax,
  );

  test(
    "survives a restart of its nats-server, with and without its disk",
    async () => {
      await fleet.startWorker("first");
      for (const emptyStore of [false, true]) {
        const name = `restart-${emptyStore}`;
        const token = await startedScan(name);
        await fleet.nats.stop("SIGKILL");
        await expectLocalScansGoOn();
        const readiness = await (await fetch(`${fleet.head().url}/readyz`)).json();
        expect(readiness).toMatchObject({ status: "ok", degraded: [{ source: "fleet" }] });
        await fleet.nats.restart({ emptyStore });
        await expectFinishedOnce(token);
      }
    },
    testMsMax,
  );

  test(
    "stores results that waited for a killed head",
    async () => {
      const worker = await fleet.startWorker("first");
      const token = await startedScan("waiting");
      await fleet.restartHead("SIGKILL", async () => {
        await until(() => worker.log().includes("result sent"), endMsMax, worker.log);
      });
      await expectFinishedOnce(token);
      expect(requestOf("waiting")).toBe(1);
      const row = await fleet.withStore(({ scans }) => scans.findByToken(token));
      expect(row?.attempts).toBe(1);
    },
    testMsMax,
  );

  test.each([5, 60, 300])(
    "survives a link that is cut for %i seconds",
    async (seconds) => {
      const proxy = await startTcpProxy(fleet.nats.port);
      try {
        const worker = await fleet.startWorker("first", { natsPort: proxy.port });
        const token = await startedScan("cut");
        proxy.cut();
        await wait(seconds * 1_000);
        await expectLocalScansGoOn();
        proxy.mend();
        await expectFinishedOnce(token);
        await until(() => /accepted/.test(worker.log()), endMsMax, worker.log);
        await expectFinishedOnce(await startedScan("after"));
      } finally {
        proxy.close();
      }
    },
    testMsMax,
  );
});
