/** A hostile worker with valid credentials against the program: each lie costs one scan and one line of the log, and nothing else. */
import { zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { headIdentity } from "../../../src/fleet/identity.ts";
import { partBytesMax } from "../../../src/fleet/messages.ts";
import { type PackedResult, packResult } from "../../../src/fleet/results.ts";
import { cancelSubjects, presenceSubjects, resultSubjects } from "../../../src/fleet/subjects.ts";
import { subjectOf } from "../../../src/scan/task.ts";
import { skippedNote } from "../../support/binary.ts";
import { pixelJpeg } from "../../support/finished-scans.ts";
import { connectAs, messagesIn } from "../../support/fleet-places.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { sentBytes, sentJson, sentResult } from "../../support/sent-results.ts";
import { startHttp, type TestServer } from "../../support/servers.ts";
import { startFleet, stopFleets, type TestFleet, until } from "./fleet.ts";
import { openRawWorker, type RawWorker, type TakenJob } from "./raw-worker.ts";

const location = "berlin";
const endMsMax = 60_000;
const testMsMax = 300_000;

type Lie = (taken: TakenJob) => PackedResult;

const honest = ({ evidence }: TakenJob) => ({ evidence, timings: { total: 1 }, refusals: [] });
const packedJson = (taken: TakenJob) => zstdCompressSync(JSON.stringify(honest(taken)));

const lies: readonly (readonly [name: string, fault: string, lie: Lie])[] = [
  [
    "a wrong sum",
    "sent a result with a wrong SHA-256",
    (taken) => sentResult(packedJson(taken), null, { result: { ...sentBytes(packedJson(taken)), sha256: "0".repeat(64) } }),
  ],
  ["100 MB in 4 KB", "sent a result that is not zstd", () => sentResult(zstdCompressSync(Buffer.alloc(100 * 1024 ** 2)))],
  ["truncated zstd", "sent a result that is not JSON of an object", (taken) => sentResult(packedJson(taken).subarray(0, -30))],
  ["wrong JSON", "sent a result that is not JSON of an object", () => sentResult(zstdCompressSync(Buffer.from("{")))],
  ["millions of lists", "sent a result with too many values", () => sentResult(zstdCompressSync(Buffer.from(`[${"[],".repeat(2e6)}0]`)))],
  [
    "a JPEG that is none",
    "sent a screenshot that is not a JPEG image",
    (taken) => sentJson(honest(taken), Buffer.from("\xff\xd8\xff", "latin1")),
  ],
  ["a PNG", "sent a screenshot that is not a JPEG image", (taken) => sentJson(honest(taken), Buffer.from("\x89PNG\r\n\x1a\n", "latin1"))],
  [
    "evidence of another page",
    "sent evidence of another scan",
    (taken) => {
      const { scannedAt, headerCharsMax } = taken.job;
      return sentJson({
        ...honest(taken),
        evidence: { ...taken.evidence, subject: subjectOf("https://other.test/", scannedAt, headerCharsMax) },
      });
    },
  ],
  [
    "evidence of an earlier scan",
    "sent evidence of another scan",
    (taken) =>
      sentJson({
        ...honest(taken),
        evidence: { ...taken.evidence, subject: { ...taken.evidence.subject, scannedAt: "2020-01-01T00:00:00.000Z" } },
      }),
  ],
  [
    "facts of another type",
    "sent the reading page with invalid facts at /",
    (taken) => sentJson({ ...honest(taken), evidence: { ...taken.evidence, page: { status: "read", facts: "<script>" } } }),
  ],
  ["another version", "sent evidence of version 99", (taken) => sentResult(packedJson(taken), null, { evidenceVersion: 99 })],
  [
    "a manifest of 100 MB",
    "sent an invalid manifest",
    (taken) => sentResult(packedJson(taken), null, { result: { ...sentBytes(packedJson(taken)), bytes: 1e8 } }),
  ],
];

describe.skipIf(natsIsMissing())(`a hostile worker${skippedNote}`, () => {
  let fleet: TestFleet;
  let site: TestServer;
  let worker: RawWorker;

  beforeAll(async () => {
    site = await startHttp({ "/": { body: "<!doctype html><title>site</title>" }, "*": { status: 404, body: "not found" } });
    fleet = await startFleet({ headArgs: ["--allow-cidr", "127.0.0.0/8", "--allow-port", "any"] });
    await fleet.enrol("mallory", location);
    await fleet.enrol("bob", "oslo");
    worker = await openRawWorker(fleet.nats.url, fleet.seedOf("mallory"), location);
    await until(
      async () => (await worker.say()).answer === "accepted",
      endMsMax,
      () => fleet.head().stderr(),
    );
  }, testMsMax);

  afterAll(async () => {
    await worker?.close();
    await stopFleets();
    await site?.stop();
  });

  const url = (name: string) => `http://127.0.0.1:${site.port}/?${encodeURIComponent(name)}`;
  const linesAbout = (token: string) =>
    fleet
      .head()
      .stderr()
      .split("\n")
      .filter((line) => line.includes(token));

  async function taken(name: string, of = worker, at = location): Promise<TakenJob> {
    const token = await fleet.scan(url(name), at);
    const job = await of.take();
    expect(job.job.token).toBe(token);
    return job;
  }

  async function expectCrashed({ job: { token } }: TakenJob, fault: string): Promise<void> {
    const { status } = await fleet.api.ended(token, endMsMax);
    const { errorCode } = await fleet.withStore(({ scans }) => ({ errorCode: scans.findByToken(token)?.errorCode }));
    expect([status, errorCode]).toEqual(["failed", "crashed"]);
    const refusals = linesAbout(token).filter((line) => line.includes("refused"));
    expect(refusals).toHaveLength(1);
    expect(refusals[0]).toContain("mallory");
    expect(refusals[0]).toContain(fault);
  }

  test.each(lies)(
    "that sends %s",
    async (name, fault, lie) => {
      const job = await taken(name);
      await job.send(lie(job));
      await job.ack();
      await expectCrashed(job, fault);
    },
    testMsMax,
  );

  test(
    "is believed as far as the schema goes, with parts twice and out of order",
    async () => {
      const job = await taken("honest");
      const { parts, manifest } = sentJson(honest(job), pixelJpeg);
      expect(await job.publish(1, parts[1] ?? pixelJpeg)).toBe("stored");
      expect(await job.publish(0, parts[0] ?? pixelJpeg)).toBe("stored");
      expect(await job.publish(0, parts[0] ?? pixelJpeg)).toBe("duplicate");
      await job.publish(0, parts[0] ?? pixelJpeg, "another id");
      await job.publish(null, Buffer.from(JSON.stringify(manifest)));
      // A second manifest comes too late, whatever it states.
      await job.publish(null, Buffer.from(JSON.stringify(packResult("timeout").manifest)), "another manifest");
      await job.ack();
      expect((await fleet.api.ended(job.job.token, endMsMax)).status).toBe("finished");
    },
    testMsMax,
  );

  test(
    "that gives its job back each time costs one scan",
    async () => {
      const job = await taken("given back");
      await job.giveBack();
      await (await worker.take()).giveBack();
      const { status } = await fleet.api.ended(job.job.token, endMsMax);
      expect(status).toBe("failed");
    },
    testMsMax,
  );

  test(
    "that sends notes without sense is heard no longer than them",
    async () => {
      const subject = presenceSubjects.of({ location, worker: worker.id });
      for (const note of ["{", "null", "[]", '{"v":1}', `{"v":1,"version":"${"x".repeat(100_000)}"}`]) {
        worker.connection.publish(subject, note);
        worker.connection.publish(subject, note, { reply: "$JS.API.STREAM.PURGE.ASSAY_SCANS" });
      }
      for (let each = 0; each < 5_000; each++) worker.connection.publish(`assay.progress.${location}.${worker.id}.none${each}`, '{"v":1}');
      await worker.connection.flush();
      expect(await worker.say({ slots: 1e9 }).catch(() => null)).not.toHaveProperty("answer", "accepted");
      expect((await worker.say()).answer).toBe("accepted");
    },
    testMsMax,
  );

  test(
    "cannot reach the scans of another location, nor another worker",
    async () => {
      const bob = await openRawWorker(fleet.nats.url, fleet.seedOf("bob"), "oslo");
      await until(async () => (await bob.say()).answer === "accepted", endMsMax);
      const job = await taken("of bob", bob, "oslo");
      const ofBob = { location: "oslo", worker: bob.id, token: job.job.token, attempt: 1, delivery: 1 };
      const { parts, manifest } = packResult("timeout");
      for (const address of [ofBob, { ...ofBob, worker: worker.id }, { ...ofBob, location }]) {
        worker.connection.publish(resultSubjects.of({ ...address, part: 0 }), parts[0] ?? pixelJpeg);
        worker.connection.publish(resultSubjects.of({ ...address, part: null }), JSON.stringify(manifest));
      }
      // Its own subject, for the scan of the other location.
      const own = { ...ofBob, worker: worker.id, location };
      worker.connection.publish(resultSubjects.of({ ...own, part: 0 }), parts[0] ?? pixelJpeg);
      worker.connection.publish(resultSubjects.of({ ...own, part: null }), JSON.stringify(manifest));
      worker.connection.publish(cancelSubjects.of({ location: "oslo" }), JSON.stringify({ v: 1, token: job.job.token, attempt: 1 }));
      await worker.connection.flush();
      await Bun.sleep(500);
      expect((await fleet.api.get<{ readonly status: string }>(`/api/v1/scans/${job.job.token}/security`)).body.status).toBe("running");
      await job.send(sentJson(honest(job)));
      await job.ack();
      expect((await fleet.api.ended(job.job.token, endMsMax)).status).toBe("finished");
      await bob.close();
    },
    testMsMax,
  );

  test(
    "that sends 100 MB",
    async () => {
      const job = await taken("100 MB");
      const part = Buffer.alloc(partBytesMax, 1);
      for (let at = 0; at < 112; at++) await job.publish(at, part);
      await job.publish(null, Buffer.from(JSON.stringify(sentJson(honest(job)).manifest)));
      await job.ack();
      await expectCrashed(job, "bytes of the result, but its manifest states");
    },
    testMsMax,
  );

  test(
    "leaves no job and no part in NATS",
    async () => {
      const head = await connectAs(headIdentity(fleet.dataDir), fleet.nats.url);
      await until(
        async () => Bun.deepEquals(await messagesIn(head), [0, 0]),
        endMsMax,
        () => fleet.head().stderr().slice(-3_000),
      );
      await head.close();
    },
    testMsMax,
  );

  test(
    "keeps nobody from scanning at the server itself",
    async () => {
      const token = await fleet.scan(url("local"));
      expect((await fleet.api.ended(token, endMsMax)).status).toBe("finished");
      expect((await fetch(`${fleet.head().url}/readyz`)).status).toBe(200);
      expect(fleet.head().stderr()).not.toMatch(/internal error|TypeError|RangeError/);
    },
    testMsMax,
  );
});
