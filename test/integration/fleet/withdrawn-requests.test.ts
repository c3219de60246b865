/** Jobs that are on their way while a worker withdraws its requests. Requests on an old acceptance. Both use a real nats-server. */
import { jetstreamManager } from "@nats-io/jetstream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { scanStreamOf } from "../../../src/fleet/subjects.ts";
import { knownScans } from "../../support/finished-scans.ts";
import { type HeldWorker, startHeldWorker } from "../../support/held-worker.ts";
import { type Interposer, startInterposer } from "../../support/interposer.ts";
import { type NatsServer, natsIsMissing } from "../../support/nats.ts";
import { eventually, openRawHead, type RawHead, rawLocation, rawWorkers, startRawNats } from "../../support/raw-head.ts";

const { url, scannedAt } = knownScans.shop.evidence.subject;
/** Limit below the time after which JetStream delivers an unanswered job again (30 s by default). */
const atOnceMs = 20_000;
/** No test lasts as long: acceptances neither lapse nor are renewed. */
const neverMs = 600_000;

describe.skipIf(natsIsMissing())("a worker that withdraws its requests", () => {
  let nats: NatsServer;
  let head: RawHead;
  let link: Interposer;

  beforeEach(async () => {
    nats = await startRawNats();
    head = await openRawHead(nats.url);
    link = await startInterposer(nats.port);
  });
  afterEach(async () => {
    link.close();
    await head[Symbol.asyncDispose]();
    await nats[Symbol.asyncDispose]();
  });

  const consumer = async () => (await jetstreamManager(head.connection)).consumers.info(scanStreamOf(rawLocation), rawLocation);
  const asked = (count: number) => eventually(async () => (await consumer()).num_waiting === count, `${count} open requests`);
  const started = (worker: HeldWorker) => eventually(() => worker.scans.length > 0, "the scan", atOnceMs);

  /** The first worker, behind the link. */
  function startWorker(options: Parameters<typeof startHeldWorker>[1] = {}): Promise<HeldWorker> {
    const presence = { everyMs: neverMs, lapsesMs: neverMs };
    return startHeldWorker({ url: `nats://127.0.0.1:${link.port}` }, { presence, feed: { expiresMs: 60_000 }, ...options });
  }

  /** JetStream has delivered the job, and the worker cannot know it yet. */
  async function deliverUnseen(): Promise<void> {
    await asked(2);
    link.hold();
    await head.publish({ token: "one", url, scannedAt });
    await eventually(async () => (await consumer()).num_ack_pending === 1, "the delivery");
  }

  test("gives back a job that was on its way when it is stopped", async () => {
    await using worker = await startWorker();
    await deliverUnseen();
    const stopped = worker.stop(0);
    link.release();
    await stopped;
    expect(worker.scans).toEqual([]);
    await using other = await startHeldWorker(nats, {}, rawWorkers[1]);
    await started(other);
  });

  test("takes a job that was on its way when it wants none for a time", async () => {
    let fault: string | null = null;
    await using worker = await startWorker({ browserFault: () => fault });
    await deliverUnseen();
    fault = "the browser does not start";
    worker.refresh();
    await asked(0);
    link.release();
    await started(worker);
  });

  test("asks for no job once the acceptance by the head has lapsed", async () => {
    await using worker = await startWorker({ presence: { everyMs: neverMs, lapsesMs: 3_000 } });
    await eventually(() => worker.logged.some((line) => line.startsWith("accepted by the head")), "the acceptance");
    await eventually(() => worker.headFault() !== null, "the lapse");
    await asked(0);
    expect(worker.headFault()).toBe("the head does not answer any more");
    await head.publish({ token: "one", url, scannedAt });
    worker.refresh();
    await Bun.sleep(200);
    expect([worker.scans.length, (await consumer()).num_waiting]).toEqual([0, 0]);
  });

  test("asks for no job after it stood still for longer than its acceptance lasts", async () => {
    const requests: string[] = [];
    await using worker = await startWorker({
      presence: { everyMs: neverMs, lapsesMs: 3_000 },
      feed: { expiresMs: 300, lostAfterMs: 100 },
      connected: (made) => {
        const publish = made.publish.bind(made);
        made.publish = (subject, ...rest) => {
          if (subject.startsWith("$JS.API.CONSUMER.MSG.NEXT.")) requests.push(subject);
          publish(subject, ...rest);
        };
      },
    });
    await eventually(() => requests.length >= 2, "requests");
    Bun.sleepSync(3_500);
    const before = requests.length;
    await asked(0);
    await Bun.sleep(200);
    expect(requests.length).toBe(before);
    expect(worker.headFault()).toBe("the head does not answer any more");
  });
});
