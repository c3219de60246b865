/** Links between accounts and identities: one each, found by identity alone, and rebuilt from the credentials. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { identityKey } from "../../../src/store/credentials.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { compareDerivedTables } from "../../../src/store/derived-tables.ts";
import type { Grants } from "../../../src/store/oidc-links.ts";
import type { Store } from "../../../src/store/store.ts";
import { type TemporaryStore, temporaryStore } from "../../support/temporary-store.ts";

const now = new Date("2026-11-21T12:00:00Z");
const nothing: Grants = { plan: null, admin: false };
const signIn = (subject: string, grants = nothing) =>
  ({ identity: { issuer: "https://id.example", subject }, grants, defaultPlan: "free", now }) as const;

let temporary: TemporaryStore;
let store: Store;

beforeEach(async () => {
  temporary = temporaryStore();
  store = temporary.store;
  await store.accounts.create({ email: "first@site.example", passwordHash: "first", now });
  await store.accounts.create({ email: "second@site.example", now });
});
afterEach(() => temporary.stop());

describe("an identity", () => {
  test("is linked to one account, also if two ask at once", async () => {
    const both = await Promise.all([
      store.oidcLinks.attach(1, "first", signIn("one")),
      store.oidcLinks.attach(2, null, signIn("one")),
      store.oidcLinks.attach(1, "first", signIn("another")),
    ]);
    expect(both.map((outcome) => (typeof outcome === "string" ? outcome : outcome.id))).toEqual([1, "taken", "taken"]);
    expect(store.oidcLinks.findAccount(signIn("one").identity)?.id).toBe(1);
    expect(store.oidcLinks.findAccount({ issuer: "https://other.example", subject: "one" })).toBeUndefined();
  });

  test("is not linked after the password was changed, or the account disabled", async () => {
    expect(await store.oidcLinks.attach(1, "former", signIn("one"))).toBe("taken");
    await store.accounts.setDisabled(1, true);
    expect(await store.oidcLinks.attach(1, "first", signIn("one"))).toBe("taken");
    expect(await store.oidcLinks.attach(9, null, signIn("one"))).toBe("taken");
    expect(store.oidcLinks.ofAccount(1)).toBeNull();
  });

  test("is free again once its link is removed, and another change keeps it", async () => {
    await store.oidcLinks.attach(1, "first", signIn("one"));
    await store.credentials.change(1, { passwordHash: "second" }, { reopen: null });
    expect(store.oidcLinks.findAccount(signIn("one").identity)?.id).toBe(1);
    await store.credentials.change(1, { oidc: null }, { reopen: null });
    const noted = [...store.audit.since(new Date(0))].map(({ action }) => action);
    expect(noted.slice(-2)).toEqual(["password.changed", "identity.unlinked"]);
    expect(store.oidcLinks.findAccount(signIn("one").identity)).toBeUndefined();
    expect(await store.oidcLinks.attach(2, null, signIn("one"))).toMatchObject({ id: 2 });
    expect(await store.oidcLinks.refresh(signIn("unknown"))).toBeUndefined();
  });

  test("never creates the first account, and none twice", async () => {
    const empty = temporaryStore();
    expect(await empty.store.oidcLinks.create("me@site.example", signIn("one"))).toBe("not-first");
    await empty.stop();
    expect(await store.oidcLinks.create("third@site.example", signIn("three"))).toMatchObject({ admin: false, plan: "free" });
    expect(await store.oidcLinks.create("fourth@site.example", signIn("three"))).toBe("taken");
    expect(await store.oidcLinks.create("SECOND@site.example", signIn("four"))).toBe("email-taken");
    expect(await store.oidcLinks.create("no address", signIn("four"))).toBe("email-invalid");
    expect(store.accounts.list()).toHaveLength(3);
  });
});

describe("what groups give", () => {
  const rights = () => {
    const { plan, admin } = store.accounts.findById(2) ?? {};
    return [plan, admin];
  };

  test("goes with the group, and what an operator gave stays", async () => {
    await store.oidcLinks.attach(2, null, signIn("two", { plan: "agency", admin: true }));
    expect(rights()).toEqual(["agency", true]);
    await store.oidcLinks.refresh(signIn("two"));
    expect(rights()).toEqual(["free", false]);
    await store.accounts.setPlan(2, "agency");
    await store.oidcLinks.refresh(signIn("two"));
    expect(rights()).toEqual(["agency", false]);
  });

  test("does not outlive the link: the role goes with it, and comes from the group again", async () => {
    await store.oidcLinks.attach(2, null, signIn("two", { plan: "agency", admin: true }));
    await store.credentials.change(2, { oidc: null }, { reopen: null });
    expect(rights()).toEqual(["agency", false]);
    await store.oidcLinks.attach(2, null, signIn("two", { plan: null, admin: true }));
    await store.oidcLinks.refresh(signIn("two"));
    expect(rights()).toEqual(["agency", false]);
  });

  test("leaves a plan alone that an operator has set since", async () => {
    await store.oidcLinks.attach(2, null, signIn("two", { plan: "agency", admin: false }));
    await store.accounts.setPlan(2, "agency");
    await store.oidcLinks.refresh(signIn("two"));
    expect(rights()).toEqual(["agency", false]);
  });

  test("does not become a right of its own by being given twice", async () => {
    await store.oidcLinks.attach(2, null, signIn("two", { plan: "agency", admin: true }));
    await store.oidcLinks.refresh(signIn("two", { plan: "agency", admin: true }));
    await store.oidcLinks.refresh(signIn("two"));
    expect(rights()).toEqual(["free", false]);
  });
});

test("a lost or stray row of the index is found and repaired", async () => {
  await store.oidcLinks.attach(1, "first", signIn("one"));
  const db = openDatabase(temporary.dataDir, { readOnly: false });
  await db.write(() => {
    db.accountIdsByIdentity.remove(identityKey(signIn("one").identity));
    db.accountIdsByIdentity.put(identityKey(signIn("stray").identity), 2);
  });
  const report = async (repair: boolean) =>
    (await compareDerivedTables(db, { repair })).filter(({ missing, stray }) => missing + stray > 0);
  expect(await report(true)).toEqual([{ table: "accountIdsByIdentity", missing: 1, stray: 1 }]);
  expect(await report(false)).toEqual([]);
  await db.close();
  expect(store.oidcLinks.findAccount(signIn("one").identity)?.id).toBe(1);
});
