/** The hourly tidying in a real store: what has expired goes, and what is open stays. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { startHousekeeping } from "../../../src/app/server-store.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { createLog } from "../../../src/base/log.ts";
import { loadConfig } from "../../../src/settings/config.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { memberInvitationHours } from "../../../src/store/site-accounts.ts";
import { until } from "../../support/delivery-rig.ts";
import { queueProof, storeProof } from "../../support/proof.ts";
import { type TemporaryStore, temporaryStore } from "../../support/temporary-store.ts";

const now = new Date("2026-11-02T12:00:00Z");
const log = createLog({ level: "error", format: "json", write: () => {} });
let temporary: TemporaryStore;
beforeEach(() => {
  temporary = temporaryStore();
});
afterEach(() => temporary.stop());

function tidy() {
  const config = loadConfig({ flags: {}, env: {}, configFile: null });
  return startHousekeeping({ config, store: temporary.store, clock: { ...systemClock, now: () => now }, log });
}

test("removes invitations that have expired", async () => {
  const { store, dataDir } = temporary;
  await store.accounts.create({ email: "owner@assay.test", now });
  // An invitation removes those that have expired, so the open one comes first.
  await store.members.invite({ ownerId: 1, email: "open@assay.test", role: "viewer" }, now);
  const expiredAt = new Date(now.getTime() - memberInvitationHours * 3_600_000);
  await store.members.invite({ ownerId: 1, email: "expired@assay.test", role: "viewer" }, expiredAt);
  const db = openDatabase(dataDir, { readOnly: true });
  const addresses = () => [...db.memberInvitations.getRange()].map(({ value }) => value.email);
  expect(addresses().toSorted()).toEqual(["expired@assay.test", "open@assay.test"]);
  const stop = tidy();
  await until("one invitation", () => addresses().length < 2);
  await stop();
  expect(addresses()).toEqual(["open@assay.test"]);
  await db.close();
});

test("removes proofs that ended before retention.proof_days, and no other", async () => {
  const { store } = temporary;
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
  await store.accounts.create({ email: "owner@assay.test", now });
  const old = await storeProof(store, { accountId: 1, at: daysAgo(30.1) });
  const ofGuest = await storeProof(store, { accountId: null, at: daysAgo(31) });
  const recent = await storeProof(store, { accountId: 1, at: daysAgo(29.9) });
  const waiting = await queueProof(store, { accountId: 1, at: daysAgo(40) });
  const stop = tidy();
  await until("no old proof", () => [old, ofGuest].every((token) => store.proofs.find(token) === undefined));
  await stop();
  expect([store.proofs.result(old), store.proofs.result(recent)?.verdict]).toEqual([undefined, "works"]);
  expect(store.proofs.find(waiting)?.status).toBe("queued");
});
