/** The event `proof.finished`: stored in the transaction that ends a proof, for accounts whose rules want it. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { EventType } from "../../../src/store/site-events.ts";
import type { Store } from "../../../src/store/store.ts";
import { queueProof, storeProof } from "../../support/proof.ts";
import { type TemporaryStore, temporaryStore } from "../../support/temporary-store.ts";

const now = new Date("2026-11-28T12:00:00Z");
const url = "https://site.example/";
let temporary: TemporaryStore;
let store: Store;

beforeEach(async () => {
  temporary = temporaryStore();
  ({ store } = temporary);
  for (const email of ["me@assay.test", "you@assay.test"]) await store.accounts.create({ email, now });
});
afterEach(() => temporary.stop());

async function addRule(event: EventType): Promise<void> {
  const target = "https://x.test/";
  const channel = await store.channels.add({ accountId: 1, kind: "webhook", name: "x", target, secrets: [], verified: true, now });
  const channelIds = channel === "full" ? [] : [channel.id];
  await store.rules.add({ accountId: 1, scope: { kind: "all" }, events: [event], severityMin: "info", channelIds, now });
}

const events = () => store.events.list(1, { limit: 9, cursor: null }).items;

test("says what was shown, and is delivered", async () => {
  await addRule("proof.finished");
  const token = await storeProof(store, { accountId: 1, url, at: now });
  const data = { token, id: 1, url, pages: 1, status: "finished", errorCode: null, verdict: "works", proven: true } as const;
  expect(events()).toMatchObject([{ type: "proof.finished", token: null, site: null, at: now.toISOString(), data }]);
  expect(store.deliveries.waitingCount()).toBe(1);
});

test("says why a proof failed: while it waited, while it ran, or in a process that was killed", async () => {
  await addRule("proof.finished");
  await store.scans.cancelQueued(await queueProof(store, { accountId: 1 }), now);
  const running = await queueProof(store, { accountId: 1 });
  await store.scans.claimNext("local", now);
  await store.scans.fail(running, { code: "unresolved", evidence: null, timings: {}, now });
  await queueProof(store, { accountId: 1 });
  for (let kills = 0; kills < 2; kills++) {
    await store.scans.claimNext("local", now);
    await store.scans.requeueInterrupted(now);
  }
  const ends = events().map(({ data }) => data);
  expect(ends).toMatchObject(
    ["interrupted", "unresolved", "cancelled"].map((errorCode) => ({ status: "failed", errorCode, verdict: null, proven: false })),
  );
});

test("is not stored for others, for guests, and where only scans are wanted", async () => {
  await addRule("scan.finished");
  for (const accountId of [1, 2, null]) await storeProof(store, { accountId });
  expect([events(), store.events.list(2, { limit: 9, cursor: null }).items]).toEqual([[], []]);
});
