/** Sessions in the store: lookup by value, bounds in time and number, immediate end. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dayMs } from "../../../src/base/units.ts";
import type { OpenedSession } from "../../../src/store/sessions.ts";
import { openStore, type Store } from "../../../src/store/store.ts";

const start = Date.parse("2026-11-21T12:34:56Z");
const origin = { userAgent: "Firefox", address: "192.0.2.0" };

let dataDir: string;
let store: Store;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-sessions-"));
  store = openStore(dataDir, { noSync: true });
  for (const email of ["one@site.example", "two@site.example"]) await store.accounts.create({ email, passwordHash: email, now: at(0) });
});
afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
});

function at(days: number): Date {
  return new Date(start + days * dayMs);
}

async function opened(accountId = 1, days = 0): Promise<OpenedSession> {
  const verifiedPasswordHash = accountId === 1 ? "one@site.example" : "two@site.example";
  const session = await store.sessions.open({ accountId, verifiedPasswordHash, origin, now: at(days) });
  if (session === undefined) throw new Error("no session");
  return session;
}

test("is found only by its value, which is not stored", async () => {
  const { session, value } = await opened();
  expect(value).toMatch(/^[0-9A-Za-z]{43}$/);
  expect(session).toEqual({
    id: 1,
    accountId: 1,
    ...origin,
    createdAt: "2026-11-21T12:34:56.000Z",
    lastSeenAt: "2026-11-21T12:00:00.000Z",
    expiresAt: "2027-02-19T12:34:56.000Z",
  });
  expect(store.sessions.findByValue(value, at(0))).toEqual(session);
  await store.close();
  const bytes = Buffer.from(await Bun.file(join(dataDir, "store", "data.mdb")).bytes());
  expect(bytes.includes(value)).toBe(false);
  store = openStore(dataDir, { noSync: true });
  expect(store.sessions.findByValue(value, at(0))).toEqual(session);
});

test("any other value is unknown", async () => {
  const { value } = await opened();
  const flipped = value.slice(0, -1) + (value.endsWith("a") ? "b" : "a");
  for (const wrong of ["", flipped, value.toLowerCase(), `${value}0`, ` ${value}`, "\0", "x".repeat(100_000)])
    expect(store.sessions.findByValue(wrong, at(0))).toBeUndefined();
});

describe("ends", () => {
  test("after thirty days without use", async () => {
    const { value } = await opened();
    expect(store.sessions.findByValue(value, at(29.9))).toBeDefined();
    expect(store.sessions.findByValue(value, at(30))).toBeUndefined();
  });

  test("after ninety days despite use", async () => {
    const { value } = await opened();
    for (let day = 10; day < 90; day += 10) {
      const session = store.sessions.findByValue(value, at(day));
      if (session === undefined) throw new Error(`ended on day ${day}`);
      await store.sessions.recordUse(session, at(day));
    }
    expect(store.sessions.findByValue(value, at(89.9))).toBeDefined();
    expect(store.sessions.findByValue(value, at(90))).toBeUndefined();
    expect(store.sessions.listOfAccount(1, at(90))).toEqual([]);
  });

  test("only by its own account", async () => {
    const [mine, other] = [await opened(1), await opened(2)];
    expect(await store.sessions.end(2, mine.session.id)).toBe(false);
    expect(store.sessions.findByValue(mine.value, at(0))).toBeDefined();
    expect(await store.sessions.end(1, mine.session.id)).toBe(true);
    expect(await store.sessions.end(1, mine.session.id)).toBe(false);
    expect(store.sessions.findByValue(mine.value, at(0))).toBeUndefined();
    expect(store.sessions.findByValue(other.value, at(0))).toBeDefined();
  });

  test("together with all others except one", async () => {
    const [first, kept, last, ofOther] = [await opened(), await opened(), await opened(), await opened(2)];
    await store.sessions.endOthers(1, kept.session.id);
    expect([first, kept, last, ofOther].map(({ value }) => store.sessions.findByValue(value, at(0)) !== undefined)).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  test("when its account is disabled, for good", async () => {
    const { value } = await opened();
    await store.accounts.setDisabled(1, true);
    expect(store.sessions.findByValue(value, at(0))).toBeUndefined();
    await store.accounts.setDisabled(1, false);
    expect(store.sessions.findByValue(value, at(0))).toBeUndefined();
  });
});

describe("is not opened", () => {
  test.each([
    ["for an unknown account", 9, "x"],
    ["for a password that changed during the comparison", 1, "an older hash"],
    ["for a password that was removed", 1, null],
  ])("%s", async (_words, accountId, verifiedPasswordHash) => {
    expect(await store.sessions.open({ accountId, verifiedPasswordHash, origin, now: at(0) })).toBeUndefined();
  });

  test("for a disabled account", async () => {
    await store.accounts.setDisabled(1, true);
    expect(await store.sessions.open({ accountId: 1, verifiedPasswordHash: "one@site.example", origin, now: at(0) })).toBeUndefined();
  });
});

test("use is recorded to the hour, and does not revive an ended session", async () => {
  const { session, value } = await opened();
  await store.sessions.recordUse(session, new Date("2026-11-21T15:59:59Z"));
  expect(store.sessions.findByValue(value, at(0.2))?.lastSeenAt).toBe("2026-11-21T15:00:00.000Z");
  await store.sessions.end(1, session.id);
  await store.sessions.recordUse(session, at(1));
  expect(store.sessions.listOfAccount(1, at(1))).toEqual([]);
});

test("an account has at most fifty; the oldest of its own ends", async () => {
  const ofOther = await opened(2);
  const all: OpenedSession[] = [];
  for (let count = 0; count < 52; count++) all.push(await opened());
  expect(store.sessions.listOfAccount(1, at(0)).map(({ id }) => id)).toEqual(all.slice(2).map(({ session }) => session.id));
  expect(store.sessions.findByValue(ofOther.value, at(0))).toBeDefined();
});

test("ended ones leave the store when the account opens another; open ones and those of others stay", async () => {
  const ofOther = await opened(2);
  const [unused, used] = [await opened(), await opened()];
  await store.sessions.recordUse(used.session, at(20));
  const last = await opened(1, 31);
  const idsOf = (accountId: number) => store.sessions.listOfAccount(accountId, at(0)).map(({ id }) => id);
  // At that time the first one was open: only its removal takes it out of the list.
  expect(idsOf(1)).toEqual([used.session.id, last.session.id]);
  expect(store.sessions.findByValue(unused.value, at(0))).toBeUndefined();
  expect(idsOf(2)).toEqual([ofOther.session.id]);
});

test("ended ones do not count towards the fifty", async () => {
  for (let count = 0; count < 49; count++) await opened();
  const kept = await opened(1, 25);
  for (let count = 0; count < 49; count++) await opened(1, 31);
  expect(store.sessions.findByValue(kept.value, at(31))).toBeDefined();
});

test("User-Agent and address are cut to their bounds", async () => {
  const given = { userAgent: "u".repeat(10_000), address: "a".repeat(1_000) };
  const session = await store.sessions.open({ accountId: 1, verifiedPasswordHash: "one@site.example", origin: given, now: at(0) });
  expect([session?.session.userAgent.length, session?.session.address.length]).toEqual([200, 45]);
});
