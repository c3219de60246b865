/** `/admin/workers`: states of workers, the forms that change them, and what to do without any. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import type { PresenceAnswer } from "../../../src/fleet/messages.ts";
import type { FleetState, WorkerPresence } from "../../../src/fleet/worker-operations.ts";
import type { Store } from "../../../src/store/store.ts";
import type { Worker } from "../../../src/store/workers.ts";
import type { Operator } from "../../../src/web/admin/operator.ts";
import { workerStateOf } from "../../../src/web/admin/workers.tsx";
import { type PagesUnderTest, quietOperator, startPages, type Visitor } from "../../support/pages.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";

const operator: { -readonly [K in keyof Operator]: Operator[K] } = { ...quietOperator };
let pages: PagesUnderTest;
let store: Store;
let admin: Visitor;
afterEach(async () => {
  expect(pages.logged.filter((line) => !line.includes("worker changed"))).toEqual([]);
  await pages.stop();
});

const texts = { "en-gb": enGb.pages.admin.workers, "de-de": deDe.pages.admin.workers };
const english = texts["en-gb"];
const locales = ["en-gb", "de-de"] as const;
const heardWorkers: WorkerPresence[] = [];
const connected: FleetState = { state: () => "connected", fault: () => null, presentWorkers: () => heardWorkers };
const servers = "tls://one.test:4222, tls://two.test:4222";

async function enrol(name: string, location = "berlin"): Promise<Worker> {
  const id = `U${String.fromCharCode(65 + store.workers.list().length).repeat(55)}`;
  const worker = await store.workers.enrol({ id, name, location, now: new Date() });
  if (typeof worker === "string") throw new Error(worker);
  return worker;
}

function heardAs(answer: PresenceAnswer, { id }: Worker): void {
  heardWorkers.push({ id, slots: 4, busy: 1, seenAt: new Date(), answer });
}

async function read(query = ""): Promise<string> {
  const answer = await admin.get(`/admin/workers${query}`);
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
  return answer.text();
}

/** Row of the table, as HTML. */
const rowOf = (html: string, { id }: Worker) => new RegExp(`<tr id="${id}".*?</tr>`, "s").exec(html)?.[0] ?? "";
const change = ({ id }: Worker, state: string) => admin.post(`/admin/workers/${id}/state`, { state }, "/admin/workers");

beforeEach(async () => {
  pages = await startPages({ operator });
  ({ store } = pages);
  admin = await signedIn(pages, await accountIn(pages, "first@assay.test"));
  heardWorkers.length = 0;
  Object.assign(operator, { natsServers: servers, fleet: () => connected });
});

describe("without workers", () => {
  test.each(locales)("it names the commands, in %s", async (locale) => {
    const html = await read(`?locale=${locale}`);
    expect(html).toContain(texts[locale].none.title);
    expect(html).toContain("assay fleet enrol berlin");
    expect(html).toContain("assay fleet nats-conf");
    expect(html).toContain("assay worker --nats tls://one.test:4222 --nats-credentials worker.nk --location berlin");
    await read("?locale=en-gb");
  });

  test("and without nats.url, it says how to begin", async () => {
    Object.assign(operator, { natsServers: null, fleet: () => null });
    const html = await read();
    expect(html).toContain(english.nats.unset.title);
    expect(html).toContain("assay serve --nats tls://nats.example.org:4222");
    expect(html).not.toContain("assay fleet enrol");
  });

  test("it is linked from /admin", async () => {
    expect(await (await admin.get("/admin")).text()).toContain('href="/admin/workers"');
  });
});

test("the connection to NATS is shown with its fault", async () => {
  expect(await read()).toContain(english.nats.connected.title);
  operator.fleet = () => ({ ...connected, state: () => "disconnected", fault: () => "no <route>" });
  const html = await read();
  expect(html).toContain(english.nats.disconnected.title);
  expect(html).toContain(">no &lt;route></q>");
  expect(html).toContain(servers);
  expect(await (await admin.get("/admin")).text()).toMatch(
    /Scans of other locations wait: <q[^>]*>no &lt;route><\/q> <a href="\/admin\/workers">/,
  );
  operator.fleet = () => ({ ...connected, state: () => "refused", fault: () => "another head" });
  expect(await read()).toContain(english.nats.refused.title);
  operator.fleet = () => null;
  expect(await read()).toContain(english.nats.disconnected.title);
});

const base: Worker = {
  ...{ id: "U", name: "w", location: "berlin", enrolledAt: "2026-01-01T00:00:00.000Z", revokedAt: null, drained: false },
  ...{ lastSeenAt: "2026-01-02T00:00:00.000Z", version: "1", slots: 1, reach: "public", scansDone: 0, lastFault: null },
};
const heardWith = (answer: PresenceAnswer): WorkerPresence => ({ id: "U", slots: 1, busy: 0, seenAt: new Date(), answer });

test.each([
  ["present", base, heardWith("accepted")],
  ["present", base, heardWith("unknown")],
  ["idle", base, { ...heardWith("accepted"), slots: 0 }],
  ["absent", base, undefined],
  ["awaited", { ...base, lastSeenAt: null }, undefined],
  ["drained", { ...base, drained: true }, heardWith("accepted")],
  ["drained", { ...base, drained: true }, undefined],
  ["present", base, heardWith("drained")],
  ["too-old", base, heardWith("too-old")],
  ["too-new", { ...base, drained: true }, heardWith("too-new")],
  ["private-location", base, heardWith("private-location")],
  ["revoked", { ...base, revokedAt: base.enrolledAt, drained: true }, heardWith("accepted")],
] as const)("a worker is %s", (state, worker, heard) => {
  expect(workerStateOf(worker, heard, true)).toBe(state);
  // Without a connection, its presence is unknown.
  if (heard === undefined) expect(workerStateOf(worker, heard, false)).toBe(state === "absent" ? "unknown" : state);
});

