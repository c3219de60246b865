/** Servers with all data that pages can show: one in long use, one new and one overloaded. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dayMs } from "../../../src/base/units.ts";
import type { Plan } from "../../../src/store/accounts.ts";
import type { Store } from "../../../src/store/store.ts";
import { pixelJpeg, shopPicture, storeSite } from "../../support/finished-scans.ts";
import { blockingProof, endProof, queueProof, workingProof } from "../../support/proof-bodies.ts";
import { startTcp, type TestServer } from "../../support/servers.ts";
import { type Appliance, startAppliance } from "./appliance.ts";
import { storeHistory } from "./host-history.ts";
import { type ChannelLinks, fillWatchedSites } from "./watched-sites.ts";

/** Scans of a site that never answers. Each takes half a minute, so some wait for more than an hour, and a queue stays full. */
const silentScans = 200;
/** The last of them, of the agency and of guests by turns. Those before them keep the agency's from starting. */
const lastSilentScans = 20;
/** Enough scans for several pages of lists. */
const listedScans = 30;

/** Session cookie values and names of stored objects. */
export interface Fixtures {
  readonly sessions: Readonly<Record<Person, string>>;
  readonly scans: Readonly<
    Record<"bare" | "shop" | "sound" | "plain" | "old" | "silent" | "failed" | "queued" | "elsewhere" | "remote", string>
  >;
  readonly proofs: Readonly<Record<"works" | "blocks" | "failed" | "queued" | "ownQueued", string>>;
  readonly links: Readonly<Record<"invite" | "reset" | "member", string>>;
  /** Ids of watched sites, and of their owner. */
  readonly sites: Readonly<Record<"owner" | "measured" | "fresh", number>>;
  readonly channelLinks: ChannelLinks;
}

/** `agency` has scans and all kinds of tokens, `careful` a second factor, `free` nothing; `strict` belongs to the overloaded server. */
export type Person = "admin" | "agency" | "careful" | "free" | "strict";

export interface TestServers {
  readonly busy: Appliance;
  readonly fixtures: Fixtures;
  /** A scan on the busy server that keeps running. */
  readonly running: string;
  /** Server without accounts, scans, sign-up and guest scans. */
  readonly fresh: Appliance;
  /** Its setup link. */
  readonly setupLink: string;
  /** Full queue; guests may start one scan per hour. */
  readonly strict: Appliance;
  stop(): Promise<void>;
}

export const passwordOfAll = "correct horse battery staple";

