/** Workers that are killed in every stage of a scan. The link of each is cut at a byte that nats-server has seen, and the process ends there. */
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ProgressStage, progressStages } from "../../../src/evidence/scan.ts";
import { headIdentity } from "../../../src/fleet/identity.ts";
import { skippedNote } from "../../support/binary.ts";
import { connectAs, messagesIn } from "../../support/fleet-places.ts";
import { startInterposer } from "../../support/interposer.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { processesMentioning } from "../../support/program.ts";
import { startHttp, type TestServer } from "../../support/servers.ts";
import { startFleet, stopFleets, type TestFleet, type TestWorker, until } from "./fleet.ts";

const testMsMax = 600_000;
const endMsMax = 180_000;
/** From the start of a worker to its moment, which a fast stage can pass unseen. */
const momentMsMax = 75_000;
const triesMax = 3;
const firstByteMs = 1_000;
/** Workers that are started at the same time. */
const lanes = 3;

/** Where the bytes of a worker end; -1 if the moment is not there yet. */
type End = (bytes: Buffer) => number;

interface Moment {
  readonly name: string;
  readonly end: End;
  /** Workers that die at it, one after the other. */
  readonly deaths: 1 | 2;
  /** What the head shows after the last death. */
  readonly stage?: ProgressStage;
}

const endOfMessage: (bytes: Buffer, text: string) => number = (bytes, text) => {
  const at = bytes.indexOf(text);
  return at < 0 ? -1 : bytes.indexOf("\r\n", at) + 2;
};

const stagesOfWorkers = progressStages.filter((stage) => stage !== "analysing" && stage !== "storing");

const moments: readonly Moment[] = [
  { name: "taken, before its first progress", end: (bytes) => bytes.indexOf("PUB assay.progress."), deaths: 1 },
  { name: "begun", end: (bytes) => endOfMessage(bytes, '"stage":null'), deaths: 1 },
  ...stagesOfWorkers.map((stage): Moment => ({ name: stage, end: (bytes) => endOfMessage(bytes, `"stage":"${stage}"`), deaths: 1, stage })),
  { name: "half of a part sent", end: halfOfSecondPart, deaths: 1 },
  {
    name: "manifest sent, before the acknowledgement",
    end: (bytes) => (/HPUB \S+\.manifest /.test(text(bytes)) ? bytes.length : -1),
    deaths: 1,
  },
  { name: "begun, twice", end: (bytes) => endOfMessage(bytes, '"stage":null'), deaths: 2 },
  { name: "half of a part sent, twice", end: halfOfSecondPart, deaths: 2 },
];

function text(bytes: Buffer): string {
  return bytes.toString("latin1");
}

/** The first part is stored then. */
function halfOfSecondPart(bytes: Buffer): number {
  const found = /HPUB assay\.result\.\S+\.1 \S+ \d+ \d+\r\n/.exec(text(bytes));
  return found === null ? -1 : found.index + found[0].length + 200;
}

const locationOf = (moment: Moment) => `place-${moments.indexOf(moment)}`;

