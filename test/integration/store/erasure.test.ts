/** Deletion for privacy: no table keeps anything of an account or host, others stay, and a restored store loses it again. */
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { openServerStore } from "../../../src/app/server-store.ts";
import { createLog } from "../../../src/base/log.ts";
import { loadConfig } from "../../../src/settings/config.ts";
import { serverActor } from "../../../src/store/audit.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { addDeletion, deletionsName, readDeletions } from "../../../src/store/deletions-file.ts";
import { compareDerivedTables } from "../../../src/store/derived-tables.ts";
import { lockDataDir } from "../../../src/store/lock.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { pixelJpeg, type SiteName, storeSite } from "../../support/finished-scans.ts";
import { addMovedSite, measure } from "../../support/moved-site.ts";
import { queueProof, storeProof } from "../../support/proof.ts";
import { addSite } from "../../support/watched-sites.ts";
import { loseRow } from "./damaged-store.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-erasure-"));
const email = "Gone.Person@assay.test";
const origin = { userAgent: "a browser of gone", address: "192.0.2.0" };
const now = new Date();
let dataDir: string;
let store: Store;

beforeEach(async () => {
  dataDir = mkdtempSync(join(folder, "data-"));
  store = openStore(dataDir, { noSync: true });
  await store.accounts.create({ email: "stays@assay.test", passwordHash: "x", now });
  await store.accounts.create({ email, passwordHash: "secret hash", plan: "agency", now });
  for (const accountId of [1, 2]) {
    await store.apiTokens.create({ accountId, name: `token of ${accountId}`, now });
    await store.sessions.open({ accountId, verifiedPasswordHash: accountId === 1 ? "x" : "secret hash", origin, now });
    for (const site of ["sound", "bare"] as const) await scanned(site, accountId);
    const idempotency = { key: `key-${accountId}`, fingerprint: "f" };
    await store.scans.queueAll({ accountId, urls: [`https://waits-${accountId}.test/`], idempotency, now });
  }
  await store.scans.queue({ accountId: 2, url: "https://runs.test/", now });
  const identity = { issuer: "https://issuer.test", subject: "subject of gone" };
  const grants = { plan: null, admin: false };
  await store.oidcLinks.attach(2, "secret hash", { identity, grants, defaultPlan: "free", now });
  await store.oneTimeLinks.create({ kind: "reset", accountId: 2 }, now);
});
afterEach(() => store.close());
afterAll(() => rmSync(folder, { recursive: true }));

async function scanned(site: SiteName, accountId: number | null, url?: string): Promise<string> {
  const at = new Date();
  const waiting = await takeAside();
  const scan = await storeSite(store, site, { at, accountId, screenshot: pixelJpeg, ...(url === undefined ? {} : { url }) });
  await waiting();
  return scan.token;
}

/** Empties the queue for `storeSite`, and fills it again. */
async function takeAside(): Promise<() => Promise<void>> {
  const all = store.scans.listQueued(10);
  for (const scan of all) if (scan.accountId !== null) await store.scans.cancel(scan.accountId, scan.token);
  return async () => {
    for (const { accountId, url } of all) await store.scans.queue({ accountId, url, now });
  };
}

async function everyRow(): Promise<string> {
  await store.close();
  const db = openDatabase(dataDir, { readOnly: false, noSync: true });
  const tables = Object.entries(db).filter(([, table]) => typeof (table as { getRange?: unknown }).getRange === "function");
  const rows = tables.flatMap(([name, table]) =>
    [...(table as { getRange(): Iterable<{ key: unknown; value: unknown }> }).getRange()].map(({ key, value }) => [name, key, value]),
  );
  expect(tables.length).toBeGreaterThan(20);
  const derived = await compareDerivedTables(db, { repair: false });
  expect(derived.filter(({ missing, stray }) => missing + stray > 0)).toEqual([]);
  const screenshots = db.screenshots.getKeysCount();
  await db.close();
  store = openStore(dataDir, { noSync: true });
  return `${rows.map((row) => JSON.stringify(row)).join("\n")}\nscreenshots ${screenshots}`;
}

