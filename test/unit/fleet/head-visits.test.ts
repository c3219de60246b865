/** Visits of proofs at the head: which workers may get them, and what becomes of the others. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { evidenceVersion } from "../../../src/evidence/evidence.ts";
import { fleetProtocol, type PresenceNote, type PresenceReply, presenceLapsesMs } from "../../../src/fleet/messages.ts";
import { inboxPrefixOf, presenceSubjects } from "../../../src/fleet/subjects.ts";
import type { GatherEnd, StoredJob, VisitJob } from "../../../src/scan/gatherer.ts";
import type { Visited } from "../../../src/scan/task.ts";
import { type FakeFleet, type FakeHead, fakeLocation, fakeWorkerIds, startFakeFleet } from "../../support/fake-fleet.ts";
import { knownScans } from "../../support/finished-scans.ts";
import { visitOf } from "../../support/visited.ts";

const { navigation, page, dom, markup, requests, scripts, scriptLibraries, hstsPreload } = knownScans.shop.evidence;
const readings = { navigation, page, dom, markup, requests, scripts, scriptLibraries, hstsPreload };
const visited: Visited = { readings, observation: visitOf().observation, screenshot: null, browserBroke: false, refusals: [] };
const stored: StoredJob = { token: "visit-1", attempt: 1, location: fakeLocation, adopted: false, ofProof: true };
const overrides = {
  origin: "https://site.test",
  headers: [{ name: "X-Frame-Options", value: "DENY" }],
  nonce: null,
  canaries: null,
};
const visitJob: VisitJob = { url: "https://site.test/", overrides, screenshot: false };

let fleet: FakeFleet;
let head: FakeHead;
beforeEach(async () => {
  fleet = await startFakeFleet();
  head = await fleet.openHead();
});
afterEach(() => fleet[Symbol.asyncDispose]());

interface HandedVisit {
  readonly end: Promise<GatherEnd<Visited>>;
  gathered(): GatherEnd<Visited>["gathered"] | null;
}

function visit(job = visitJob, signal?: AbortSignal): HandedVisit {
  let gathered: GatherEnd<Visited>["gathered"] | null = null;
  const end = head.visit(job, stored, { onStage: () => {}, signal });
  void end.then((value) => {
    gathered = value.gathered;
  });
  return { end, gathered: () => gathered };
}

/** The answer of the head to a worker that announces nothing. */
async function sayAsOlder(which: 0 | 1, changes: Partial<PresenceNote> = {}): Promise<string> {
  const worker = fakeWorkerIds[which];
  const connection = fleet.nats.connect({ inboxPrefix: inboxPrefixOf(worker) });
  const work = { slots: 1, busy: 0, scansDone: 0, lastFault: null };
  const note: PresenceNote = { v: fleetProtocol, version: "0.1.0", evidenceVersion, reach: "public", ...work, ...changes };
  const subject = presenceSubjects.of({ location: fakeLocation, worker });
  const reply = await fleet.clock.until(connection.request(subject, JSON.stringify(note), { timeout: 1_000 }));
  return reply.json<PresenceReply>().answer;
}

test("a worker of this release announces visits, makes one with its own gatherer, and nothing of it stays", async () => {
  const seen: unknown[] = [];
  const visitOn = async (...[terms, job]: [{ readonly deadlines: { readonly scanMs: number } }, VisitJob, ...unknown[]]) => {
    seen.push([terms.deadlines.scanMs, job]);
    return visited;
  };
  await fleet.startWorker({ gatherer: { gatherOn: async () => "crashed", visitOn } });
  expect(head.provers(fakeLocation)).toEqual({ present: 1, unable: [] });
  const { end } = visit();
  await fleet.clock.pass(presenceLapsesMs);
  const { gathered, release } = await fleet.clock.until(end);
  expect(gathered).toEqual(visited);
  expect(seen).toEqual([[45_000, visitJob]]);
  await fleet.clock.until(release());
  expect(fleet.messages()).toEqual({ jobs: [], results: [] });
});

test("a visit waits until no worker can take jobs that this process does not know", async () => {
  visit();
  await fleet.clock.pass(presenceLapsesMs / 2);
  expect(fleet.messages().jobs).toEqual([]);
  await fleet.clock.pass(presenceLapsesMs / 2);
  expect(fleet.messages().jobs).toEqual(["visit-1"]);
});

test("no visit is published while a worker is accepted that cannot make it", async () => {
  expect([await sayAsOlder(0, { visits: true }), await sayAsOlder(1)]).toEqual(["accepted", "accepted"]);
  expect(head.provers(fakeLocation)).toEqual({ present: 2, unable: [fakeWorkerIds[1]] });
  const { gathered } = visit();
  await fleet.clock.pass(1_000);
  expect([gathered(), fleet.messages().jobs]).toEqual(["worker-too-old", []]);
});

test("a visit that waits is withdrawn before a worker is accepted that cannot make it, and scans stay", async () => {
  await sayAsOlder(0, { visits: true });
  await sayAsOlder(1, { visits: true });
  const { gathered, end } = visit();
  const scan = fleet.handOut(head, "one");
  await fleet.clock.pass(1_000);
  expect(fleet.messages().jobs.toSorted()).toEqual(["one", "visit-1"]);
  expect(await sayAsOlder(1)).toBe("accepted");
  expect([gathered(), fleet.messages().jobs, scan.ended]).toEqual(["worker-too-old", ["one"], null]);
  await fleet.clock.until((await end).release());
});

test("headers that do not fit into a job end the visit", async () => {
  await sayAsOlder(0, { visits: true });
  await sayAsOlder(1, { visits: true });
  const { gathered } = visit({ ...visitJob, overrides: { ...overrides, headers: [{ name: "X-Long", value: "x".repeat(32_768) }] } });
  await fleet.clock.pass(1_000);
  expect([gathered(), fleet.messages().jobs]).toEqual(["headers-too-long", []]);
});

test("a visit that is aborted by the end of the server is taken back", async () => {
  await sayAsOlder(0, { visits: true });
  await sayAsOlder(1, { visits: true });
  const ending = new AbortController();
  const { end } = visit(visitJob, ending.signal);
  await fleet.clock.pass(1_000);
  expect(fleet.messages().jobs).toEqual(["visit-1"]);
  ending.abort("stopping");
  const { gathered, release } = await fleet.clock.until(end);
  await fleet.clock.until(release());
  expect([gathered, fleet.messages().jobs]).toEqual(["interrupted", []]);
});
