/** The API of deliveries on a running server with a real store. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Delivery } from "../../../src/store/deliveries.ts";
import { newSiteState } from "../../../src/store/site-runs.ts";
import { type AccountClient, accountClient, startAccountApi } from "../../support/account-api.ts";
import type { ApiUnderTest } from "../../support/api.ts";
import { addSite } from "../../support/watched-sites.ts";

let api: ApiUnderTest;
let client: AccountClient;
let channelId: number;

beforeAll(async () => {
  api = await startAccountApi();
});
beforeEach(async () => {
  client = await accountClient(api);
  channelId = (await client.call("POST", "/channels", { kind: "webhook", target: "https://hooks.example/" })).body.id;
  await client.call("POST", "/rules", { events: ["site.recovered"], channelIds: [channelId] });
});
afterAll(async () => {
  expect(api.troubles()).toEqual([]);
  await api.stop();
});

/** Deliveries of so many events, oldest first. */
async function deliver(count: number): Promise<readonly Delivery[]> {
  const now = new Date();
  const site = await addSite(api.store, { accountId: client.accountId, url: "https://site.example/", now });
  const event = { type: "site.recovered", token: null, data: { since: now.toISOString() } } as const;
  for (let at = 0; at < count; at++) await api.store.siteRuns.noteState(site, () => ({ state: newSiteState, events: [event] }), now);
  return api.store.deliveries.list(client.accountId, { limit: count, cursor: null }).items.toReversed();
}

async function fail(delivery: Delivery): Promise<void> {
  const attempt = { at: new Date().toISOString(), ms: 12, status: 500, because: "status" };
  await api.store.deliveries.noteAttempt(delivery, attempt, { state: "failed", disables: null });
}

describe("deliveries", () => {
  test("are listed newest first in pages, and read with their events", async () => {
    const [first, second, third] = await deliver(3);
    const page = (await client.call("GET", "/deliveries?limit=2")).body;
    expect([page.items.map(({ id }) => id), page.nextCursor]).toEqual([[third?.id, second?.id], String(second?.id)]);
    const rest = (await client.call("GET", `/deliveries?limit=2&cursor=${page.nextCursor}`)).body;
    expect([rest.items, rest.nextCursor]).toMatchObject([
      [{ id: first?.id, channelId, state: "waiting", attempts: [], eventCount: 1 }],
      null,
    ]);
    const { body } = await client.call("GET", `/deliveries/${first?.id}`);
    expect(body.events).toMatchObject([
      { id: expect.stringMatching(/^evt_/), type: "site.recovered", site: { url: "https://site.example/" } },
    ]);
    expect((await client.call("GET", "/deliveries?cursor=x")).status).toBe(400);
  });
  test("are sent again after a failure, and only then", async () => {
    const [delivery] = await deliver(1);
    if (delivery === undefined) throw new Error("no delivery");
    const path = `/deliveries/${delivery.id}/retry`;
    const waits = await client.call("POST", path);
    expect([waits.status, waits.body.errorMessage]).toEqual([409, expect.stringContaining("is waiting")]);
    await fail(delivery);
    const woken = api.services.woken.deliveries;
    const { status, body } = await client.call("POST", path);
    expect([status, body]).toMatchObject([
      200,
      { state: "waiting", nextAttemptAt: expect.any(String), attempts: [{ status: 500, ms: 12, because: "status" }] },
    ]);
    expect(api.services.woken.deliveries).toBe(woken + 1);
  });
  test("are not sent to a channel that is disabled or removed", async () => {
    const [one, two] = await deliver(2);
    if (one === undefined || two === undefined) throw new Error("no delivery");
    await client.call("POST", `/channels/${channelId}/disable`);
    expect((await client.call("GET", `/deliveries/${one.id}`)).body.state).toBe("dropped");
    const disabled = await client.call("POST", `/deliveries/${one.id}/retry`);
    expect([disabled.status, disabled.body.errorMessage]).toEqual([409, expect.stringContaining("disabled")]);
    await client.call("POST", `/channels/${channelId}/enable`);
    expect((await client.call("POST", `/deliveries/${one.id}/retry`)).status).toBe(200);
    await client.call("DELETE", `/channels/${channelId}`);
    const removed = await client.call("POST", `/deliveries/${two.id}/retry`);
    expect([removed.status, removed.body.errorMessage]).toEqual([409, expect.stringContaining("removed")]);
  });
  test("of another account, and unknown ones, are the same 404", async () => {
    const [delivery] = await deliver(1);
    const other = await accountClient(api);
    for (const id of [delivery?.id, 999_999, "x"])
      for (const [method, path] of [
        ["GET", ""],
        ["POST", "/retry"],
      ] as const)
        expect((await other.call(method, `/deliveries/${id}${path}`)).body).toEqual({
          errorMessage: "There is no such delivery.",
        });
    expect((await other.call("GET", "/deliveries")).body.items).toEqual([]);
  });
});