async function deleteAccount(): Promise<number> {
  const account = store.accounts.findByEmail(email);
  if (account === undefined) throw new Error("there is no such account");
  const deletion = store.erasure.accountDeletion(account, new Date());
  addDeletion(dataDir, deletion);
  return store.erasure.carryOut(deletion, { kind: "cli", user: "ops" }, new Date());
}

describe("deletion of an account", () => {
  test("leaves nothing of it in any table, and everything of others", async () => {
    const tokens = store.scans.listOfAccount(2, { limit: 10, cursor: null }).items.map(({ token }) => token);
    expect(tokens).toHaveLength(4);
    expect(await everyRow()).toContain(email);
    expect(await deleteAccount()).toBe(4);
    const rows = await everyRow();
    for (const trace of [email, email.toLowerCase(), "secret hash", "token of 2", "subject of gone", "waits-2", "runs.test", ...tokens])
      expect([trace, rows.includes(trace)]).toEqual([trace, false]);
    expect(rows).toContain("screenshots 2");
    expect(rows).not.toContain('["accountIdsByIdentity"');
    expect(store.scans.listOfAccount(1, { limit: 10, cursor: null }).items).toHaveLength(3);
    expect(store.publicScans.list({ limit: 10, cursor: null }).items).toHaveLength(2);
    expect([store.accounts.list().length, store.apiTokens.listOfAccount(1).length, store.scans.queueLength()]).toEqual([1, 1, 1]);
    expect(store.scans.findByToken(tokens[0] ?? "")).toBeUndefined();
    const entry = [...store.audit.since(new Date(0))].at(-1);
    expect(entry).toMatchObject({
      actor: { kind: "cli" },
      action: "data.deleted",
      subject: { kind: "account", id: 2 },
      details: { scans: 4 },
    });
  });

  test("is carried out for an account whose credentials are lost", async () => {
    await loseRow(dataDir, "credentials", 2);
    expect(await deleteAccount()).toBe(4);
    expect(store.accounts.findByEmail(email)).toBeUndefined();
  });

  test("removes the invitations that others sent to its address", async () => {
    for (const invited of [email.toUpperCase(), "other@assay.test"])
      expect(await store.members.invite({ ownerId: 1, email: invited, role: "viewer" }, now)).toHaveProperty("value");
    await deleteAccount();
    expect(store.members.invitations(1, now).map((one) => one.email)).toEqual(["other@assay.test"]);
    expect((await everyRow()).toLowerCase()).not.toContain(email.toLowerCase());
  });

  test("removes its proofs in every state, with their results", async () => {
    const kept = await storeProof(store, { accountId: 1, url: "https://proven-1.test/" });
    const tokens = [await storeProof(store, { accountId: 2, url: "https://proven-2.test/" })];
    for (const url of ["https://proving-2.test/", "https://unproven-2.test/"]) tokens.push(await queueProof(store, { accountId: 2, url }));
    await store.scans.claimNext("local", now);
    expect(await everyRow()).toContain("proving-2.test");
    await deleteAccount();
    const rows = await everyRow();
    for (const trace of ["proven-2", "proving-2", ...tokens]) expect([trace, rows.includes(trace)]).toEqual([trace, false]);
    expect([store.proofs.find(kept)?.status, store.proofs.result(kept)?.verdict]).toEqual(["finished", "works"]);
    expect(store.scans.queueLength()).toBe(0);
  });

  test("of a scan that runs drops its outcome", async () => {
    for (let at = 0; at < 3; at++) await store.scans.claimNext("local", now);
    const own = store.scans.listRunning().filter(({ accountId }) => accountId === 2);
    expect(own).toHaveLength(2);
    await deleteAccount();
    expect(store.scans.listRunning().map(({ accountId }) => accountId)).toEqual([1]);
    const failed = store.scans.fail(own[0]?.token ?? "", { code: "timeout", evidence: null, timings: {}, now });
    await expect(failed).rejects.toThrow("no scan has the token");
    await store.scans.setProgress(own[1]?.token ?? "", "browsing", 50);
    expect(await everyRow()).not.toContain("runs.test");
  });

  test("leaves no due row of a site whose next run the server moves meanwhile", async () => {
    for (const name of ["a", "b", "c"]) await addSite(store, { accountId: 2, url: `https://${name}.watched.example/`, now });
    const server = openStore(dataDir, { noSync: true });
    const ids = server.sites.list(2).map(({ id }) => id);
    const deletion = deleteAccount();
    for (let moves = 1; server.sites.count(2) > 0; moves++) {
      const nextRunAt = new Date(now.getTime() + moves).toISOString();
      await server.sites.changeAll(2, ids, () => ({ nextRunAt }));
    }
    await deletion;
    await server.close();
    expect(await everyRow()).not.toContain('["sitesDue"');
  });

  test("after all accounts are gone, the next one is the first again: an administrator", async () => {
    for (const account of store.accounts.list())
      await store.erasure.carryOut(store.erasure.accountDeletion(account, now), serverActor, now);
    expect(store.accounts.hasAny()).toBe(false);
    expect(await store.accounts.create({ email: "new@assay.test", now })).toMatchObject({ id: 3, admin: true, plan: "agency" });
  });
});