export async function startServers(): Promise<TestServers> {
  const silent = await startTcp(() => {});
  const folder = mkdtempSync(join(tmpdir(), "assay-servers-"));
  const legal = join(folder, "legal.txt");
  writeFileSync(legal, "Example Ltd\n1 Example Street\nExampleton\n\nhello@assay.test\n");
  let fixtures: (Omit<Fixtures, "sessions"> & { readonly sessions: Omit<Fixtures["sessions"], "strict"> }) | undefined;
  let strictSession = "";
  const busy = await startAppliance({
    fill: async (store) => {
      fixtures = await fillBusy(store);
    },
    sites: sitesThatNeverAnswer(silent),
    args: ["--concurrency", "1"],
    env: {
      ASSAY_ACCOUNTS_SIGNUP: "open",
      ASSAY_SECURITY_CONTACT: "mailto:security@assay.test",
      ASSAY_PLANS_CONTACT: "mailto:plans@assay.test",
      ASSAY_LEGAL_IMPRINT_FILE: legal,
      ASSAY_LEGAL_PRIVACY_FILE: legal,
    },
  });
  const fresh = await startAppliance({ env: { ASSAY_GUEST_SCANS: "false" } });
  const strict = await startAppliance({
    fill: async (store) => {
      strictSession = (await person(store, "strict@assay.test", "agency")).session;
      for (let at = 0; at < silentScans; at++)
        await store.scans.queue({ accountId: null, url: `https://silent.test/${at}`, now: new Date() });
    },
    sites: sitesThatNeverAnswer(silent),
    args: ["--concurrency", "1"],
    env: { ASSAY_GUEST_RATE_PER_HOUR: "1", ASSAY_SCAN_QUEUE_MAX: "1", ASSAY_SCAN_COOLDOWN: "0" },
  });
  if (fixtures === undefined) throw new Error("the store was not filled");
  return {
    busy,
    running: await busy.withStore(adoptServer),
    fixtures: { ...fixtures, sessions: { ...fixtures.sessions, strict: strictSession } },
    fresh,
    strict,
    setupLink: /\/setup\?t=([\w-]+)/.exec(fresh.stderr())?.[1] ?? "",
    stop: async () => {
      await Promise.all([busy.stop(), fresh.stop(), strict.stop()]);
      await silent.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function sitesThatNeverAnswer(silent: TestServer) {
  return { "silent.test:443": silent, "silent.test:80": silent };
}

/** A stalled worker: no real scan stays in one stage this long. */
async function adoptServer(store: Store): Promise<string> {
  const scan = await store.scans.claimNext("local", new Date());
  if (scan === undefined) throw new Error("no scan waits");
  await store.scans.setProgress(scan.token, "tls", 40);
  return scan.token;
}

/** A policy of the report's lines that blocks much, with hosts as long as a policy can name. */
const drafted = {
  draft: {
    policy: `default-src 'self'; script-src 'self' ${"donaudampfschifffahrt".repeat(3)}.example; object-src 'none'; base-uri 'none'`,
    costs: ["inline-styles", "data-images"],
    blocks: { scripts: 30, handlers: 8, origins: 2 },
  },
  lines: { score: 82, codes: [] },
};

async function fillBusy(store: Store) {
  const now = new Date();
  const ago = (days: number) => new Date(now.getTime() - days * dayMs);
  const admin = await person(store, "admin@assay.test", "agency");
  const agency = await person(store, "agency@assay.test", "agency");
  const free = await person(store, "free@assay.test", "free");
  const careful = await person(store, "careful@assay.test", "agency");
  const carefulSession = await secondFactor(store, careful);
  await tokens(store, agency.id, ago);
  const picture = readFileSync(shopPicture);
  const hostile = `${"Donaudampfschifffahrt".repeat(4)}/"><script>alert(1)</script>`;
  const [works, blocks, failedProof] = [
    await endProof(store, workingProof, {
      ...{ accountId: agency.id, url: "https://watched.example/", now: ago(1) },
      pictures: { before: picture, after: picture },
    }),
    await endProof(store, blockingProof(hostile), { now: ago(1) }),
    await endProof(store, null, { now: ago(1) }),
  ];
  for (let at = 0; at < listedScans; at++)
    await storeSite(store, at % 3 === 0 ? "plain" : "silent", {
      at: ago(200 - at),
      url: `https://listed-${at}.example.org/`,
      accountId: agency.id,
    });
  await storeSite(store, "sound", { at: ago(90), url: "https://assay-bare-site.org/", result: { catalogVersion: "older" } });
  await storeSite(store, "silent", { at: ago(40), url: "https://assay-bare-site.org/" });
  await storeHistory(store, ago);
  const failed = await failedScan(store, "https://assay-bare-site.org/", ago(20));
  const given = { at: ago(0.01), accountId: agency.id, screenshot: pixelJpeg };
  await storeSite(store, "shop", { at: ago(30) });
  const [bare, shop, sound, plain, old, silent] = [
    await storeSite(store, "bare", { ...given, result: drafted }),
    await storeSite(store, "shop", { ...given, screenshot: readFileSync(shopPicture) }),
    await storeSite(store, "sound", given),
    await storeSite(store, "plain", given),
    await storeSite(store, "old", given),
    await storeSite(store, "silent", { ...given, at: ago(60) }),
  ];
  const { elsewhere, remote } = await scansElsewhere(store, ago);
  const watched = await fillWatchedSites(store, { owner: agency.id, reader: careful.id, longWord: "Donaudampfschifffahrt".repeat(4) }, ago);
  const waiting: string[] = [];
  for (let at = 0; at < silentScans; at++) {
    const accountId = at < silentScans - lastSilentScans ? admin.id : at % 2 === 0 ? null : agency.id;
    const scan = await store.scans.queue({ accountId, url: `https://silent.test/${at}`, now });
    if (scan !== "full") waiting.push(scan.token);
  }
  const queuedProof = await queueProof(store, { url: "https://silent.test/proof" });
  const ownProof = await queueProof(store, { accountId: agency.id, url: "https://silent.test/own-proof" });
  await workers(store, ago);
  const invite = await store.oneTimeLinks.create({ kind: "invite", email: null, plan: "free", admin: false }, now);
  const reset = await store.oneTimeLinks.create({ kind: "reset", accountId: free.id }, now);
  const member = await store.members.invite({ ownerId: agency.id, email: "free@assay.test", role: "editor" }, now);
  if (typeof invite !== "object" || typeof reset !== "object" || typeof member !== "object") throw new Error("no link was made");
  return {
    sessions: { admin: admin.session, agency: agency.session, careful: carefulSession, free: free.session },
    scans: {
      ...{ bare: bare.token, shop: shop.token, sound: sound.token, plain: plain.token, old: old.token, silent: silent.token },
      ...{ failed, queued: waiting.at(-1) ?? "", elsewhere, remote },
    },
    proofs: { works, blocks, failed: failedProof, queued: queuedProof.token, ownQueued: ownProof.token },
    links: { invite: invite.value, reset: reset.value, member: member.value },
    sites: { owner: agency.id, measured: watched.measured, fresh: watched.fresh },
    channelLinks: watched.links,
  };
}

/** A host as two locations see it, and a scan that waits for a worker. */
async function scansElsewhere(store: Store, ago: (days: number) => Date) {
  const [url, location] = ["https://inside.example/", "customer-network-of-example-ltd"];
  await storeSite(store, "silent", { at: ago(12), url });
  await storeSite(store, "plain", { at: ago(11), url, location });
  const { token: elsewhere } = await storeSite(store, "silent", { at: ago(10), url, location });
  const remote = await store.scans.queue({ accountId: null, url, location, now: ago(0.1) });
  if (remote === "full") throw new Error("the queue is full");
  return { elsewhere, remote: remote.token };
}

const device = { userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", address: "192.0.2.0" };

async function person(store: Store, email: string, plan: Plan): Promise<{ readonly id: number; readonly session: string }> {
  const now = new Date();
  const passwordHash = await Bun.password.hash(passwordOfAll, { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 });
  const account = await store.accounts.create({ email, plan, passwordHash, now });
  if (typeof account === "string") throw new Error(account);
  const opened = await store.sessions.open({ accountId: account.id, verifiedPasswordHash: passwordHash, origin: device, now });
  if (opened === undefined) throw new Error("no session was opened");
  return { id: account.id, session: opened.value };
}

/** Enrols a second factor and returns the remaining session. */
async function secondFactor(store: Store, { id }: { readonly id: number }): Promise<string> {
  const now = new Date();
  const totp = { secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", confirmedAt: now.toISOString(), lastUsedStep: null };
  const changed = await store.credentials.change(id, { totp, recoveryCodeHashes: ["one", "two"] }, { reopen: { origin: device, now } });
  if (changed?.opened == null) throw new Error("no session was opened");
  return changed.opened.value;
}

/** One valid, one expired, one revoked token. */
async function tokens(store: Store, accountId: number, ago: (days: number) => Date): Promise<void> {
  const used = await store.apiTokens.create({ accountId, name: "Nightly build", expiresAt: ago(-60), now: ago(30) });
  await store.apiTokens.recordUse(used.token, ago(0));
  await store.apiTokens.create({ accountId, name: "Expired", expiresAt: ago(10), now: ago(40) });
  const revoked = await store.apiTokens.create({ accountId, name: "Revoked", now: ago(50) });
  await store.apiTokens.revoke(accountId, revoked.token.id, ago(5));
}

/** Workers in the states that they have without NATS, and a scan that waits for them. */
async function workers(store: Store, ago: (days: number) => Date): Promise<void> {
  const enrol = async (letter: string, name: string) => {
    const worker = await store.workers.enrol({ id: `U${letter.repeat(55)}`, name, location: "berlin", now: ago(20) });
    if (typeof worker === "string") throw new Error(worker);
    return worker.id;
  };
  const [seen, drained, , revoked] = [
    await enrol("A", "workstation-under-the-desk-of-the-administrator.internal.example.org"),
    await enrol("B", "spree-2"),
    await enrol("C", "spree-3"),
    await enrol("D", "spree-4"),
  ];
  for (const id of [seen, drained]) await store.workers.noteSeen(id, { version: "0.1.0", slots: 4, reach: "private", now: ago(1) });
  await store.workers.noteFault(seen, { at: ago(2).toISOString(), text: "the screenshot is no JPEG of at most 1280 x 900" });
  await store.workers.setDrained(drained, true);
  await store.workers.revoke(revoked, ago(3));
  await store.scans.queue({ accountId: null, url: "https://intranet.example.org/", location: "berlin", now: ago(0.1) });
}

async function failedScan(store: Store, url: string, now: Date): Promise<string> {
  const scan = await store.scans.queue({ accountId: null, url, now });
  if (scan === "full") throw new Error("the queue is full");
  await store.scans.claimNext("local", now);
  await store.scans.fail(scan.token, { code: "unresolved", evidence: null, timings: {}, now });
  return scan.token;
}
