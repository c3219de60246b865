/** Workers that send too much, too little, or what is wrong. */
import { jetstream } from "@nats-io/jetstream";
import { describe, expect, test } from "vitest";
import { scanSubjects } from "../../../src/fleet/subjects.ts";
import { connectAsWorker, consumerOf, messagesIn } from "../../support/fleet-places.ts";
import { rigLocation, startRig } from "../../support/fleet-rig.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { eventually } from "../../support/raw-head.ts";
import { expectEmptyStreams, honestResult, sendParts } from "../../support/rig-results.ts";

describe.skipIf(natsIsMissing())("a worker", () => {
  test("sends everything twice, and the result of a second delivery: one outcome counts", async () => {
    await using rig = await startRig();
    const fleet = await rig.open();
    const token = await rig.claimScan();
    const gathering = rig.gather(fleet, token);
    const { id } = rig.identities.first;
    await using worker = await connectAsWorker(rig.identities.first, rig.nats.url);
    const first = { location: rigLocation, worker: id, token, attempt: 1, delivery: 1 };
    await sendParts(worker, first, honestResult(rig, token), true);
    await sendParts(worker, { ...first, delivery: 2 }, honestResult(rig, token));
    await rig.storeEnd(token, await gathering);
    await sendParts(worker, { ...first, delivery: 2 }, honestResult(rig, token));
    await eventually(() => fleet.counters().dropped >= 1, "a dropped result");
    expect(fleet.counters().results).toBe(1);
    await expectEmptyStreams(rig);
  });

  test("sends a wrong result: the scan fails, and the log and its record name the worker", async () => {
    await using rig = await startRig();
    const fleet = await rig.open();
    const token = await rig.claimScan();
    const gathering = rig.gather(fleet, token);
    const { id, name } = rig.identities.first;
    await using worker = await connectAsWorker(rig.identities.first, rig.nats.url);
    const packed = honestResult(rig, token);
    const wrongSum = { ...packed.manifest, result: { ...packed.manifest.result, sha256: "0".repeat(64) } };
    await sendParts(worker, { location: rigLocation, worker: id, token, attempt: 1, delivery: 1 }, { ...packed, manifest: wrongSum });
    const end = await gathering;
    expect(end.gathered).toBe("crashed");
    await rig.storeEnd(token, end);
    const fault = "sent a result with a wrong SHA-256";
    const refused = rig.logged.filter((line) => line.startsWith("result of worker refused "));
    expect(refused.map((line) => JSON.parse(line.slice(line.indexOf("{"))))).toEqual([
      expect.objectContaining({ worker: name, location: rigLocation, token, fault }),
    ]);
    await eventually(() => rig.store.workers.find(id)?.lastFault?.text === fault, "a recorded fault");
    await expectEmptyStreams(rig);
  });

  test("sends a result whose part is lost: the scan is gathered again", async () => {
    await using rig = await startRig();
    const fleet = await rig.open();
    const token = await rig.claimScan();
    const gathering = rig.gather(fleet, token);
    await using worker = await connectAsWorker(rig.identities.first, rig.nats.url);
    const delivery = { location: rigLocation, worker: rig.identities.first.id, token, attempt: 1, delivery: 1 };
    const job = await eventually(() => consumerOf(worker, rigLocation).next({ expires: 1_000 }), "a job");
    await sendParts(worker, delivery, { ...honestResult(rig, token), parts: [] });
    await job.ackAck();
    const again = await rig.startWorker("second");
    (await again.started(1)).end();
    await rig.storeEnd(token, await gathering);
    expect(fleet.counters()).toMatchObject({ results: 1, faults: 0, lost: 1, republished: 1 });
    await expectEmptyStreams(rig);
  });

  test("that is revoked, or has an older attempt, sends a result: it is dropped", async () => {
    await using rig = await startRig();
    const fleet = await rig.open();
    const token = await rig.claimScan();
    const gathering = rig.gather(fleet, token);
    const { first, second } = rig.identities;
    await using revoked = await connectAsWorker(first, rig.nats.url);
    await using other = await connectAsWorker(second, rig.nats.url);
    await rig.store.workers.revoke(first.id, new Date());
    const delivery = { location: rigLocation, worker: first.id, token, attempt: 1, delivery: 1 };
    await sendParts(revoked, delivery, honestResult(rig, token));
    await sendParts(other, { ...delivery, worker: second.id, attempt: 2 }, honestResult(rig, token));
    await eventually(() => fleet.counters().dropped === 2, "two dropped results");
    await sendParts(other, { ...delivery, worker: second.id }, honestResult(rig, token));
    await rig.storeEnd(token, await gathering);
    expect(fleet.counters()).toMatchObject({ results: 1, faults: 0 });
    await expectEmptyStreams(rig);
  });

  test("fills the stream of results with what belongs to no scan: it is removed", async () => {
    await using rig = await startRig();
    const fleet = await rig.open();
    const token = await rig.claimScan();
    void rig.gather(fleet, token);
    await using worker = await connectAsWorker(rig.identities.first, rig.nats.url);
    const subject = `assay.result.${rigLocation}.${rig.identities.first.id}`;
    const client = jetstream(worker);
    for (const end of ["none.1.1.0", `${token}.1.1.99`, `${token}.1.9.0`, `${token}.x.y.z`, "none.1.1.manifest"])
      await client.publish(`${subject}.${end}`, "junk");
    const head = await rig.connectHead();
    await eventually(async () => (await messagesIn(head))[1] === 0, "an empty stream of results");
    expect((await messagesIn(head))[0]).toBe(1);
    await jetstream(head).publish(scanSubjects.of({ location: rigLocation, token: "stale" }), "a scan that is over");
    await eventually(async () => (await messagesIn(head))[0] === 1, "only the job of the scan that runs");
    await head.close();
  });
});