describe.skipIf(natsIsMissing())(`a worker that is killed${skippedNote}`, () => {
  const kills = new Map<string, number>();
  let fleet: TestFleet;
  let site: TestServer;

  beforeAll(async () => {
    site = await startHttp({
      "/": async (_request, response) => {
        await wait(firstByteMs);
        response.end("<!doctype html><title>slow</title><p>slow");
      },
      "*": { status: 404, body: "not found" },
    });
    fleet = await startFleet({ headArgs: ["--allow-cidr", "127.0.0.0/8", "--allow-port", "any"] });
    for (const moment of moments) await fleet.enrol(`at-${locationOf(moment)}`, locationOf(moment));
  }, testMsMax);

  afterAll(async () => {
    await stopFleets();
    await site?.stop();
  });

  const url = (name: string) => `http://127.0.0.1:${site.port}/?${encodeURIComponent(name)}`;
  const log = () => fleet.head().stderr();
  const workerOf = (moment: Moment) => `at-${locationOf(moment)}`;
  const endsOf = (token: string) => fleet.headLines("scan ended", token).length;

  /** Starts a worker that does not survive the moment, and resolves when it and its browser are gone. False if the moment does not come. */
  async function killAt(moment: Moment): Promise<boolean> {
    let sent = "";
    const started = Promise.withResolvers<TestWorker>();
    const died = Promise.withResolvers<void>();
    const interposer = await startInterposer(fleet.nats.port, {
      toServer: (bytes) => {
        sent = text(bytes);
        const end = moment.end(bytes);
        if (end < 0) return bytes;
        interposer.cut();
        // The job can come before the start of the worker is noticed here.
        started.promise.then((begun) => begun.end("SIGKILL")).then(died.resolve, died.reject);
        return bytes.subarray(0, end);
      },
    });
    try {
      const worker = await fleet.startWorker(workerOf(moment), { natsPort: interposer.port });
      started.resolve(worker);
      const isKilled = await Promise.race([died.promise.then(() => true), wait(momentMsMax, false, { ref: false })]);
      if (!isKilled) {
        const subjects = [...sent.matchAll(/H?PUB \S+|"stage":(?:"\w+"|null)/g)].slice(-20).map(([subject]) => subject);
        process.stderr.write(`"${moment.name}" did not come; sent last: ${subjects.join(" ")}\n${log().slice(-2_000)}\n`);
        await worker.end();
        return false;
      }
      kills.set(moment.name, (kills.get(moment.name) ?? 0) + 1);
      await until(async () => (await processesMentioning(`worker-${workerOf(moment)}/`)).length === 0, endMsMax);
      return true;
    } finally {
      interposer.close();
    }
  }

  /** Token of the scan whose worker was killed. One that has passed the moment unseen gives way to another. */
  async function killOneOf(moment: Moment): Promise<string> {
    let token = await fleet.scan(url(moment.name), locationOf(moment));
    for (let tries = 1; !(await killAt(moment)); tries++) {
      if (tries >= triesMax) throw new Error(`${moment.name} did not come in ${triesMax} tries`);
      if (endsOf(token) > 0) token = await fleet.scan(url(`${moment.name} ${tries}`), locationOf(moment));
    }
    return token;
  }

  /** A worker that took no job is ended, and another one is started for the same scan. */
  async function killAgain(moment: Moment, token: string): Promise<void> {
    for (let tries = 1; !(await killAt(moment)); tries++)
      if (tries >= triesMax || endsOf(token) > 0) throw new Error(`${moment.name} did not come a second time, in ${tries} tries`);
  }

  async function killOnce(moment: Moment): Promise<string> {
    const token = await killOneOf(moment);
    if (moment.stage !== undefined) await until(async () => (await shownStage(token)) === moment.stage, endMsMax, log);
    return token;
  }

  async function shownStage(token: string): Promise<string | null> {
    const { body } = await fleet.api.get<{ readonly progressStage: string | null }>(`/api/v1/scans/${token}/security`);
    return body.progressStage;
  }

  /** With a worker that is killed again, or that survives. */
  async function end(moment: Moment, token: string): Promise<readonly (string | null | undefined)[]> {
    if (moment.deaths === 2) await killAgain(moment, token);
    const worker = await fleet.startWorker(workerOf(moment));
    const { status } = await fleet.api.ended(token, endMsMax);
    await until(() => endsOf(token) > 0, endMsMax, log);
    await worker.end();
    return [moment.name, status, await fleet.withStore(({ scans }) => scans.findByToken(token)?.errorCode)];
  }

  test(
    "in any stage costs no scan, and at most two workers",
    async () => {
      const tokens = await inLanes(moments, killOnce);
      expect((await fleet.api.ended(await fleet.scan(url("local")), endMsMax)).status).toBe("finished");
      const ends = await inLanes(moments, (moment, at) => end(moment, tokens[at] ?? ""));
      process.stderr.write(`kills by stage: ${[...kills].map(([name, count]) => `${name} ${count}`).join("; ")}\n`);
      expect(kills).toEqual(new Map(moments.map(({ name, deaths }) => [name, deaths])));
      expect(ends).toEqual(moments.map(({ name, deaths }) => (deaths === 1 ? [name, "finished", null] : [name, "failed", "crashed"])));
      expect(tokens.map(endsOf)).toEqual(moments.map(() => 1));
      expect(await fleet.withStore(({ scans }) => tokens.map((token) => scans.findByToken(token)?.attempts))).toEqual(moments.map(() => 1));
      const head = await connectAs(headIdentity(fleet.dataDir), fleet.nats.url);
      await until(async () => (await messagesIn(head, moments.map(locationOf))).every((count) => count === 0), endMsMax, log);
      await head.close();
    },
    testMsMax,
  );
});

/** Results in the order of the items. */
async function inLanes<T, R>(items: readonly T[], work: (item: T, at: number) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(items[at] as T, at);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
