/** The slots of a worker with jobs by hand: more jobs than slots, repeated deliveries, and jobs that are published again. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { fleetProtocol } from "../../../src/fleet/messages.ts";
import { type DeliveredJob, deliveredJob } from "../../../src/fleet/worker/job-feed.ts";
import { type JobSlotsOptions, openJobSlots } from "../../../src/fleet/worker/job-slots.ts";
import { defaultDeadlines } from "../../../src/scan/task.ts";
import { type FakeFleet, fakeLocation, fakeWorkerIds, heldGatherer, startFakeFleet } from "../../support/fake-fleet.ts";

let fleet: FakeFleet;
beforeEach(async () => {
  fleet = await startFakeFleet();
  // Results need their stream.
  await fleet.openHead();
});
afterEach(() => fleet[Symbol.asyncDispose]());

const soon = () => fleet.clock.pass(1_000);
const nothing = () => {};

function openSlots(slots = 1, connected = () => Promise.resolve(), changes: Partial<JobSlotsOptions> = {}) {
  const held = heldGatherer();
  const outcomes: string[] = [];
  const job = openJobSlots({
    ...{ connection: fleet.nats.connect(), connected, isConnected: () => true, gatherer: held.gatherer, slots },
    ...{ address: { location: fakeLocation, worker: fakeWorkerIds[0] }, deadlines: defaultDeadlines, onFault: nothing },
    timeScan: () => ({ stage: nothing, end: nothing }),
    onEnd: (outcome) => void outcomes.push(outcome),
    clock: fleet.clock,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    // Only deliveries and ends of scans say that jobs are held.
    workingEveryMs: 3_600_000,
    standstillMsMax: 3_600_000,
    ...changes,
  });
  return { ...job, take: job.take.bind(job), stop: job.stop.bind(job), busy: job.busy.bind(job), scans: held.scans, outcomes };
}

/** A delivery, with the answers that it gets. */
function delivered(token: string, { delivery = 1, publication = token }: { delivery?: number; publication?: string } = {}) {
  const answers: string[] = [];
  const terms = { deadlines: defaultDeadlines, screenshot: false, headerCharsMax: 512 };
  const job = { v: fleetProtocol, token, attempt: 1, url: "https://shop.test/", scannedAt: "2026-11-22T10:00:00.000Z", ...terms };
  const say = (answer: string) => () => void answers.push(answer);
  const one: DeliveredJob = {
    ...{ data: Buffer.from(JSON.stringify(job)), delivery, publication },
    ...{ working: say("working"), giveBack: say("give back"), terminate: say("terminate") },
    acknowledge: async () => void answers.push("acknowledge"),
  };
  return { ...one, answers };
}

test("jobs beyond the slots wait in order, and each end starts the next", async () => {
  const slots = openSlots();
  for (const token of ["a", "b", "c"]) slots.take(delivered(token));
  await soon();
  expect([slots.scans.map(({ token }) => token), slots.busy()]).toEqual([["a"], 3]);
  for (const expected of [
    ["a", "b"],
    ["a", "b", "c"],
  ]) {
    slots.scans.at(-1)?.end();
    await soon();
    expect(slots.scans.map(({ token }) => token)).toEqual(expected);
  }
  slots.scans.at(-1)?.end();
  await soon();
  expect([slots.busy(), slots.outcomes]).toEqual([0, ["finished", "finished", "finished"]]);
});

test("a delivery that is adopted is worked on at once, and is the one that is answered", async () => {
  const slots = openSlots();
  const [one, two] = [delivered("a"), delivered("a", { delivery: 2 })];
  slots.take(one);
  await soon();
  slots.take(two);
  expect(two.answers).toEqual(["working"]);
  slots.scans[0]?.end();
  await soon();
  expect([slots.scans.length, one.answers.includes("acknowledge"), two.answers.at(-1)]).toEqual([1, false, "acknowledge"]);
});

