/** Use cases of scans over a real store: outcome, wake-ups and refusals. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { cancelOwnScan, startScan, startScans } from "../../../src/scans/scan-operations.ts";
import type { Account } from "../../../src/store/accounts.ts";
import { rigStart, type UseCaseRig, useCaseRig } from "../../support/use-case-rig.ts";

const url = "https://shop.example/";
let rig: UseCaseRig;
let account: Account;

beforeEach(async () => {
  rig = useCaseRig({ queueMax: 4 });
  account = await rig.account();
});
afterEach(() => rig.stop());

test("one scan, of an account or a guest, is queued with its location until the queue is full", async () => {
  const started = await startScan(rig.context, account, { url, location: "berlin", requestId: "r1" });
  expect(started).toMatchObject({
    done: { accountId: account.id, url, status: "queued", createdAt: rigStart.toISOString(), location: "berlin", requestId: "r1" },
  });
  expect(rig.calls()).toEqual(["wake"]);
  const outcomes = [];
  for (let at = 0; at < 5; at++) outcomes.push(await startScan(rig.context, null, { url }));
  expect(outcomes[0]).toMatchObject({ done: { accountId: null } });
  expect(outcomes.at(-1)).toEqual({ refused: "full" });
  expect(rig.calls()).toEqual(outcomes.filter((outcome) => "done" in outcome).map(() => "wake"));
});

test("many scans share a request, which is repeated by its key and not by another one's", async () => {
  const idempotency = { key: "k1", fingerprint: "f1" };
  const wanted = { urls: [url, `${url}2`], idempotency };
  const started = await startScans(rig.context, account, wanted);
  expect(started).toMatchObject({ done: { scans: [{ id: 1 }, { id: 2 }], replayed: false } });
  expect(rig.calls()).toEqual(["wake"]);
  const again = await startScans(rig.context, account, wanted);
  expect(again).toMatchObject({ done: { scans: [{ id: 1 }, { id: 2 }], replayed: true } });
  const other = { ...wanted, idempotency: { ...idempotency, fingerprint: "f2" } };
  rig.calls();
  expect(await startScans(rig.context, account, other)).toEqual({ refused: "key-reused" });
  expect(rig.calls()).toEqual([]);
});

test("a waiting scan is removed for its account, and a scan that has begun is not", async () => {
  const started = await startScan(rig.context, account, { url });
  if (!("done" in started)) throw new Error(started.refused);
  const { token } = started.done;
  rig.calls();
  expect(await cancelOwnScan(rig.context, { id: account.id + 1 }, token)).toEqual({ refused: "unknown" });
  expect(rig.calls()).toEqual([]);
  expect(await cancelOwnScan(rig.context, account, token)).toEqual({ done: null });
  expect([rig.calls(), rig.store.scans.findByToken(token)]).toEqual([[`cancelled ${token}`], undefined]);
  const next = await startScan(rig.context, account, { url });
  const running = await rig.store.scans.claimNext("local", rigStart);
  if (!("done" in next) || running === undefined) throw new Error("no scan runs");
  expect(await cancelOwnScan(rig.context, account, running.token)).toEqual({ refused: "running" });
});
