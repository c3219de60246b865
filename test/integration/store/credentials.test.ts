/** Credentials in the store: apart from accounts, changed atomically, each code accepted once. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { hashOfSecret } from "../../../src/store/secret-value.ts";
import type { Store } from "../../../src/store/store.ts";
import { type TemporaryStore, temporaryStore } from "../../support/temporary-store.ts";

const now = new Date("2026-11-21T12:00:00Z");
const origin = { userAgent: "Firefox", address: "192.0.2.0" };

let temporary: TemporaryStore;
let store: Store;

beforeEach(async () => {
  temporary = temporaryStore();
  store = temporary.store;
  await store.accounts.create({ email: "me@site.example", passwordHash: "first", now });
});
afterEach(() => temporary.stop());

test("are in no list of accounts", () => {
  expect(JSON.stringify([store.accounts.list(), store.accounts.findById(1), store.accounts.findByEmail("me@site.example")])).not.toContain(
    "first",
  );
  expect(store.credentials.get(1)).toEqual({ passwordHash: "first", totp: null, recoveryCodeHashes: [] });
  expect(store.credentials.get(9)).toEqual({ passwordHash: null, totp: null, recoveryCodeHashes: [] });
});

test("a change ends every session and opens a new one", async () => {
  const before = await store.sessions.open({ accountId: 1, verifiedPasswordHash: "first", origin, now });
  const changed = await store.credentials.change(
    1,
    { passwordHash: "second" },
    { verified: { passwordHash: "first" }, reopen: { origin, now } },
  );
  expect(store.sessions.findByValue(before?.value ?? "", now)).toBeUndefined();
  expect(store.sessions.listOfAccount(1, now).map(({ id }) => id)).toEqual([changed?.opened?.session.id ?? 0]);
  expect(store.credentials.get(1).passwordHash).toBe("second");
});

test("one of two changes with the same verified password wins", async () => {
  const change = (passwordHash: string) =>
    store.credentials.change(1, { passwordHash }, { verified: { passwordHash: "first" }, reopen: { origin, now } });
  const [one, other] = await Promise.all([change("second"), change("third")]);
  expect([one === undefined, other === undefined]).toEqual([false, true]);
  expect(store.credentials.get(1).passwordHash).toBe("second");
  expect(await store.credentials.change(9, {}, { reopen: null })).toBeUndefined();
});

test("an account disabled during a change gets no new session", async () => {
  await store.accounts.setDisabled(1, true);
  const change = { passwordHash: "second" };
  expect(await store.credentials.change(1, change, { verified: { passwordHash: "first" }, reopen: { origin, now } })).toBeUndefined();
  expect([store.credentials.get(1).passwordHash, store.sessions.listOfAccount(1, now)]).toEqual(["first", []]);
  // The operator may.
  expect(await store.credentials.change(1, change, { reopen: null })).toEqual({ opened: null });
});

test("a TOTP step works once, and no earlier step afterwards", async () => {
  await store.credentials.offerTotp(1, "SECRET");
  expect(await Promise.all([store.credentials.useTotpStep(1, 100), store.credentials.useTotpStep(1, 100)])).toEqual([true, false]);
  expect(await store.credentials.useTotpStep(1, 99)).toBe(false);
  expect(await store.credentials.useTotpStep(1, 101)).toBe(true);
  expect(await store.credentials.useTotpStep(9, 1)).toBe(false);
});

test("an active secret cannot be replaced", async () => {
  expect(await store.credentials.offerTotp(1, "ONE")).toBe(true);
  expect(await store.credentials.offerTotp(1, "TWO")).toBe(true);
  const totp = { secret: "TWO", confirmedAt: now.toISOString(), lastUsedStep: 7 };
  await store.credentials.change(1, { totp }, { reopen: null });
  expect(await store.credentials.offerTotp(1, "THREE")).toBe(false);
  expect(store.credentials.get(1).totp).toEqual(totp);
});

test("a recovery code works once and is stored as a hash", async () => {
  const codes = ["A".repeat(16), "B".repeat(16)];
  await store.credentials.change(1, { recoveryCodeHashes: codes.map(hashOfSecret) }, { reopen: null });
  expect(await Promise.all(codes.map(() => store.credentials.useRecoveryCode(1, codes[0] ?? "")))).toEqual([true, false]);
  expect(await store.credentials.useRecoveryCode(1, "C".repeat(16))).toBe(false);
  expect(store.credentials.get(1).recoveryCodeHashes).toEqual([hashOfSecret(codes[1] ?? "")]);
  expect(JSON.stringify(store.credentials.get(1))).not.toContain(codes[1] ?? "");
});