describe("deletion of a host", () => {
  const remove = async (host: string, withSubdomains: boolean) => {
    const deletion = store.erasure.hostDeletion({ host, withSubdomains }, new Date());
    addDeletion(dataDir, deletion);
    return store.erasure.carryOut(deletion, serverActor, new Date());
  };

  test("removes its scans of all accounts and guests, and with it its name; subdomains only if asked", async () => {
    await scanned("silent", null, "https://www.shop.customer.example.com/");
    await scanned("silent", 1, "https://shop.customer.example.com/a");
    await scanned("silent", 1, "https://notshop.customer.example.com/a");
    expect(store.erasure.scansOfHost({ host: "shop.customer.example.com", withSubdomains: true })).toHaveLength(2);
    expect(await remove("shop.customer.example.com", false)).toBe(1);
    expect(await everyRow()).toContain("www.shop.customer.example.com");
    expect(await remove("shop.customer.example.com", true)).toBe(1);
    const rows = await everyRow();
    expect(rows).not.toMatch(/[^t]shop\.customer/);
    expect(rows).toContain("notshop.customer.example.com");
    expect(readFileSync(join(dataDir, deletionsName), "utf8")).not.toContain("customer");
  });

  test("removes its proofs of all accounts and guests", async () => {
    for (const accountId of [1, null]) await storeProof(store, { accountId, url: "https://shop.proven.example/" });
    const waiting = await queueProof(store, { accountId: 2, url: "https://shop.proven.example/a" });
    const kept = await queueProof(store, { accountId: 1, url: "https://www.shop.proven.example/" });
    expect(store.erasure.proofsOfHost({ host: "shop.proven.example", withSubdomains: true })).toHaveLength(4);
    await remove("shop.proven.example", false);
    expect([store.proofs.find(waiting), store.proofs.find(kept)?.status, store.scans.queueLength()]).toEqual([undefined, "queued", 1]);
    expect(await everyRow()).not.toMatch(/[^.]shop\.proven/);
  });

  test("removes its watched sites of all accounts, and the events that name it", async () => {
    for (const accountId of [1, 2])
      for (const host of ["shop.watched.example", "other.example"]) await addSite(store, { accountId, url: `https://${host}/`, now });
    const channel = await store.channels.add({
      accountId: 1,
      kind: "webhook",
      name: "x",
      target: "https://x.test/",
      secrets: [],
      verified: true,
      now,
    });
    const channelIds = channel === "full" ? [] : [channel.id];
    await store.rules.add({ accountId: 1, scope: { kind: "all" }, events: ["scan.finished"], severityMin: "info", channelIds, now });
    await scanned("silent", 1, "https://shop.watched.example/");
    expect(store.events.list(1, { limit: 9, cursor: null }).items).toHaveLength(1);
    expect(await remove("shop.watched.example", false)).toBe(1);
    expect(await everyRow()).not.toContain("shop.watched.example");
    for (const accountId of [1, 2]) expect(store.sites.list(accountId).map(({ url }) => url)).toEqual(["https://other.example/"]);
  });

  test("removes what a site that has moved away keeps of it, and leaves the site", async () => {
    const [from, to] = ["https://old.example/", "https://new.example/"];
    const { id } = await addMovedSite(store, { accountId: 1, urls: [from, to], now });
    expect(store.siteRuns.find(id)?.scans[0]?.url).toBe(from);
    expect(await remove("old.example", false)).toBe(3);
    expect(store.siteRuns.find(id)).toBeUndefined();
    await measure(store, { accountId: 1, id, url: to, now: new Date(now.getTime() + 9) });
    expect(await everyRow()).not.toContain("old.example");
    expect(store.sites.find(1, id)?.url).toBe(to);
    expect(store.siteRuns.history(id).map(({ at }) => Date.parse(at) - now.getTime())).toEqual([9]);
    expect(store.events.listOfSite(1, id, 9).map(({ site }) => site?.url)).toEqual([to]);
  });

  test("leaves later scans alone when it is carried out again", async () => {
    const deletion = store.erasure.hostDeletion({ host: "later.example", withSubdomains: false }, new Date(Date.now() - 60_000));
    const token = await scanned("silent", null, "https://later.example/");
    expect(await store.erasure.carryOut(deletion, serverActor, now)).toBe(0);
    expect(store.scans.findByToken(token)).toBeDefined();
  });
});

