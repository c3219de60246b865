/** Full streams of one location: its scans wait, others go on, the operator reads why, and all finish when messages are removed. */
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { headIdentity, readIdentity } from "../../../src/fleet/identity.ts";
import { partBytesMax } from "../../../src/fleet/messages.ts";
import { resultStreamOf, resultSubjects, scanStreamOf, scanSubjects } from "../../../src/fleet/subjects.ts";
import { skippedNote } from "../../support/binary.ts";
import { connectAs, connectAsWorker } from "../../support/fleet-places.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { startHttp, type TestServer } from "../../support/servers.ts";
import { startFleet, stopFleets, type TestFleet, until } from "./fleet.ts";
import { openRawWorker } from "./raw-worker.ts";

const testMsMax = 300_000;
const endMsMax = 180_000;
/** Size below the 128 KB that the stream allows for a job. */
const jobBytes = 120_000;
/** More messages than either stream holds. */
const messagesMax = 1_000;

describe.skipIf(natsIsMissing())(`a full stream${skippedNote}`, () => {
  let fleet: TestFleet;
  let site: TestServer;

  beforeAll(async () => {
    site = await startHttp({ "/": { body: "<!doctype html><title>site</title><p>site" }, "*": { status: 404, body: "not found" } });
    fleet = await startFleet({ headArgs: ["--allow-cidr", "127.0.0.0/8", "--allow-port", "any"] });
    await fleet.enrol("quiet", "jobs");
    await fleet.enrol("honest", "results");
    await fleet.enrol("mallory", "results");
  }, testMsMax);

  afterAll(async () => {
    await stopFleets();
    await site?.stop();
  });

  const url = (name: string) => `http://127.0.0.1:${site.port}/?${name}`;
  const log = () => fleet.head().stderr();

  async function expectFinished(token: string): Promise<void> {
    expect((await fleet.api.ended(token, endMsMax)).status).toBe("finished");
    await until(() => fleet.headLines("scan ended", token).length > 0, endMsMax, log);
    expect(fleet.headLines("scan ended", token)).toHaveLength(1);
  }

  async function degraded(): Promise<unknown> {
    const answer = await fetch(`${fleet.head().url}/readyz`);
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { readonly degraded?: unknown }).degraded;
  }

  test(
    "of jobs keeps the next ones at the head",
    async () => {
      // Reports itself, so that the head hands scans out, and takes no job.
      const quiet = await openRawWorker(fleet.nats.url, fleet.seedOf("quiet"), "jobs", { takes: false });
      await until(async () => (await quiet.say({ slots: 4 })).answer === "accepted", endMsMax, log);
      const head = await connectAs(headIdentity(fleet.dataDir), fleet.nats.url);
      expect(await fill(head, jobBytes, (at) => scanSubjects.of({ location: "jobs", token: `none${at}` }))).toContain("maximum bytes");

      const token = await fleet.scan(url("jobs"), "jobs");
      const because = "scans of the location jobs cannot be published: its stream in NATS is full";
      await until(async () => Bun.deepEquals(await degraded(), [{ source: "fleet", because }]), endMsMax, log);
      expect(fleet.headLines("scans cannot be published; they wait", "jobs", "maximum bytes")).toHaveLength(1);
      await expectFinished(await fleet.scan(url("local")));

      await (await jetstreamManager(head)).streams.purge(scanStreamOf("jobs"));
      await until(async () => (await degraded()) === undefined, endMsMax, log);
      await quiet.close();
      await fleet.startWorker("quiet");
      await expectFinished(token);
      await head.close();
    },
    testMsMax,
  );

  test(
    "of results keeps the next ones at their workers, until the head has removed what belongs to no scan",
    async () => {
      const worker = await fleet.startWorker("honest");
      const mallory = { ...readIdentity(fleet.seedOf("mallory")), name: "mallory", location: "results" };
      const connection = await connectAsWorker(mallory, fleet.nats.url);
      const delivery = { location: "results", worker: mallory.id, token: "none", attempt: 1, delivery: 1 };
      expect(await fill(connection, partBytesMax, (part) => resultSubjects.of({ ...delivery, part }))).toContain("maximum bytes");
      await connection.close();

      const token = await fleet.scan(url("results"), "results");
      const fault = "a result cannot be sent: maximum bytes exceeded";
      await until(() => worker.log().includes("result not sent yet"), endMsMax, worker.log);
      await until(() => fleet.headLines("worker reports a fault", "honest", fault).length > 0, endMsMax, log);
      expect(await fleet.shownWorker("honest")).toContain(fault);
      await expectFinished(await fleet.scan(url("other")));
      await expectFinished(token);
      expect(fleet.headLines("worker reports a fault", "honest")).toHaveLength(1);
      const head = await connectAs(headIdentity(fleet.dataDir), fleet.nats.url);
      const { streams } = await jetstreamManager(head);
      await until(async () => (await streams.info(resultStreamOf("results"))).state.messages === 0, endMsMax, log);
      await head.close();
    },
    testMsMax,
  );
});

/** Publishes until JetStream refuses the smallest message too; its reason. */
async function fill(connection: NatsConnection, bytesMax: number, subjectAt: (at: number) => string): Promise<string> {
  const client = jetstream(connection);
  let refusal = "";
  let at = 0;
  for (const bytes of [bytesMax, 5_000, 100]) {
    refusal = "";
    while (refusal === "" && at < messagesMax) {
      const published = client.publish(subjectAt(at++), Buffer.alloc(bytes, " "));
      refusal = await published.then(
        () => "",
        (error: Error) => error.message,
      );
    }
  }
  return refusal;
}
