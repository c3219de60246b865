/** The audit log: which changes it notes and who made them, its order and filters, its bounds, and the settings of a start. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSignInRefusals } from "../../../src/accounts/account-actions.ts";
import { type Actor, type AuditEntry, accountActor, auditRowsMax, putAudit, serverActor } from "../../../src/store/audit.ts";
import { type Db, openDatabase } from "../../../src/store/database.ts";
import { hashOfSecret } from "../../../src/store/secret-value.ts";
import type { Site } from "../../../src/store/sites.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { addSite } from "../../support/watched-sites.ts";

const now = new Date("2026-11-20T12:00:00Z");
const cli: Actor = { kind: "cli", user: "ops" };
const origin = { userAgent: "", address: "192.0.2.0" };
const workerId = `U${"A".repeat(55)}`;
const all = { limit: 100, cursor: null, readMax: 1_000 };

let dataDir: string;
let store: Store;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-audit-"));
  store = openStore(dataDir, { noSync: true });
});
afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
});

const entries = () => [...store.audit.since(new Date(0))];
const line = ({ actor, action, subject }: AuditEntry) =>
  [...Object.values(actor), action, ...(subject === null ? [] : [subject.kind, subject.id])].join(" ");

async function twoAccounts(): Promise<void> {
  await store.accounts.create({ email: "me@assay.test", now });
  await store.accounts.create({ email: "you@assay.test", now, by: cli });
}

async function withDb<T>(action: (db: Db) => T): Promise<T> {
  const db = openDatabase(dataDir, { readOnly: false, noSync: true });
  const value = await db.write(() => action(db));
  await db.close();
  return value;
}

describe("changes", () => {
  test("of accounts and credentials name who made them", async () => {
    await twoAccounts();
    await store.accounts.setPlan(2, "agency", accountActor({ id: 1 }));
    await store.accounts.setDisabled(2, true, accountActor({ id: 1 }));
    await store.accounts.setDisabled(2, false, cli);
    await store.accounts.setEmail(2, "they@assay.test", "self");
    await store.credentials.change(2, { passwordHash: "x" }, { reopen: { origin, now }, by: "self" });
    const totp = { secret: "A", confirmedAt: now.toISOString(), lastUsedStep: null };
    await store.credentials.change(2, { totp, recoveryCodeHashes: [hashOfSecret("one")] }, { reopen: null, by: "self" });
    await store.credentials.useRecoveryCode(2, "one");
    await store.credentials.change(2, { recoveryCodeHashes: [] }, { reopen: null, by: "self" });
    await store.credentials.change(2, { totp: null, recoveryCodeHashes: [] }, { reopen: null, by: cli });
    expect(entries().map(line)).toEqual([
      "server account.created account 1",
      "cli ops account.created account 2",
      "account 1 plan.changed account 2",
      "account 1 account.disabled account 2",
      "cli ops account.enabled account 2",
      "account 2 account.renamed account 2",
      "account 2 password.changed account 2",
      "account 2 second-factor.enabled account 2",
      "account 2 recovery-code.used account 2",
      "account 2 recovery-codes.renewed account 2",
      "cli ops second-factor.removed account 2",
    ]);
    expect(entries()[2]?.details).toEqual({ from: "free", to: "agency" });
    expect(entries().map(({ id }) => id)).toEqual(entries().map((_entry, at) => at + 1));
    expect(JSON.stringify(entries())).not.toContain("@assay.test");
  });

  test("by links, and of tokens and workers, are noted once each", async () => {
    const link = await store.oneTimeLinks.create({ kind: "setup" }, now);
    const value = typeof link === "string" ? "" : link.value;
    await store.redemptions.signUp("setup", value, { email: "me@assay.test", passwordHash: "x", now });
    const reset = await store.oneTimeLinks.create({ kind: "reset", accountId: 1 }, now, cli);
    await store.redemptions.resetPassword(typeof reset === "string" ? "" : reset.value, "y", now);
    const { token } = await store.apiTokens.create({ accountId: 1, name: "ci of Anna", now, by: "self" });
    for (let twice = 0; twice < 2; twice++) {
      await store.apiTokens.revoke(1, token.id, now, cli);
      if (twice === 0) await store.workers.enrol({ id: workerId, name: "berlin-1", location: "berlin", now, by: cli });
      await store.workers.setDrained(workerId, true, cli);
    }
    await store.workers.setDrained(workerId, false, cli);
    for (let twice = 0; twice < 2; twice++) await store.workers.revoke("berlin-1", now, accountActor({ id: 1 }));
    expect(entries().map(line)).toEqual([
      "server link.created",
      "account 1 account.created account 1",
      "cli ops link.created account 1",
      "account 1 password.changed account 1",
      "account 1 token.created token 1",
      "cli ops token.revoked token 1",
      "cli ops worker.enrolled worker berlin-1",
      "cli ops worker.drained worker berlin-1",
      "cli ops worker.resumed worker berlin-1",
      "account 1 worker.revoked worker berlin-1",
    ]);
    expect(entries()[1]?.details).toEqual({ plan: "agency", admin: true, via: "setup" });
    expect(entries()[4]?.details).toEqual({ account: 1, expires: null });
    expect(JSON.stringify(entries())).not.toContain("Anna");
  });

  test("of members and channels name no address and no secret", async () => {
    await twoAccounts();
    const invited = await store.members.invite({ ownerId: 1, email: "you@assay.test", role: "viewer" }, now);
    await store.members.accept(typeof invited === "string" ? "" : invited.value, 2, now);
    await store.members.setRole(1, 2, "editor");
    await store.members.setRole(1, 2, "editor");
    for (let twice = 0; twice < 2; twice++) await store.members.remove(1, 2, 2);
    const given = {
      accountId: 1,
      kind: "webhook",
      name: "Chat",
      target: "https://chat.test/key",
      secrets: ["old"],
      verified: true,
    } as const;
    const channel = await store.channels.add({ ...given, now });
    const id = channel === "full" ? 0 : channel.id;
    await store.channels.change(1, id, () => ({ name: "Talk" }));
    await store.channels.change(1, id, () => ({ target: "https://chat.test/other" }));
    await store.channels.rotateSecret(1, id, "new");
    for (let twice = 0; twice < 2; twice++) await store.channels.remove(1, id);
    expect(entries().slice(2).map(line)).toEqual([
      "account 1 member.invited account 1",
      "account 2 member.joined account 1",
      "account 1 member.role-changed account 1",
      "account 2 member.removed account 1",
      "account 1 channel.created account 1",
      "account 1 channel.changed account 1",
      "account 1 channel.changed account 1",
      "account 1 channel.removed account 1",
    ]);
    expect(entries()[4]?.details).toEqual({ member: 2, from: "viewer", to: "editor" });
    expect(entries().at(-1)?.details).toEqual({ channel: id, kind: "webhook" });
    expect(JSON.stringify(entries())).not.toMatch(/assay\.test|chat\.test|old|new|Talk/);
  });

  test("that remove sites are one entry each, which names them", async () => {
    await store.accounts.create({ email: "me@assay.test", now });
    const [first, second, third] = await Promise.all(
      ["a", "b", "c"].map((name) => addSite(store, { accountId: 1, url: `https://${name}.example/`, now })),
    );
    const remove = (...sites: readonly (Site | undefined)[]) =>
      store.sites.remove(
        1,
        sites.map((site) => site?.id ?? 0),
        1,
      );
    expect(await remove(first)).toEqual([first?.id]);
    expect(await remove(first)).toEqual([]);
    expect(await remove(first, second, third)).toEqual([second?.id, third?.id]);
    const noted = entries().filter(({ action }) => action === "site.removed");
    expect(noted.map(({ details }) => details)).toEqual([{ sites: String(first?.id) }, { sites: `${second?.id} ${third?.id}` }]);
  });

  test("that are refused, or change nothing, leave no entry", async () => {
    await twoAccounts();
    const before = entries().length;
    await store.accounts.create({ email: "me@assay.test", now });
    await store.accounts.setPlan(2, "free", cli);
    await store.accounts.setPlan(9, "agency", cli);
    await store.accounts.setDisabled(2, false, cli);
    await store.accounts.setEmail(2, "me@assay.test", "self");
    await store.credentials.change(9, { passwordHash: "x" }, { reopen: null, by: cli });
    await store.credentials.useRecoveryCode(2, "none");
    await store.workers.revoke("nobody", now, cli);
    expect(entries()).toHaveLength(before);
  });

  test("are rolled back with their entry", async () => {
    await store.close();
    const db = openDatabase(dataDir, { readOnly: false, noSync: true });
    const failed = db.write(() => {
      putAudit(db, { actor: cli, action: "checks.reloaded", subject: null, now });
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    await db.close();
    store = openStore(dataDir, { noSync: true });
    expect(entries()).toEqual([]);
  });
});

describe("the list", () => {
  test("is newest first, filtered and paged, and reads a bounded number of entries for a page", async () => {
    for (let at = 0; at < 6; at++)
      await store.audit.note({ actor: at % 3 === 0 ? cli : serverActor, action: "checks.reloaded", subject: null, now });
    await store.audit.note({ actor: accountActor({ id: 7 }), action: "setting.changed", subject: null, now });
    const ids = (query: object) => {
      const { items, nextCursor } = store.audit.list({ ...all, ...query });
      return [items.map(({ id }) => id), nextCursor];
    };
    expect(ids({ limit: 3 })).toEqual([[7, 6, 5], 5]);
    expect(ids({ limit: 3, cursor: 5 })).toEqual([[4, 3, 2], 2]);
    expect(ids({ actor: { kind: "cli" } })).toEqual([[4, 1], null]);
    expect(ids({ actor: { kind: "account", id: 7 } })).toEqual([[7], null]);
    expect(ids({ actor: { kind: "account", id: 8 } })).toEqual([[], null]);
    expect(ids({ action: "setting.changed" })).toEqual([[7], null]);
    expect(ids({ actor: { kind: "cli" }, readMax: 2 })).toEqual([[], 6]);
    expect(ids({ actor: { kind: "cli" }, readMax: 2, cursor: 6 })).toEqual([[4], 4]);
    expect(ids({ readMax: 7 })).toEqual([[7, 6, 5, 4, 3, 2, 1], null]);
  });

  test("begins at an instant, oldest first", async () => {
    for (const hour of [1, 2, 3])
      await store.audit.note({ actor: cli, action: "checks.reloaded", subject: null, now: new Date(`2026-11-20T0${hour}:00:00Z`) });
    expect([...store.audit.since(new Date("2026-11-20T02:00:00Z"))].map(({ id }) => id)).toEqual([2, 3]);
  });
});

describe("the log is bounded", () => {
  test("by age, in steps", async () => {
    await store.close();
    const old = new Date(now.getTime() - 10 * 86_400_000);
    await withDb((db) => {
      for (let at = 0; at < 250; at++) putAudit(db, { actor: cli, action: "checks.reloaded", subject: null, now: old });
      putAudit(db, { actor: cli, action: "checks.reloaded", subject: null, now });
    });
    store = openStore(dataDir, { noSync: true });
    expect(await store.audit.removeOlder(11, now)).toBe(false);
    expect(entries()).toHaveLength(251);
    expect(await store.audit.removeOlder(9, now)).toBe(true);
    expect(await store.audit.removeOlder(9, now)).toBe(false);
    expect(entries().map(({ id }) => id)).toEqual([251]);
  });

  test("by number: the oldest goes for the newest", async () => {
    await store.close();
    const ids = await withDb((db) => {
      putAudit(db, { actor: cli, action: "checks.reloaded", subject: null, now });
      db.meta.put("nextAuditId", auditRowsMax);
      putAudit(db, { actor: cli, action: "checks.reloaded", subject: null, now });
      return [...db.audit.getKeys()];
    });
    expect(ids).toEqual([auditRowsMax + 1]);
    store = openStore(dataDir, { noSync: true });
  });

  test("and cuts long texts", async () => {
    await store.audit.note({ actor: cli, action: "setting.changed", subject: null, details: { to: "x".repeat(5_000) }, now });
    expect(String(entries()[0]?.details.to)).toHaveLength(500);
  });
});

describe("settings of a start", () => {
  const setting = (value: string | null, key = "scan.timeout", isDefault = false) => ({ key, value, isDefault, isPersonal: false });

  test("are noted where they differ from the last start", async () => {
    await store.audit.noteSettings([setting("60"), setting(null, "public_url", true)], now);
    await store.audit.noteSettings([setting("60"), setting(null, "public_url", true)], now);
    expect(entries()).toEqual([]);
    await store.audit.noteSettings([setting("30"), setting(null, "public_url", true), setting("x", "new.default", true)], now);
    await store.audit.noteSettings([setting("30"), setting("https://a.test", "public_url"), setting("1", "new.set")], now);
    expect(entries().map((entry) => [line(entry), entry.details])).toEqual([
      ["server setting.changed setting scan.timeout", { from: "60", to: "30" }],
      ["server setting.changed setting public_url", { from: null, to: "https://a.test" }],
      ["server setting.changed setting new.set", { from: null, to: "1" }],
    ]);
  });

  test("that name a person are noted without their value", async () => {
    const mail = (value: string | null) => ({ key: "admin.email", value, isDefault: false, isPersonal: true });
    await store.audit.noteSettings([mail("a@assay.test")], now);
    await store.audit.noteSettings([mail("b@assay.test")], now);
    expect(entries()).toMatchObject([{ subject: { id: "admin.email" }, details: {} }]);
    await store.close();
    const held = await withDb((db) => JSON.stringify(db.settingsAtStart.get("admin.email")));
    expect(held).not.toContain("assay.test");
    store = openStore(dataDir, { noSync: true });
  });
});

test("refused sign-ins are noted once an hour: of a known password, and of administrators", async () => {
  await twoAccounts();
  const before = entries().length;
  let at = now;
  const { noteRefusal } = createSignInRefusals({ store, now: () => at });
  const refuse = (because: string, accountId: number | null) => noteRefusal({ because, accountId, address: "192.0.2.0" });
  for (const because of ["unknown", "password", "code"]) await refuse(because, null);
  for (const because of ["password", "code", "disabled", "code"]) await refuse(because, 2);
  for (const because of ["password", "password"]) await refuse(because, 1);
  at = new Date(now.getTime() + 3_600_000);
  await refuse("password", 1);
  const noted = entries().slice(before);
  expect(noted.map((entry) => `${line(entry)} ${entry.details.because}`)).toEqual([
    "visitor sign-in.refused account 2 code",
    "visitor sign-in.refused account 2 disabled",
    "visitor sign-in.refused account 1 password",
    "visitor sign-in.refused account 1 password",
  ]);
});

test("a store of schema 6 gains an empty log", async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
  const root = open({ path: join(dataDir, "store"), maxDbs: 64 });
  await root.openDB<number, string>({ name: "meta" }).put("schemaVersion", 6);
  await root.close();
  expect(() => openStore(dataDir, { readOnly: true })).toThrow("(schema 6, this one reads");
  store = openStore(dataDir, { noSync: true });
  expect(entries()).toEqual([]);
  await store.audit.note({ actor: cli, action: "checks.reloaded", subject: null, now });
  expect(entries()).toHaveLength(1);
});