describe("a restored store", () => {
  const log = createLog({ level: "error", format: "json", write: () => {} });
  const start = async () => {
    const lock = lockDataDir(dataDir);
    const options = { lock, onCheck: () => {}, log, stop: new AbortController().signal };
    const opened = await openServerStore(loadConfig({ flags: { data: dataDir }, env: {}, configFile: null }), options);
    await opened?.close();
    lock.release();
  };

  test("loses the same data again at its first start, and no account that has the number of another", async () => {
    await store.close();
    cpSync(join(dataDir, "store"), join(dataDir, "backup"), { recursive: true });
    store = openStore(dataDir, { noSync: true });
    const late = await store.accounts.create({ email: "late@assay.test", now });
    if (typeof late === "string") throw new Error(late);
    await deleteAccount();
    const ofLate = store.erasure.accountDeletion(late, now);
    addDeletion(dataDir, ofLate);
    await store.erasure.carryOut(ofLate, serverActor, now);
    await store.close();

    rmSync(join(dataDir, "store"), { recursive: true });
    cpSync(join(dataDir, "backup"), join(dataDir, "store"), { recursive: true });
    rmSync(join(dataDir, "backup"), { recursive: true });
    store = openStore(dataDir, { noSync: true });
    // The same number, but another person.
    expect(await store.accounts.create({ email: "other@assay.test", now: new Date(now.getTime() + 1_000) })).toMatchObject({ id: late.id });
    expect(store.accounts.findByEmail(email)).toBeDefined();
    await store.close();
    await start();
    store = openStore(dataDir, { noSync: true });
    expect(store.accounts.list().map((account) => account.email)).toEqual(["stays@assay.test", "other@assay.test"]);
    expect(await everyRow()).not.toContain(email);
    const entries = [...store.audit.since(new Date(0))].length;
    await store.close();
    await start();
    store = openStore(dataDir, { noSync: true });
    expect([...store.audit.since(new Date(0))]).toHaveLength(entries);
  });

  test("passes over lines that are cut or broken", async () => {
    const whole = store.erasure.hostDeletion({ host: "a.example", withSubdomains: true }, now);
    addDeletion(dataDir, whole);
    appendFileSync(join(dataDir, deletionsName), '{"id":"x","at":"no","kind":"host","reference":"r"}\n[1]\nnull\n{"id":"cut');
    addDeletion(dataDir, { ...whole, id: "second" });
    expect(readDeletions(dataDir)).toEqual([whole, { ...whole, id: "second" }]);
    expect(readDeletions(join(dataDir, "none"))).toEqual([]);
  });
});
