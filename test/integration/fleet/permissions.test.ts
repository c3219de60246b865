/** Rights of workers at a real nats-server, with the configuration that the program writes. Each attempt uses the raw client. */
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeIdentity } from "../../../src/fleet/identity.ts";
import { workerAccountLines } from "../../../src/fleet/nats-configuration.ts";
import {
  cancelSubjects,
  headSubject,
  inboxPrefixOf,
  isReplyToWorker,
  presenceSubjects,
  progressSubjects,
  resultSubjects,
  scanStreamOf,
  scanSubjects,
} from "../../../src/fleet/subjects.ts";
import {
  connectAs,
  connectAsWorker,
  consumerOf,
  enrolledIdentity,
  loopbackConfiguration,
  makeStreams,
  messagesIn,
} from "../../support/fleet-places.ts";
import { type NatsServer, natsIsMissing, startNats } from "../../support/nats.ts";
import { eventually } from "../../support/raw-head.ts";

const head = makeIdentity();
const berlin = enrolledIdentity("berlin", "berlin-1");
const berlinToo = enrolledIdentity("berlin", "berlin-2");
const oslo = enrolledIdentity("oslo", "oslo-1");
const ofBerlin = { location: "berlin", worker: berlin.id };
const part = { token: "t1", attempt: 1, delivery: 1, part: 0 };
const locations = ["berlin", "oslo"];
const settleMs = 100;
const refusalMsMax = 10_000;