describe("a worker in the table", () => {
  test("shows what is known of it, and nothing that it wrote becomes markup", async () => {
    const worker = await enrol("spree-1");
    expect(rowOf(await read(), worker)).toMatch(/spree-1.*Not started yet.*\u2013.*\u2013/s);
    await store.workers.noteSeen(worker.id, { version: "0.9.0<b>", slots: 4, reach: "private", now: new Date(Date.now() - 3_600_000) });
    await store.workers.noteScan(worker.id);
    await store.workers.noteFault(worker.id, { at: new Date(Date.now() - 120_000).toISOString(), text: `<script>${"x".repeat(900)}` });
    const absent = rowOf(await read(), worker);
    expect(absent).toMatch(/0\.9\.0&lt;b>.*private addresses too.*Absent.*Last fault:.*data-ago.*&lt;script>x{200}.*data-ago/s);
    expect(absent).not.toMatch(/x{301}/);
    heardAs("accepted", worker);
    expect(rowOf(await read(), worker)).toMatch(/Present.*data-ago.*1 of 4.*data-ago/s);
  });

  test.each(["too-old", "too-new", "private-location"] as const)("that is refused as %s says what to do", async (answer) => {
    const worker = await enrol(`refused-${answer}`, "paris");
    heardAs(answer, worker);
    const row = rowOf(await read(), worker);
    expect(row.toLowerCase()).toContain(english.states[answer]);
    expect(row).toContain(english.advice[answer].replace("{{version}}", pages.settings.version));
  });

  test("stands below its location", async () => {
    await enrol("seine-2", "paris");
    const worker = await enrol("seine-1", "lyon");
    const html = await read();
    expect(html.indexOf(">lyon<")).toBeGreaterThan(0);
    expect(html.indexOf(">lyon<")).toBeLessThan(html.indexOf(`id="${worker.id}"`));
    expect(html.indexOf(">lyon<")).toBeLessThan(html.indexOf(">paris<"));
  });
});

describe("the forms", () => {
  test("drain, resume and revoke a worker, and log who did it", async () => {
    await enrol("unchanged");
    const worker = await enrol("changed");
    const drained = await change(worker, "drained");
    expect([drained.status, drained.headers.get("location")]).toEqual([303, "/admin/workers?done=drained"]);
    expect(rowOf(await read(), worker)).toMatch(/Drained.*Resume/s);
    expect(await read("?done=drained")).toContain("within 10 seconds");
    await change(worker, "resumed");
    expect(store.workers.find(worker.id)?.drained).toBe(false);
    await change(worker, "revoked");
    expect(store.workers.find(worker.id)?.revokedAt).not.toBeNull();
    const html = await read("?done=revoked");
    expect(rowOf(html, worker)).toBe("");
    expect(html).toMatch(/assay fleet nats-conf.*1 revoked worker.*changed/s);
    expect(pages.logged.filter((line) => line.includes(worker.id)).map((line) => JSON.parse(line).state)).toEqual([
      "drained",
      "resumed",
      "revoked",
    ]);
    expect((await change(worker, "resumed")).status).toBe(404);
  });

  test("refuse unknown workers and values, other accounts, and another sender", async () => {
    const worker = await enrol("kept");
    expect((await change({ ...worker, id: "nobody" }, "drained")).status).toBe(404);
    expect((await change({ ...worker, id: "%ff" }, "drained")).status).toBe(404);
    expect((await change(worker, "deleted")).status).toBe(400);
    const user = await signedIn(pages, await accountIn(pages, "second@assay.test"));
    expect((await user.post(`/admin/workers/${worker.id}/state`, { state: "revoked" }, "/")).status).toBe(403);
    const cookie = [...admin.cookies].map((pair) => pair.join("=")).join("; ");
    const headers = { cookie, origin: "https://evil.example" };
    const body = new URLSearchParams({ state: "revoked" });
    expect((await fetch(`${pages.url}/admin/workers/${worker.id}/state`, { method: "POST", headers, body })).status).toBe(403);
    expect(store.workers.find(worker.id)).toMatchObject({ revokedAt: null, drained: false });
  });
});

test("/admin shows the queue of each location, and where no worker takes from it", async () => {
  const worker = await enrol("queued-1", "rome");
  heardAs("accepted", worker);
  const queue = (url: string, location: string) =>
    store.scans.queue({ accountId: null, url, location, now: new Date(Date.now() - 120_000) });
  for (let at = 0; at < 30; at++) await queue(`https://here-${at}.test/`, "local");
  await queue("https://rome-0.test/", "rome");
  await queue("https://rome-1.test/", "rome");
  await queue("https://oslo.test/", "oslo");
  await store.scans.claimNext("rome", new Date());
  const html = await (await admin.get("/admin")).text();
  const rows = [...html.matchAll(/<tr><th scope="row">.*?<\/tr>/gs)].map(([row]) =>
    row
      .replace(/<time.*?<\/time>/gs, "")
      .replace(/<[^>]*>/g, "|")
      .replace(/[|\s]*\|[|\s]*/g, "|"),
  );
  expect(rows).toContain(`|${enGb.pages.location.local}|0|30|`);
  expect(rows).toContain("|rome|1|1|1 worker (1 of 4 slots in use)|");
  expect(rows).toContain("|oslo|0|1|No worker present|");
  expect(html).toContain("https://oslo.test/");
  expect(html).toContain("https://rome-0.test/");
});
