/** Answers of the head to the presence of workers, and what it believes of their notes. */
import type { NatsConnection } from "@nats-io/transport-node";
import { describe, expect, test } from "vitest";
import { evidenceVersion } from "../../../src/evidence/evidence.ts";
import { fleetProtocol, type PresenceNote, type PresenceReply } from "../../../src/fleet/messages.ts";
import { presenceSubjects, progressSubjects } from "../../../src/fleet/subjects.ts";
import { connectAsWorker, type EnrolledIdentity } from "../../support/fleet-places.ts";
import { rigLocation, startRig } from "../../support/fleet-rig.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { eventually } from "../../support/raw-head.ts";

const honest: PresenceNote = {
  v: fleetProtocol,
  version: "1.2.3",
  evidenceVersion,
  slots: 2,
  busy: 1,
  reach: "public",
  scansDone: 7,
  lastFault: null,
};

async function answerTo(connection: NatsConnection, { id }: EnrolledIdentity, note: unknown): Promise<string> {
  const subject = presenceSubjects.of({ location: rigLocation, worker: id });
  const reply = await connection.request(subject, typeof note === "string" ? note : JSON.stringify(note), { timeout: 300 });
  return reply.json<PresenceReply>().answer;
}

describe.skipIf(natsIsMissing())("presence", () => {
  test("is answered by enrolment, release, reach and drain", async () => {
    await using rig = await startRig();
    const { first, second } = rig.identities;
    const fleet = await rig.open();
    await using connection = await connectAsWorker(first, rig.nats.url);
    const answer = (note: unknown) => answerTo(connection, first, note);
    expect(await answer(honest)).toBe("accepted");
    expect(fleet.presentWorkers()).toMatchObject([{ id: first.id, slots: 2, busy: 1, answer: "accepted" }]);
    expect(await answer({ ...honest, evidenceVersion: evidenceVersion + 1 })).toBe("too-new");
    expect(await answer({ ...honest, evidenceVersion: -2 }).catch(() => "no answer")).toBe("no answer");
    expect(await answer({ v: fleetProtocol + 1, other: "fields" })).toBe("too-new");
    expect(await answer({ ...honest, reach: "private" })).toBe("private-location");
    expect(fleet.capacity(rigLocation)).toBe(0);
    await rig.store.workers.setDrained(first.id, true);
    expect(await answer(honest)).toBe("drained");
    expect(fleet.capacity(rigLocation)).toBe(0);
    expect(fleet.absentSince(rigLocation)).toBeNull();
    await rig.store.workers.revoke(first.id, new Date());
    expect(await answer(honest)).toBe("revoked");
    await eventually(() => rig.store.workers.find(first.id)?.version === "1.2.3", "what the worker says of itself");
    await using other = await connectAsWorker(second, rig.nats.url);
    await expect(answerTo(other, second, "no JSON")).rejects.toThrow();
    expect(fleet.presentWorkers().map(({ id }) => id)).toEqual([first.id]);
  });

  test("is stored at once when it says something new", async () => {
    const noteSeenEveryMs = 60_000;
    await using rig = await startRig({ times: { noteSeenEveryMs } });
    const { first } = rig.identities;
    await rig.open();
    await using connection = await connectAsWorker(first, rig.nats.url);
    // A worker whose browser has yet to start sends this.
    await answerTo(connection, first, { ...honest, slots: 0 });
    await eventually(() => rig.store.workers.find(first.id)?.version === "1.2.3", "the first note");
    await answerTo(connection, first, honest);
    await eventually(() => rig.store.workers.find(first.id)?.slots === 2, "the slots");
    await answerTo(connection, first, { ...honest, lastFault: "the browser does not start" });
    await eventually(() => rig.store.workers.find(first.id)?.lastFault?.text === "the browser does not start", "the fault");
    const seenAt = rig.store.workers.find(first.id)?.lastSeenAt;
    await answerTo(connection, first, { ...honest, busy: 2, lastFault: "the browser does not start" });
    await Bun.sleep(50);
    expect(rig.store.workers.find(first.id)?.lastSeenAt).toBe(seenAt);
  });

  test("may be private if only accounts read", async () => {
    await using rig = await startRig({ readers: "accounts" });
    await rig.open();
    await using connection = await connectAsWorker(rig.identities.first, rig.nats.url);
    expect(await answerTo(connection, rig.identities.first, { ...honest, reach: "private" })).toBe("accepted");
  });

  test("lapses, and floods of notes are not answered", async () => {
    await using rig = await startRig();
    const { first } = rig.identities;
    const fleet = await rig.open();
    await using connection = await connectAsWorker(first, rig.nats.url);
    const answers = await Promise.all(Array.from({ length: 50 }, () => answerTo(connection, first, honest).catch(() => null)));
    expect(answers.filter((answer) => answer !== null)).toHaveLength(10);
    expect(fleet.capacity(rigLocation)).toBe(3);
    await eventually(() => fleet.capacity(rigLocation) === 0, "an absent worker");
    expect(fleet.absentSince(rigLocation)?.getTime()).toBeLessThanOrEqual(Date.now());
  });

  test("progress counts for the scan and attempt that are out", async () => {
    await using rig = await startRig();
    const { first } = rig.identities;
    const fleet = await rig.open();
    const token = await rig.claimScan();
    const stages: string[] = [];
    void rig.gather(fleet, token, { stages });
    await using connection = await connectAsWorker(first, rig.nats.url);
    const say = (note: object, of = token) =>
      connection.publish(
        progressSubjects.of({ location: rigLocation, worker: first.id, token: of }),
        JSON.stringify({ v: fleetProtocol, attempt: 1, ...note }),
      );
    say({ attempt: 2, stage: "tls" });
    say({ stage: "unheard-of" });
    say({ stage: "tls" }, "unknown");
    say({ stage: null });
    say({ stage: "dns" });
    await eventually(() => stages.length > 0, "a stage");
    expect(stages).toEqual(["dns"]);
  });
});
