/** The head's side of the fleet with real workers, store and nats-server. */
import { describe, expect, test } from "vitest";
import { knownScans } from "../../support/finished-scans.ts";
import { messagesIn } from "../../support/fleet-places.ts";
import { rigLocation, startRig } from "../../support/fleet-rig.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { eventually } from "../../support/raw-head.ts";

describe.skipIf(natsIsMissing())("a head", () => {
  test("gathers scans at workers, and leaves nothing behind", async () => {
    await using rig = await startRig();
    const fleet = await rig.open();
    expect(fleet.state()).toBe("connected");
    expect(fleet.capacity(rigLocation)).toBe(0);
    expect(fleet.names()).toEqual([rigLocation]);
    const rose = Promise.withResolvers<void>();
    fleet.onCapacity(rose.resolve);
    const worker = await rig.startWorker();
    await rose.promise;
    expect(fleet.capacity(rigLocation)).toBe(3);
    expect(fleet.absentSince(rigLocation)).toBeNull();

    const token = await rig.claimScan();
    const stages: string[] = [];
    const gathering = rig.gather(fleet, token, { stages });
    (await worker.started(1)).end();
    const end = await gathering;
    expect(end.gathered).toMatchObject({ evidence: { page: knownScans.shop.evidence.page }, timings: { total: 12 } });
    expect(stages).toEqual(["resolving"]);
    const head = await rig.connectHead();
    expect((await messagesIn(head))[1]).toBeGreaterThan(0);
    await rig.storeEnd(token, end);
    await eventually(async () => (await messagesIn(head)).every((count) => count === 0), "empty streams");
    expect(fleet.counters()).toMatchObject({ results: 1, faults: 0, dropped: 0, republished: 0, spent: 0 });
    await eventually(() => rig.store.workers.find(worker.identity.id)?.scansDone === 1, "a counted scan");
    await head.close();
  });

  test("closes while nats-server ends", async () => {
    await using rig = await startRig();
    const fleet = await rig.open();
    await Promise.all([rig.nats.stop("SIGKILL"), fleet.close()]);
    expect(fleet.state()).not.toBe("refused");
  });
});
