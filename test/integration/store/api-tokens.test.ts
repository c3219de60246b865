/** API tokens on a real LMDB. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hashOfSecret } from "../../../src/store/secret-value.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { loseRow } from "./damaged-store.ts";

const now = new Date("2026-11-21T12:00:00.000Z");
const later = new Date("2026-11-21T12:00:05.000Z");

let dataDir: string;
let store: Store;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-store-"));
  store = openStore(dataDir, { noSync: true, queueMax: 5 });
});

afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
});

describe("API tokens", () => {
  test("are found only by their value, which is not stored", async () => {
    const { token, value } = await store.apiTokens.create({ accountId: 1, name: " CI ", now });
    expect(value).toMatch(/^assay_[0-9A-Za-z]{38}$/);
    expect(token).toEqual({
      id: 1,
      accountId: 1,
      name: "CI",
      shown: value.slice(0, 10),
      createdAt: now.toISOString(),
      revokedAt: null,
      expiresAt: null,
      lastUsedAt: null,
    });
    expect(store.apiTokens.findByValue(value)).toEqual(token);
    await store.close();
    const bytes = await Bun.file(join(dataDir, "store", "data.mdb")).bytes();
    expect(Buffer.from(bytes).includes(value.slice(10))).toBe(false);
    store = openStore(dataDir, { noSync: true });
    expect(store.apiTokens.findByValue(value)).toEqual(token);
  });

  test("any other value is unknown", async () => {
    const { value } = await store.apiTokens.create({ accountId: 1, name: "CI", now });
    const other = value.slice(0, 20) + (value[20] === "a" ? "b" : "a") + value.slice(21);
    for (const wrong of ["", "assay_", value.slice(0, -1), `${value}0`, other, value.toUpperCase(), "x".repeat(100_000)])
      expect(store.apiTokens.findByValue(wrong)).toBeUndefined();
  });

  test("are revoked for good, only by their own account", async () => {
    const { token, value } = await store.apiTokens.create({ accountId: 1, name: "CI", now });
    await store.apiTokens.create({ accountId: 2, name: "other", now });
    expect(await store.apiTokens.revoke(2, token.id, now)).toBeUndefined();
    await store.apiTokens.revoke(1, token.id, now);
    await store.apiTokens.revoke(1, token.id, later);
    expect(store.apiTokens.findByValue(value)?.revokedAt).toBe(now.toISOString());
    expect(store.apiTokens.listOfAccount(1).map(({ name }) => name)).toEqual(["CI"]);
  });

  test("revoked and expired ones are removed after a month or beyond a hundred", async () => {
    const day = (days: number) => new Date(now.getTime() + days * 86_400_000);
    const make = (name: string, at: Date, expiresAt: Date | null = null) =>
      store.apiTokens.create({ accountId: 1, name, expiresAt, now: at });
    const names = () => store.apiTokens.listOfAccount(1).map(({ name }) => name);
    const alive = await make("alive", now);
    const revoked = await make("revoked", now);
    await make("expired", now, day(1));
    await make("expires later", now, day(40));
    await store.apiTokens.create({ accountId: 2, name: "neighbour", expiresAt: day(1), now });
    await store.apiTokens.revoke(1, revoked.token.id, day(2));
    await make("after 31 days", day(31.5));
    expect(names()).toEqual(["alive", "revoked", "expires later", "after 31 days"]);
    await make("after 33 days", day(33));
    expect(names()).toEqual(["alive", "expires later", "after 31 days", "after 33 days"]);
    expect(store.apiTokens.findByValue(revoked.value)).toBeUndefined();
    expect(store.apiTokens.findByValue(alive.value)?.name).toBe("alive");
    for (let count = 0; count < 130; count++) {
      const { token } = await make(`churn ${count}`, day(34));
      await store.apiTokens.revoke(1, token.id, day(34));
    }
    expect(names().filter((name) => name.startsWith("churn"))).toHaveLength(100);
    expect(store.apiTokens.listOfAccount(2)).toHaveLength(1);
  });

  test("that are lost do not keep their account from another one", async () => {
    const { value } = await store.apiTokens.create({ accountId: 1, name: "lost", now });
    await loseRow(dataDir, "apiTokens", hashOfSecret(value));
    await store.apiTokens.create({ accountId: 1, name: "next", now });
    expect(store.apiTokens.listOfAccount(1).map(({ name }) => name)).toEqual(["next"]);
  });

  test("record their last use to the hour", async () => {
    const { token, value } = await store.apiTokens.create({ accountId: 1, name: "CI", now });
    await store.apiTokens.recordUse(token, new Date("2026-11-21T13:59:59.000Z"));
    expect(store.apiTokens.findByValue(value)?.lastUsedAt).toBe("2026-11-21T13:00:00.000Z");
  });
});
