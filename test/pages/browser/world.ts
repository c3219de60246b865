/** Two appliances with everything on them that pages can show: one that has been at work for months, and one that was started a minute ago. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Plan } from "../../../src/store/accounts.ts";
import type { Store } from "../../../src/store/store.ts";
import { pixelJpeg, storeSite } from "../../support/finished-scans.ts";
import { startTcp, type TestServer } from "../../support/servers.ts";
import { type Appliance, startAppliance } from "./appliance.ts";

const dayMs = 86_400_000;
/** Long enough for pages of lists. */
const listedScans = 30;

/** Values that lead into a session, and names of what is on the appliance. */
export interface Known {
  readonly sessions: Readonly<Record<Person, string>>;
  readonly scans: Readonly<Record<"bare" | "sound" | "plain" | "old" | "silent" | "failed" | "running" | "queued", string>>;
  readonly links: Readonly<Record<"invite" | "reset", string>>;
}

/** `admin` has seen much; `agency` has tokens of every kind; `free` has nothing yet. */
export type Person = "admin" | "agency" | "free";

export interface World {
  readonly busy: Appliance;
  readonly known: Known;
  /** Without accounts, scans and sign-up, and where guests may not scan. */
  readonly fresh: Appliance;
  /** Its link for the first account. */
  readonly setupLink: string;
  stop(): Promise<void>;
}

export const passwordOfAll = "correct horse battery staple";

export async function startWorld(): Promise<World> {
  const silent = await startTcp(() => {});
  const folder = mkdtempSync(join(tmpdir(), "assay-world-"));
  const legal = join(folder, "legal.txt");
  writeFileSync(legal, "Example Ltd\n1 Example Street\nExampleton\n\nhello@assay.test\n");
  let known: Known | undefined;
  let setupLink = "";
  const busy = await startAppliance({
    fill: async (store) => {
      known = await fillBusy(store);
    },
    sites: sitesThatNeverAnswer(silent),
    // One scan at a time, so that one runs for as long as the tests do and another waits behind it.
    args: ["--concurrency", "1", "--timeout", "600"],
    env: {
      ASSAY_ACCOUNTS_SIGNUP: "open",
      ASSAY_SECURITY_CONTACT: "mailto:security@assay.test",
      ASSAY_PLANS_CONTACT: "mailto:plans@assay.test",
      ASSAY_LEGAL_IMPRINT_FILE: legal,
      ASSAY_LEGAL_PRIVACY_FILE: legal,
    },
  });
  const fresh = await startAppliance({
    fill: async (store) => {
      const made = await store.createLink({ kind: "setup" }, new Date());
      if (typeof made === "object") setupLink = made.value;
    },
    env: { ASSAY_GUEST_SCANS: "false" },
  });
  if (known === undefined) throw new Error("the store was not filled");
  return {
    busy,
    known,
    fresh,
    setupLink,
    stop: async () => {
      await Promise.all([busy.stop(), fresh.stop()]);
      await silent.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function sitesThatNeverAnswer(silent: TestServer) {
  return { "silent.test:443": silent, "silent.test:80": silent };
}

async function fillBusy(store: Store): Promise<Known> {
  const now = new Date();
  const ago = (days: number) => new Date(now.getTime() - days * dayMs);
  const admin = await person(store, "admin@assay.test", "agency");
  const agency = await person(store, "agency@assay.test", "agency");
  const free = await person(store, "free@assay.test", "free");
  await tokens(store, agency.id, ago);
  for (let at = 0; at < listedScans; at++)
    await storeSite(store, at % 3 === 0 ? "plain" : "silent", {
      at: ago(200 - at),
      url: `https://listed-${at}.example.org/`,
      accountId: agency.id,
    });
  await storeSite(store, "sound", { at: ago(90), url: "https://assay-bare-site.org/", result: { catalogVersion: "older" } });
  await storeSite(store, "silent", { at: ago(40), url: "https://assay-bare-site.org/" });
  const failed = await failedScan(store, "https://assay-bare-site.org/", ago(20));
  const given = { at: ago(0.01), accountId: agency.id, screenshot: pixelJpeg };
  const [bare, sound, plain, old, silent] = [
    await storeSite(store, "bare", given),
    await storeSite(store, "sound", given),
    await storeSite(store, "plain", given),
    await storeSite(store, "old", given),
    await storeSite(store, "silent", { ...given, at: ago(60) }),
  ];
  const waiting = [
    await store.queueScan({ accountId: null, url: "https://silent.test/", now }),
    await store.queueScan({ accountId: agency.id, url: "https://silent.test/next", now }),
  ].map((scan) => (scan === "full" ? "" : scan.token));
  const invite = await store.createLink({ kind: "invite", email: null, plan: "free", admin: false }, now);
  const reset = await store.createLink({ kind: "reset", accountId: free.id }, now);
  if (typeof invite !== "object" || typeof reset !== "object") throw new Error("no link was made");
  return {
    sessions: { admin: admin.session, agency: agency.session, free: free.session },
    scans: {
      ...{ bare: bare.token, sound: sound.token, plain: plain.token, old: old.token, silent: silent.token },
      ...{ failed, running: waiting[0] ?? "", queued: waiting[1] ?? "" },
    },
    links: { invite: invite.value, reset: reset.value },
  };
}

async function person(store: Store, email: string, plan: Plan): Promise<{ readonly id: number; readonly session: string }> {
  const now = new Date();
  const passwordHash = await Bun.password.hash(passwordOfAll, { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 });
  const account = await store.createAccount({ email, plan, passwordHash, now });
  if (typeof account === "string") throw new Error(account);
  const origin = { userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", address: "192.0.2.0" };
  const opened = await store.openSession({ accountId: account.id, provedPasswordHash: passwordHash, origin, now });
  if (opened === undefined) throw new Error("no session was opened");
  return { id: account.id, session: opened.value };
}

/** One in use, one that expired, one that was revoked. */
async function tokens(store: Store, accountId: number, ago: (days: number) => Date): Promise<void> {
  const used = await store.createApiToken({ accountId, name: "Nightly build", expiresAt: ago(-60), now: ago(30) });
  await store.noteApiTokenUse(used.token, ago(0));
  await store.createApiToken({ accountId, name: "Expired", expiresAt: ago(10), now: ago(40) });
  const revoked = await store.createApiToken({ accountId, name: "Revoked", now: ago(50) });
  await store.revokeApiToken(accountId, revoked.token.id, ago(5));
}

async function failedScan(store: Store, url: string, now: Date): Promise<string> {
  const scan = await store.queueScan({ accountId: null, url, now });
  if (scan === "full") throw new Error("the queue is full");
  await store.claimNext(now);
  await store.failScan(scan.token, { code: "unresolved", evidence: null, timings: {}, now });
  return scan.token;
}
