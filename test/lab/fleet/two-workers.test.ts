/** One job in two workers: JetStream gives it to the second when the first has said nothing for the ack wait. One result counts. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { skippedNote } from "../../support/binary.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { startHttp, type TestServer } from "../../support/servers.ts";
import { startTcpProxy, type TcpProxy } from "../../support/tcp-proxy.ts";
import { startFleet, stopFleets, type TestFleet, type TestWorker, until } from "./fleet.ts";

const testMsMax = 600_000;
const endMsMax = 240_000;
const locations = ["first-wins", "second-wins", "standstill"] as const;
type Location = (typeof locations)[number];

describe.skipIf(natsIsMissing())(`two workers with one job${skippedNote}`, () => {
  /** Pages that browsers wait for, by query. */
  const waiting = new Map<string, (() => void)[]>();
  let fleet: TestFleet;
  let site: TestServer;
  const proxies: TcpProxy[] = [];

  beforeAll(async () => {
    site = await startHttp({
      "/": (request, response) => {
        const answer = () => void response.end("<!doctype html><title>page</title><p>page");
        // Other probes ask for the page too, but only browsers say that they navigate.
        if (request.headers["upgrade-insecure-requests"] === undefined) answer();
        else waiting.set(request.url ?? "", [...(waiting.get(request.url ?? "") ?? []), answer]);
      },
      "*": { status: 404, body: "not found" },
    });
    fleet = await startFleet();
    for (const location of locations) for (const which of [1, 2]) await fleet.enrol(`${location}-${which}`, location);
  }, testMsMax);

  afterAll(async () => {
    await stopFleets();
    for (const proxy of proxies) proxy.close();
    await site?.stop();
  });

  const log = () => fleet.head().stderr();
  const pages = (location: Location) => waiting.get(`/?${location}`) ?? [];
  const release = (location: Location, which: 1 | 2) => pages(location)[which - 1]?.();
  const requested = (location: Location, count: number) => until(() => pages(location).length >= count, endMsMax, log);
  const sent = (worker: TestWorker) => until(() => worker.log().includes("result sent"), endMsMax, worker.log);

  /** A scan whose page the first worker has asked for. */
  async function begin(location: Location, natsPort = fleet.nats.port): Promise<{ readonly token: string; readonly first: TestWorker }> {
    const first = await fleet.startWorker(`${location}-1`, { natsPort });
    const token = await fleet.scan(`http://127.0.0.1:${site.port}/?${location}`, location);
    await requested(location, 1);
    return { token, first };
  }

  /** The second worker, which has asked for the page too. */
  async function takenBySecond(location: Location): Promise<TestWorker> {
    const second = await fleet.startWorker(`${location}-2`);
    await requested(location, 2);
    return second;
  }

  async function expectOneEnd(token: string, dropped: readonly string[]): Promise<void> {
    expect((await fleet.api.ended(token, endMsMax)).status).toBe("finished");
    await until(() => fleet.headLines("result dropped", token).length >= dropped.length, endMsMax, log);
    await until(() => fleet.headLines("scan ended", token).length > 0, endMsMax, log);
    expect(fleet.headLines("scan ended", token)).toHaveLength(1);
    const lines = fleet.headLines("result dropped", token);
    expect(lines).toHaveLength(dropped.length);
    for (const [at, name] of dropped.entries()) expect(lines[at]).toContain(name);
    expect(await fleet.withStore(({ scans }) => scans.findByToken(token)?.attempts)).toBe(1);
  }

  /** The first worker has everything, but its link is cut, and the second has begun. */
  async function cutOff(location: Location) {
    const proxy = await startTcpProxy(fleet.nats.port);
    proxies.push(proxy);
    const { token, first } = await begin(location, proxy.port);
    proxy.cut();
    release(location, 1);
    return { token, first, proxy, second: await takenBySecond(location) };
  }

  test.concurrent(
    "take the result of the first, which comes back in time",
    async () => {
      const { token, first, proxy, second } = await cutOff("first-wins");
      proxy.mend();
      await sent(first);
      expect((await fleet.api.ended(token, endMsMax)).status).toBe("finished");
      release("first-wins", 2);
      await sent(second);
      await expectOneEnd(token, [second.name]);
    },
    testMsMax,
  );

  test.concurrent(
    "take the result of the second, and drop that of the first, which comes back late",
    async () => {
      const { token, first, proxy } = await cutOff("second-wins");
      release("second-wins", 2);
      expect((await fleet.api.ended(token, endMsMax)).status).toBe("finished");
      proxy.mend();
      await sent(first);
      await expectOneEnd(token, [first.name]);
    },
    testMsMax,
  );

  test.concurrent(
    "are one again after a standstill: the first knows that its deadlines have passed",
    async () => {
      const { token, first } = await begin("standstill");
      process.kill(first.pid, "SIGSTOP");
      await takenBySecond("standstill");
      process.kill(first.pid, "SIGCONT");
      await until(() => /scan given back.*standstill/.test(first.log()), endMsMax, first.log);
      release("standstill", 1);
      release("standstill", 2);
      await expectOneEnd(token, []);
      const lastFault = () => fleet.withStore(({ workers }) => workers.list().find(({ name }) => name === first.name)?.lastFault?.text);
      await until(async () => /stood still for \d+ s/.test((await lastFault()) ?? ""), endMsMax);
    },
    testMsMax,
  );
});
