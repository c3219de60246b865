/** Tokens, ids and times that the store makes itself come from its clock: a simulation repeats them. */
import { expect, test } from "vitest";
import { fakeClock } from "../../support/fake-clock.ts";
import { temporaryStore } from "../../support/temporary-store.ts";

async function made() {
  const clock = fakeClock();
  const { store, stop } = temporaryStore({ clock });
  const now = clock.now();
  const account = await store.accounts.create({ email: "owner@agency.test", now });
  if (typeof account === "string") throw new Error(account);
  const scan = await store.scans.queue({ accountId: account.id, url: "https://a.test/", now });
  clock.advance(60_000);
  // Without a time from the caller.
  await store.accounts.setPlan(account.id, "free");
  const { items } = store.audit.list({ limit: 10, cursor: null, readMax: 100 });
  const value = await store.metricsTokens.issue(account.id);
  await stop();
  return { scan, items, value };
}

test("two stores with equal clocks make the same", async () => {
  const [one, other] = [await made(), await made()];
  expect(one.scan).toEqual(other.scan);
  expect(one.value).toBe(other.value);
  expect(one.items).toEqual(other.items);
  expect(one.items[0]?.at).toBe("2026-11-02T12:01:00.000Z");
});
