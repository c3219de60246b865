/** Proofs in a real store: how many an account keeps, and their place in the queue of scans. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { proofPictures } from "../../../src/evidence/proof.ts";
import type { Store } from "../../../src/store/store.ts";
import { proofBody, queueProof, storeProof } from "../../support/proof.ts";
import { type TemporaryStore, temporaryStore } from "../../support/temporary-store.ts";

const url = "https://site.example/";
const now = new Date("2026-11-28T12:00:00Z");
let temporary: TemporaryStore;
let store: Store;

beforeEach(async () => {
  temporary = temporaryStore();
  ({ store } = temporary);
  await store.accounts.create({ email: "me@assay.test", now });
});
afterEach(() => temporary.stop());

const listed = () => store.proofs.listOfAccount(1, { limit: 1_000, cursor: null }).items.map(({ token }) => token);
const queueAgain = () => store.proofs.queue({ accountId: 1, urls: [url], plan: { policy: null, draft: "hosts", headers: [] }, now });

test("an account keeps a hundred proofs: a new one takes the place of the oldest that has ended", async () => {
  const waiting = await queueProof(store, { accountId: 1 });
  await store.scans.claimNext("local", now);
  const ended: string[] = [];
  for (let count = 0; count < 99; count++) ended.push(await storeProof(store, { accountId: 1 }));
  const next = await queueProof(store, { accountId: 1 });
  expect(listed()).toEqual([next, ...ended.slice(1).reverse(), waiting]);
  expect([store.proofs.find(ended[0] ?? ""), store.proofs.result(ended[0] ?? "")]).toEqual([undefined, undefined]);
});

test("pictures of a proof are kept as those of scans, and go with it", async () => {
  const small = temporaryStore({ screenshotsKept: 3 });
  await small.store.accounts.create({ email: "me@assay.test", now });
  const bytes = (first: number) => new Uint8Array([0xff, 0xd8, first]);
  const finished = async (first: number) => {
    const token = await queueProof(small.store, { accountId: 1 });
    await small.store.scans.claimNext("local", now);
    await small.store.scans.finishProof(token, proofBody(), now, { before: bytes(first), after: bytes(first + 1) });
    return token;
  };
  const pictures = (token: string) => proofPictures.map((name) => small.store.proofs.picture(token, name)?.[2]);
  const first = await finished(1);
  expect(pictures(first)).toEqual([1, 2]);
  const second = await finished(3);
  // Newer ids have taken the place of its pictures.
  expect([pictures(first), pictures(second)]).toEqual([
    [undefined, undefined],
    [3, 4],
  ]);
  await small.store.proofs.removeOlder(0, new Date(now.getTime() + 1));
  expect([small.store.proofs.find(second), pictures(second)]).toEqual([undefined, [undefined, undefined]]);
  await small.stop();
});

test("an account whose hundred proofs have not ended starts none", async () => {
  for (let count = 0; count < 100; count++) await queueProof(store, { accountId: 1 });
  expect([await queueAgain(), store.scans.queueLength()]).toEqual(["full", 100]);
});

test("a full queue of scans refuses proofs, and proofs fill it for scans", async () => {
  const small = temporaryStore({ queueMax: 2 });
  await small.store.accounts.create({ email: "me@assay.test", now });
  await queueProof(small.store, { accountId: 1 });
  expect(await small.store.scans.queue({ accountId: 1, url, now })).toMatchObject({ id: 2 });
  expect(await small.store.scans.queue({ accountId: 1, url, now })).toBe("full");
  await expect(queueProof(small.store, { accountId: 1 })).rejects.toThrow("full");
  await small.stop();
});

test("a proof waits while its host is proven, and lets others pass", async () => {
  const first = await queueProof(store, { accountId: 1 });
  const second = await queueProof(store, { accountId: 1, url: `${url}b` });
  const elsewhere = await queueProof(store, { accountId: 1, url: "https://other.example/" });
  const scan = await store.scans.queue({ accountId: 1, url, now });
  const claim = async (...proven: string[]) => (await store.scans.claimNext("local", now, true, new Set(), new Set(proven)))?.token;
  const tokens = [await claim(), await claim("site.example"), await claim("site.example", "other.example"), await claim("site.example")];
  expect(tokens).toEqual([first, elsewhere, scan === "full" ? "" : scan.token, undefined]);
  expect(await claim()).toBe(second);
});
