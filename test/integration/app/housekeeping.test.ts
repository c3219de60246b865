/** The hourly tidying in a real store: what has expired goes, and what is open stays. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { startHousekeeping } from "../../../src/app/server-store.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { createLog } from "../../../src/base/log.ts";
import { loadConfig } from "../../../src/settings/config.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { memberInvitationHours } from "../../../src/store/site-accounts.ts";
import { until } from "../../support/delivery-rig.ts";
import { type TemporaryStore, temporaryStore } from "../../support/temporary-store.ts";

const now = new Date("2026-11-02T12:00:00Z");
const log = createLog({ level: "error", format: "json", write: () => {} });
let temporary: TemporaryStore;
beforeEach(() => {
  temporary = temporaryStore();
});
afterEach(() => temporary.stop());

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
  const stop = startHousekeeping({
    config: loadConfig({ flags: {}, env: {}, configFile: null }),
    store,
    clock: { ...systemClock, now: () => now },
    log,
  });
  await until("one invitation", () => addresses().length < 2);
  await stop();
  expect(addresses()).toEqual(["open@assay.test"]);
  await db.close();
});
