/** Enrolled workers on a real LMDB, and the identity of a store. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore, type Store, type StoreOptions } from "../../../src/store/store.ts";
import { temporaryStore } from "../../support/temporary-store.ts";

const now = new Date("2026-11-21T12:00:00.000Z");
const later = new Date("2026-11-22T12:00:00.000Z");

let dataDir: string;
let store: Store;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-workers-"));
  store = openStore(dataDir, { noSync: true });
});
afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
});

async function reopen(options: StoreOptions = {}): Promise<Store> {
  await store.close();
  store = openStore(dataDir, options);
  return store;
}

const enrol = (id: string, name: string, location = "berlin", at = now) => store.workers.enrol({ id, name, location, now: at });

describe("a worker", () => {
  test("is enrolled once by its id, and by its name while one of that name is in use", async () => {
    const worker = await enrol("UA", "one");
    expect(worker).toEqual({
      id: "UA",
      name: "one",
      location: "berlin",
      enrolledAt: now.toISOString(),
      revokedAt: null,
      drained: false,
      lastSeenAt: null,
      version: null,
      slots: 0,
      reach: null,
      scansDone: 0,
      lastFault: null,
    });
    expect([store.workers.find("UA"), store.workers.findByName("one")]).toEqual([worker, worker]);
    expect(await enrol("UA", "two")).toBe("id-taken");
    expect(await enrol("UB", "one", "tokyo")).toBe("name-taken");
    expect(await store.workers.revoke("one", later)).toMatchObject({ id: "UA", revokedAt: later.toISOString() });
    expect(await store.workers.revoke("UA", new Date())).toMatchObject({ revokedAt: later.toISOString() });
    expect(await enrol("UA", "one")).toBe("id-taken");
    expect(store.workers.findByName("one")?.id).toBe("UA");
    expect(await enrol("UC", "one", "tokyo", later)).toMatchObject({ id: "UC" });
    expect(store.workers.findByName("one")?.id).toBe("UC");
    expect(await store.workers.revoke("one", later)).toMatchObject({ id: "UC" });
    expect(store.workers.findByName("one")?.id).toBe("UC");
    expect(await store.workers.revoke("unknown", later)).toBeUndefined();
  });

  test("two enrolments at once of one name give one worker", async () => {
    const outcomes = await Promise.all([enrol("UA", "one"), enrol("UB", "one"), enrol("UA", "two")]);
    expect(outcomes.slice(1)).toEqual(["name-taken", "id-taken"]);
    expect(store.workers.list()).toHaveLength(1);
  });

  test("keeps what it said, across a restart; an unknown one is ignored", async () => {
    await enrol("UA", "one");
    await store.workers.noteSeen("UA", { version: "1.2.3", slots: 4, reach: "private", now: later });
    await Promise.all([store.workers.noteScan("UA"), store.workers.noteScan("UA"), store.workers.setDrained("UA", true)]);
    await store.workers.noteFault("UA", { at: later.toISOString(), text: "wrong sum" });
    expect(await store.workers.noteScan("UX")).toBeUndefined();
    expect(await store.workers.setDrained("UX", true)).toBeUndefined();
    await reopen();
    expect(store.workers.list()).toMatchObject([
      {
        version: "1.2.3",
        slots: 4,
        reach: "private",
        lastSeenAt: later.toISOString(),
        scansDone: 2,
        drained: true,
        lastFault: { at: later.toISOString(), text: "wrong sum" },
      },
    ]);
  });

  test("lists are sorted by location and name, and locations are those in use", async () => {
    await enrol("UA", "two", "tokyo");
    await enrol("UB", "one", "tokyo");
    await enrol("UC", "three", "berlin");
    await enrol("UD", "four", "aachen");
    await store.workers.revoke("four", later);
    expect(store.workers.list().map(({ name }) => name)).toEqual(["four", "three", "one", "two"]);
    expect(store.workers.locations()).toEqual(["berlin", "tokyo"]);
  });
});

describe("the identity of a store", () => {
  test("is random, and stays", async () => {
    const first = store.instance();
    expect(first).toMatch(/^[0-9A-Za-z]{22}$/);
    expect((await reopen()).instance()).toBe(first);
    expect((await reopen({ readOnly: true })).instance()).toBe(first);
    const other = temporaryStore();
    expect(other.store.instance()).not.toBe(first);
    await other.stop();
  });

  test("is made anew where it is lost, at the next start of a server", async () => {
    const before = store.instance();
    await store.close();
    const root = open({ path: join(dataDir, "store"), maxDbs: 64 });
    await root.openDB<string, string>({ name: "instance", encoding: "string" }).put("id", "(");
    await root.close();
    store = openStore(dataDir, { readOnly: true });
    expect(store.instance()).toBe("");
    const made = (await reopen()).instance();
    expect(made).toMatch(/^[0-9A-Za-z]{22}$/);
    expect(made).not.toBe(before);
    expect((await reopen()).instance()).toBe(made);
  });
});