describe.skipIf(natsIsMissing())("a worker", () => {
  let nats: NatsServer;
  let headSide: NatsConnection;
  let worker: NatsConnection;

  beforeEach(async () => {
    nats = await startNats({ configuration: loopbackConfiguration(head, [berlin, berlinToo, oslo]) });
    headSide = await connectAs(head, nats.url);
    await makeStreams(headSide, locations);
    worker = await connectAsWorker(berlin, nats.url);
  });

  afterEach(async () => {
    await worker?.close();
    await headSide?.close();
    await nats?.[Symbol.asyncDispose]();
  });

  async function publishJob(location: string, token: string): Promise<void> {
    await jetstream(headSide).publish(scanSubjects.of({ location, token }), "job");
  }

  /** The refusal of nats-server. */
  async function refusal(connection: NatsConnection, attempt: () => void): Promise<string> {
    const refused = (async () => {
      for await (const status of connection.status()) if (status.type === "error") return status.error.message;
      return "closed";
    })();
    attempt();
    return Promise.race([refused, Bun.sleep(refusalMsMax).then(() => "nothing was refused")]);
  }

  test("does its work: presence, jobs, progress, results, cancel notes", async () => {
    const notes: string[] = [];
    const replies: string[] = [];
    headSide.subscribe(presenceSubjects.matching({}), {
      callback: (_error, message) => {
        replies.push(message.reply ?? "");
        message.respond("accepted");
      },
    });
    headSide.subscribe(progressSubjects.matching({}), { callback: (_error, { subject }) => void notes.push(subject) });
    const cancelled = worker.subscribe(cancelSubjects.of({ location: "berlin" }), { max: 1 });
    await headSide.flush();
    await worker.flush();
    expect((await worker.request(presenceSubjects.of(ofBerlin))).string()).toBe("accepted");
    expect(replies.map((reply) => isReplyToWorker(reply, berlin.id))).toEqual([true]);

    await publishJob("berlin", "t1");
    const job = await consumerOf(worker, "berlin").next({ expires: 10_000 });
    expect(job?.subject).toBe(scanSubjects.of({ location: "berlin", token: "t1" }));
    job?.working();
    worker.publish(progressSubjects.of({ ...ofBerlin, token: "t1" }), "stage");
    const stored = await jetstream(worker).publish(resultSubjects.of({ ...ofBerlin, ...part }), "part", { msgID: "1" });
    expect(stored.duplicate).toBe(false);
    expect((await jetstream(worker).publish(resultSubjects.of({ ...ofBerlin, ...part }), "part", { msgID: "1" })).duplicate).toBe(true);
    expect(await job?.ackAck()).toBe(true);
    await eventually(async () => Bun.deepEquals(await messagesIn(headSide, locations), [0, 0, 1, 0]), "one part and no job");
    expect(notes).toEqual([progressSubjects.of({ ...ofBerlin, token: "t1" })]);

    headSide.publish(cancelSubjects.of({ location: "berlin" }), "t1");
    for await (const message of cancelled) expect(message.string()).toBe("t1");
  });

  test("may not publish what belongs to others", async () => {
    const ofOslo = { location: "oslo", worker: oslo.id };
    const forbidden = [
      resultSubjects.of({ ...ofOslo, ...part }),
      resultSubjects.of({ location: "oslo", worker: berlin.id, ...part }),
      resultSubjects.of({ location: "berlin", worker: berlinToo.id, ...part }),
      `assay.result.berlin.${berlin.id}.t1.1.1.0.more`,
      presenceSubjects.of({ location: "berlin", worker: berlinToo.id }),
      presenceSubjects.of({ location: "oslo", worker: berlin.id }),
      progressSubjects.of({ location: "berlin", worker: berlinToo.id, token: "t1" }),
      scanSubjects.of({ location: "berlin", token: "t2" }),
      scanSubjects.of({ location: "oslo", token: "t2" }),
      cancelSubjects.of({ location: "berlin" }),
      headSubject,
      `${inboxPrefixOf(oslo.id)}.x`,
      "_INBOX.x",
      "$JS.API.CONSUMER.MSG.NEXT.ASSAY_SCANS_oslo.oslo",
      "$JS.API.CONSUMER.MSG.NEXT.ASSAY_SCANS_oslo.*",
      "$JS.API.CONSUMER.MSG.NEXT.*.*",
      "$JS.API.CONSUMER.MSG.NEXT.ASSAY_RESULTS_berlin.head",
      "$JS.ACK.ASSAY_SCANS_oslo.oslo.1.1.1.1700000000000000000.0",
      "$JS.ACK.ASSAY_RESULTS_berlin.head.1.1.1.1700000000000000000.0",
      "$JS.FC.ASSAY_SCANS_berlin.berlin.x",
      "$JS.API.INFO",
      "$JS.API.STREAM.LIST",
      "$JS.API.STREAM.CREATE.ASSAY_OTHER",
      "$JS.API.STREAM.DELETE.ASSAY_SCANS_oslo",
      "$JS.API.STREAM.PURGE.ASSAY_SCANS_oslo",
      "$JS.API.STREAM.MSG.GET.ASSAY_RESULTS_berlin",
      "$JS.API.DIRECT.GET.ASSAY_RESULTS_berlin",
      "$JS.API.DIRECT.GET.ASSAY_SCANS_oslo.assay.scan.oslo.t1",
      "$JS.API.CONSUMER.CREATE.ASSAY_SCANS_oslo",
      "$JS.API.CONSUMER.CREATE.ASSAY_RESULTS_berlin.spy.assay.result.>",
      "$JS.API.CONSUMER.DURABLE.CREATE.ASSAY_SCANS_berlin.berlin",
      "$JS.API.CONSUMER.DELETE.ASSAY_SCANS_berlin.berlin",
      "$JS.API.CONSUMER.LIST.ASSAY_SCANS_oslo",
      "$SYS.REQ.SERVER.PING",
      "$SYS.REQ.USER.INFO",
    ];
    for (const subject of forbidden) {
      const said = await refusal(worker, () => worker.publish(subject, "{}"));
      expect(said, subject).toBe(`Permissions Violation for Publish to "${subject}"`);
    }
    const api = await worker
      .request("$JS.API.STREAM.INFO.ASSAY_SCANS_oslo", "", { timeout: refusalMsMax })
      .catch((error: Error) => error.message);
    expect(api).toBe('Permissions Violation for Publish to "$JS.API.STREAM.INFO.ASSAY_SCANS_oslo"');
  });

  test("may not subscribe to what belongs to others", async () => {
    const forbidden = [
      ">",
      "*.>",
      "assay.>",
      cancelSubjects.of({ location: "oslo" }),
      cancelSubjects.matching({}),
      scanSubjects.matching({ location: "oslo" }),
      "assay.result.>",
      "_INBOX.>",
      `${inboxPrefixOf(berlinToo.id)}.>`,
      "_R_.>",
      "$JS.EVENT.ADVISORY.>",
      "$SYS.>",
    ];
    for (const subject of forbidden) {
      const said = await refusal(worker, () => worker.subscribe(subject, { callback: () => {} }));
      expect(said, subject).toBe(`Permissions Violation for Subscription to "${subject}"`);
    }
  });

  /** JetStream answers to reply subjects with its own rights, so that they are the way around permissions within one account. */
  test("gains nothing by reply subjects of others", async () => {
    await publishJob("berlin", "t9");
    const before = await messagesIn(headSide, locations);
    const next = "$JS.API.CONSUMER.MSG.NEXT.ASSAY_SCANS_berlin.berlin";
    const overheard: string[] = [];
    headSide.subscribe("assay.worker.*.*", { callback: (_error, message) => void overheard.push(message.string()) });
    const targets = ["PURGE.ASSAY_SCANS_berlin", "DELETE.ASSAY_SCANS_oslo", "DELETE.ASSAY_RESULTS_berlin"].map(
      (verb) => `$JS.API.STREAM.${verb}`,
    );
    const others = [
      resultSubjects.of({ location: "oslo", worker: oslo.id, ...part }),
      presenceSubjects.of({ location: "oslo", worker: oslo.id }),
    ];
    for (const reply of [...targets, ...others, headSubject]) {
      worker.publish(next, JSON.stringify({ batch: 1, no_wait: true }), { reply });
      worker.publish(next, "{not json", { reply });
      worker.publish(resultSubjects.of({ ...ofBerlin, ...part, part: 1 }), "", { reply });
    }
    await worker.flush();
    // Only the worker's own parts arrived.
    const own = targets.length + others.length + 1;
    await eventually(async () => (await messagesIn(headSide, locations))[2] === (before[2] ?? 0) + own, "the parts");
    await Bun.sleep(settleMs);
    expect(await messagesIn(headSide, locations)).toEqual([before[0], before[1], (before[2] ?? 0) + own, before[3]]);
    expect(overheard).toEqual([]);
    expect(await refusal(worker, () => worker.publish(presenceSubjects.of(ofBerlin), "", { reply: "_R_.a.b" }))).toBe(
      'Permissions Violation for Publish with Reply of "_R_.a.b"',
    );
  });

  /** JetStream removes what an acknowledgement names by number, delivered or not. Numbers of other streams are out of reach. */
  test("removes no jobs of other locations by acknowledgements", async () => {
    await publishJob("oslo", "t5");
    const before = await messagesIn(headSide, locations);
    for (let sequence = 1; sequence <= 20; sequence++)
      worker.publish(`$JS.ACK.ASSAY_SCANS_berlin.berlin.1.${sequence}.1.1700000000000000000.0`, sequence % 2 === 0 ? "" : "+TERM");
    await worker.flush();
    await Bun.sleep(settleMs);
    const [, oslo, results] = await messagesIn(headSide, locations);
    expect([oslo, results]).toEqual([before[1] ?? 0, before[2] ?? 0]);
    await jetstreamManager(headSide).then(({ streams }) => streams.purge(scanStreamOf("oslo")));
  });

  test("that is revoked is out after a reload, and others stay", async () => {
    const other = await connectAsWorker(oslo, nats.url);
    const pull = consumerOf(other, "oslo").next({ expires: 5_000 });
    await other.flush();
    await nats.reload(loopbackConfiguration(head, [berlinToo, oslo]));
    await worker.closed();
    await expect(connectAsWorker(berlin, nats.url)).rejects.toThrow("Authorization Violation");
    await publishJob("oslo", "t3");
    expect((await pull)?.subject).toBe(scanSubjects.of({ location: "oslo", token: "t3" }));
    expect(other.isClosed()).toBe(false);
    await other.close();
  });
});

test("the lines of a worker name no secret, and only its own subjects", () => {
  const text = workerAccountLines(oslo);
  expect(text).toContain("oslo-1");
  expect(text).not.toContain(oslo.seed);
  expect(text).not.toContain("berlin");
});
