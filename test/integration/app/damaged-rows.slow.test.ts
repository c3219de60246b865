/** A real server on a store with flipped bits in a third of its rows: every list answers 200, and each lost row is logged once. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { afterAll, describe, expect, test } from "vitest";
import { openStore } from "../../../src/store/store.ts";
import { knownScans } from "../../support/finished-scans.ts";
import { endServers, serve } from "../../support/program.ts";
import { randomFrom } from "../store/damaged-store.ts";

const seed = Number(process.env.DAMAGE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const scansPerAccount = 40;
const dataDir = mkdtempSync(join(tmpdir(), "assay-rows-"));
const tables = ["scans", "results", "evidence", "accounts", "apiTokens", "credentials", "sessions", "oneTimeLinks", "workers"];
const derived = [
  "publicScans",
  "scansByAccount",
  "ownScans",
  "queueByLane",
  "queueGaps",
  "running",
  "accountIdsByEmail",
  "apiTokenHashes",
  "sessionHashes",
];

afterAll(async () => {
  await endServers();
  rmSync(dataDir, { recursive: true });
});

interface Filled {
  readonly apiToken: string;
  readonly session: string;
  readonly tokens: readonly string[];
}

async function fillStore(): Promise<Filled> {
  const store = openStore(dataDir, { noSync: true });
  const now = new Date();
  for (let count = 0; count < 6; count++) await store.accounts.create({ email: `user-${count}@site.example`, now });
  const origin = { userAgent: "test", address: "192.0.2.1" };
  const open = () => store.sessions.open({ accountId: 1, verifiedPasswordHash: null, origin, now });
  const session = await open();
  for (let count = 0; count < 5; count++) {
    await open();
    await store.apiTokens.create({ accountId: 1, name: `other ${count}`, now });
    await store.oneTimeLinks.create({ kind: "reset", accountId: 2 + count }, now);
    await store.workers.enrol({ id: `U${count}`, name: `worker ${count}`, location: "berlin", now });
  }
  const { value } = await store.apiTokens.create({ accountId: 1, name: "used", now });
  const tokens: string[] = [];
  const kinds = Object.values(knownScans);
  for (let count = 0; count < scansPerAccount * 2; count++) {
    const location = count % 10 === 0 ? "berlin" : "local";
    const scan = await store.scans.queue({ accountId: 1 + (count % 2), url: `https://host-${count % 3}.example/`, now, location });
    if (scan !== "full") tokens.push(scan.token);
    const known = kinds[count % kinds.length];
    const claimed = count < scansPerAccount * 2 - 10 ? await store.scans.claimNext(location, now) : undefined;
    if (claimed !== undefined && known !== undefined && count % 9 !== 0)
      await store.scans.finish(claimed.token, { ...known, timings: { total: 1 }, now });
  }
  await store.close();
  return { apiToken: value, session: session?.value ?? "", tokens };
}

/**
 * Cuts a third of the rows of evidence: a flipped name deep in the facts ends one report with 500, since no format describes all facts.
 * Flips one bit in a third of all other rows. Keeps the credentials of the test.
 */
async function damageRows({ apiToken, session }: Filled): Promise<void> {
  const random = randomFrom(seed);
  const spared = [apiToken, session].map((value) => new Bun.CryptoHasher("sha256").update(value).digest("hex"));
  const root = open({ path: join(dataDir, "store"), maxDbs: 64 });
  const opened = [...tables, ...derived].map((name) =>
    root.openDB<Buffer, string | number | (string | number)[]>({ name, encoding: "binary" }),
  );
  root.transactionSync(() => {
    for (const [index, table] of opened.entries())
      for (const { key, value } of [...table.getRange()]) {
        if (random() > 1 / 3 || spared.includes(String(key)) || key === 1) continue;
        const bytes = Buffer.from(value);
        const at = Math.floor(random() * bytes.length);
        bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at);
        table.put(key, tables[index] === "evidence" ? bytes.subarray(0, at) : bytes);
      }
  });
  await root.close();
}

describe("flipped bits in rows", () => {
  test(`leave every list whole (seed ${seed})`, async () => {
    const filled = await fillStore();
    await damageRows(filled);
    const server = await serve(["--data", dataDir, "--browser-path", "/nonexistent", "--log-format", "json"]);
    const get = async (path: string) => {
      const headers = path.startsWith("/api/v1") ? { authorization: `Bearer ${filled.apiToken}` } : { cookie: `sid=${filled.session}` };
      return { path, status: (await fetch(server.url + path, { headers, redirect: "manual" })).status };
    };
    const lists = [
      [
        "/",
        "/scans",
        "/scans?band=good",
        "/hosts/host-1.example",
        "/account",
        "/account/scans",
        "/account/tokens",
        "/account/second-factor",
      ],
      [
        "/scans?location=berlin",
        "/admin",
        "/admin/users",
        "/admin/workers",
        "/api/v1/scans",
        "/api/v1/scans?limit=100",
        "/api/v1/scans?limit=7",
      ],
    ].flat();
    for (const _round of [1, 2])
      for (const path of lists) {
        expect(await get(path)).toEqual({ path, status: 200 });
      }
    const unreadable = [...server.stderr().matchAll(/"event":"a row of the store cannot be read[^\n]*"table":("\w+","key":[^\n]*)\}/g)].map(
      ([, row]) => row,
    );
    expect(unreadable.length).toBeGreaterThan(5);
    expect(new Set(unreadable).size).toBe(unreadable.length);
    const reports: { readonly path: string; readonly status: number }[] = [];
    for (const token of filled.tokens)
      for (const path of [`/scans/${token}`, `/api/v1/scans/${token}`, `/api/v1/scans/${token}/security`]) reports.push(await get(path));
    expect(reports.filter(({ status }) => status >= 500)).toEqual([]);
    expect(await server.end("SIGTERM")).toBe(0);
  });
});