test("a job whose result was sent is only acknowledged, and gathered if it was published again", async () => {
  const slots = openSlots();
  slots.take(delivered("a", { publication: "1" }));
  await soon();
  slots.scans[0]?.end();
  await soon();
  const again = delivered("a", { delivery: 2, publication: "1" });
  slots.take(again);
  await soon();
  expect([again.answers, slots.scans.length]).toEqual([["acknowledge"], 1]);
  slots.take(delivered("a", { publication: "2" }));
  await soon();
  expect(slots.scans.length).toBe(2);
  // Its result does not count as a repetition of the first one.
  slots.scans[1]?.end();
  await soon();
  expect(fleet.messages().results.filter((message) => message === "a.1.1.0")).toHaveLength(2);
});

test.each([
  ["$JS.ACK.stream.consumer.2.7.1.123.0", { delivery: 2, publication: "7.123" }],
  ["$JS.ACK.domain.account.stream.consumer.2.7.1.123.0.token", { delivery: 2, publication: "7.123" }],
  ["$JS.ACK.stream.consumer.0.7.1.123.0", null],
  ["$JS.API.stream.consumer.2.7.1.123.0", null],
  ["_INBOX.x", null],
])("a message with the reply subject %s is delivery %j", (reply, expected) => {
  const job = deliveredJob(fleet.nats.connect(), { data: Buffer.from("x"), reply });
  expect(job === null ? null : { delivery: job.delivery, publication: job.publication }).toEqual(expected);
});

test("a job is returned once for want of a browser, and not at its last delivery", async () => {
  const slots = openSlots(3);
  const jobs = [delivered("a"), delivered("a"), delivered("b", { delivery: 2 })];
  for (const job of jobs) {
    slots.take(job);
    await soon();
    slots.scans.at(-1)?.end("browser-unavailable");
    await soon();
  }
  expect(jobs.map(({ answers }) => answers.at(-1))).toEqual(["give back", "acknowledge", "acknowledge"]);
  expect(slots.outcomes).toEqual(["returned", "failed", "failed"]);
});

test("a stop does not wait for the result of a refused job that cannot be sent", async () => {
  const slots = openSlots(1, () => Promise.reject(new Error("not connected")));
  const job = { ...delivered("a"), data: Buffer.from(JSON.stringify({ token: "a", attempt: 1 })) };
  slots.take(job);
  await soon();
  await fleet.clock.until(slots.stop(100));
  expect([job.answers, slots.busy()]).toEqual([["terminate"], 0]);
});

test("a job that waits for a slot is given back by a stop, and so is one that comes later", async () => {
  const slots = openSlots();
  const jobs = [delivered("a"), delivered("b"), delivered("c")];
  for (const job of jobs.slice(0, 2)) slots.take(job);
  await soon();
  const stopped = slots.stop(100);
  for (const job of jobs.slice(2)) slots.take(job);
  await fleet.clock.until(stopped);
  expect([jobs.map(({ answers }) => answers.at(-1)), slots.scans.length]).toEqual([["give back", "give back", "give back"], 1]);
});

test("a standstill is a fault only while jobs are held", async () => {
  const faults: string[] = [];
  const onFault = (text: string) => void faults.push(text);
  // Each renewal comes later than a standstill may last.
  const slots = openSlots(1, undefined, { onFault, workingEveryMs: 30_000, standstillMsMax: 20_000 });
  await fleet.clock.pass(61_000);
  expect(faults).toEqual([]);
  slots.take(delivered("a"));
  await fleet.clock.pass(30_000);
  expect(faults).toEqual([expect.stringMatching(/^the process stood still for (29|30) s: its scans go to other workers$/)]);
});

test("a defect while gathering ends the job as failed, and frees its slot", async () => {
  const gatherOn = async ({ scannedAt }: { readonly scannedAt: string | null }) => {
    throw new Error(`a defect at ${scannedAt}`);
  };
  const slots = openSlots(1, undefined, { gatherer: { gatherOn, visitOn: async () => "crashed" } });
  for (const token of ["a", "b"]) slots.take(delivered(token));
  await soon();
  expect([slots.busy(), slots.outcomes]).toEqual([0, ["failed", "failed"]]);
});
