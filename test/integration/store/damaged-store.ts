/** A small store with rows in every table, ways to damage its file, and what a process sees of it. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { systemClock } from "../../../src/base/clock.ts";
import { openStore } from "../../../src/store/store.ts";
import { evidence } from "../../support/evidence.ts";
import { emptyResult } from "../../support/stored.ts";

export const storedPageBytes = 4_096;
/** `P_LEAF` of a page's flags. */
const leafPage = 2;
/** A tenth of the scans is of this location. */
export const smallStoreLocation = "berlin";
const emails = ["first@site.example", "second@site.example"];

/** Content of `data.mdb` after an orderly end: the same bytes at each call, so that a damage can be repeated. */
export async function writeSmallStore(scans = 40): Promise<Buffer> {
  const dataDir = mkdtempSync(join(tmpdir(), "assay-whole-"));
  const now = new Date("2026-11-21T12:00:00.000Z");
  const random = randomFrom(1);
  const randomBytes = (count: number) => Buffer.from(Array.from({ length: count }, () => Math.floor(random() * 256)));
  const store = openStore(dataDir, { noSync: true, clock: { ...systemClock, now: () => now, random, randomBytes } });
  for (const email of emails) await store.accounts.create({ email, passwordHash: "hash", now });
  await store.apiTokens.create({ accountId: 1, name: "ci", now });
  await store.sessions.open({ accountId: 1, verifiedPasswordHash: "hash", origin: { userAgent: "browser", address: "192.0.2.1" }, now });
  await store.oneTimeLinks.create({ kind: "reset", accountId: 2 }, now);
  await store.workers.enrol({ id: "UA", name: "first", location: smallStoreLocation, now });
  const locationOf = (count: number) => (count % 10 === 9 ? smallStoreLocation : "local");
  for (let count = 0; count < scans; count++)
    await store.scans.queue({ accountId: 1 + (count % 2), url: `https://site-${count}.example/`, now, location: locationOf(count) });
  for (let count = 0; count < scans - 4; count++) {
    const scan = await store.scans.claimNext(locationOf(count), now);
    const outcome = { result: emptyResult, evidence: evidence(), timings: { total: 1 }, screenshot: new Uint8Array(count * 100), now };
    if (count < scans - 6) await store.scans.finish(scan?.token ?? "", outcome);
  }
  await store.close();
  const whole = readFileSync(join(dataDir, "store", "data.mdb"));
  rmSync(dataDir, { recursive: true });
  return whole;
}

/** The leaf pages that hold the text are of no kind: LMDB refuses to read them. */
export function withDamagedLeaves(whole: Buffer, text: string): Buffer {
  const bytes = Buffer.from(whole);
  const pages = Array.from({ length: whole.length / storedPageBytes }, (_, page) => page * storedPageBytes);
  for (const page of pages) {
    const content = whole.subarray(page, page + storedPageBytes);
    if (whole.readUInt16LE(page + 18) === leafPage && content.includes(text)) bytes.writeUInt16LE(0, page + 18);
  }
  return bytes;
}

/** Removes a row as damage would: what follows from the row stays. */
export async function loseRow(dataDir: string, table: string, key: string | number): Promise<void> {
  const root = open({ path: join(dataDir, "store"), maxDbs: 64 });
  const rows = root.openDB<string, string | number>({ name: table, encoding: "string" });
  rows.removeSync(key);
  await root.close();
}

/** Replaces the store of the data directory. */
export function putStore(dataDir: string, bytes: Buffer): void {
  rmSync(join(dataDir, "store"), { recursive: true, force: true });
  mkdirSync(join(dataDir, "store"), { recursive: true });
  writeFileSync(join(dataDir, "store", "data.mdb"), bytes);
}

export interface Flip {
  readonly at: number;
  readonly bit: number;
}

export function flipped(whole: Buffer, { at, bit }: Flip): Buffer {
  const bytes = Buffer.from(whole);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
  return bytes;
}

/** Flips from a seed: half anywhere, half in meta pages, page headers and node headers, which LMDB believes without a check. */
export function flipsOf(whole: Buffer, seed: number, count: number): readonly Flip[] {
  const random = randomFrom(seed);
  const upTo = (limit: number) => Math.floor(random() * limit);
  const pages = Array.from({ length: whole.length / storedPageBytes }, (_, page) => page * storedPageBytes);
  const trees = pages.filter((page) => [1, 2].includes(whole.readUInt16LE(page + 18)));
  const places = [
    () => upTo(whole.length),
    () => upTo(whole.length),
    () => upTo(2) * storedPageBytes + upTo(168),
    () => (trees[upTo(trees.length)] ?? 0) + upTo(100),
  ];
  return Array.from({ length: count }, () => ({ at: (places[upTo(places.length)] ?? places[0])?.() ?? 0, bit: upTo(8) }));
}

/** Small seeded generator (mulberry32), so that a failure can be repeated. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
