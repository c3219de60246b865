/** Events, history and accepted findings of watched sites over the API. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newSiteState } from "../../../src/store/site-runs.ts";
import { acceptedFindingsMax } from "../../../src/store/sites.ts";
import { type AccountClient, accountClient, startAccountApi } from "../../support/account-api.ts";
import type { ApiUnderTest } from "../../support/api.ts";

let api: ApiUnderTest;
let client: AccountClient;
let other: AccountClient;

beforeAll(async () => {
  api = await startAccountApi();
  client = await accountClient(api);
  other = await accountClient(api);
});
afterAll(async () => {
  expect(api.troubles()).toEqual([]);
  await api.stop();
});

let added = 0;
async function addSite(): Promise<{ readonly id: number }> {
  added += 1;
  return (await client.call("POST", "/sites", { url: `https://site-${added}.example/` })).body;
}

const refusedBody = (field: string) => ({ errorMessage: expect.any(String), fieldErrors: { [field]: [expect.any(String)] } });

describe("events and history", () => {
  test("of a site are its own, and come in pages", async () => {
    const { id } = await addSite();
    const site = api.store.sites.find(client.accountId, id);
    if (site === undefined) throw new Error("the site is gone");
    for (const to of [70, 60, 50]) {
      const data = { from: 80, to, band: "warn", rank: "fair" } as const;
      const change = () => ({ state: newSiteState, events: [{ type: "site.score_dropped", token: null, data } as const] });
      await api.store.siteRuns.noteState(site, change, new Date());
    }
    const first = (await client.call("GET", `/sites/${id}/events?limit=2`)).body;
    const second = (await client.call("GET", `/sites/${id}/events?limit=2&cursor=${first.nextCursor}`)).body;
    const ofAll = [...first.items, ...second.items];
    expect([ofAll.map(({ data }) => data.to), second.nextCursor]).toEqual([[50, 60, 70], null]);
    expect(ofAll[0]).toMatchObject({
      id: expect.stringMatching(/^evt_/),
      type: "site.score_dropped",
      token: null,
      statusUrl: null,
      site: { id },
    });
    expect((await client.call("GET", "/events?limit=3")).body.items).toEqual(ofAll);
    expect((await other.call("GET", "/events")).body.items).toEqual([]);
    expect((await client.call("GET", `/sites/${id}/events?limit=0`)).status).toBe(400);
  });
  test("of measured runs, oldest first", async () => {
    const { id } = await addSite();
    for (const score of [70, 80]) {
      const run = await api.store.siteRuns.start({ accountId: client.accountId, siteId: id, kind: "manual", now: new Date() });
      if (typeof run === "string") throw new Error(run);
      const { token } = await api.finish();
      const history = { at: new Date(1_000 * score).toISOString(), token, score, band: "good", rank: "solid", open: 1 } as const;
      const reading = { ...history, certificateExpiresAt: null };
      const conclude = () => ({ state: newSiteState, site: { reading, trend: [score] }, events: [], rules: null, history });
      await api.store.siteRuns.conclude(run, conclude, new Date());
    }
    const { items } = (await client.call("GET", `/sites/${id}/history`)).body;
    expect(items.map((item) => [item.score, item.statusUrl === `/api/v1/scans/${item.token}`])).toEqual([
      [70, true],
      [80, true],
    ]);
    expect((await client.call("GET", `/sites/${id}`)).body).toMatchObject({ run: null, reading: { score: 80, open: 1 }, trend: [80] });
  });
});

describe("accepted findings", () => {
  const code = "security.missing-header.content-security-policy";
  test("are set, replaced and removed", async () => {
    const { id } = await addSite();
    const path = `/sites/${id}/accepted/${code}`;
    const { status, body } = await client.call("PUT", path, { reason: "x", until: "2099-12-31" });
    expect([status, body]).toMatchObject([200, { code, reason: "x", until: "2099-12-31" }]);
    const again = (await client.call("PUT", path, { reason: "y" })).body;
    expect((await client.call("GET", `/sites/${id}`)).body.accepted).toEqual([again]);
    expect([again.reason, again.until]).toEqual(["y", null]);
    expect((await client.call("DELETE", path)).status).toBe(204);
    const gone = await client.call("DELETE", path);
    expect([gone.status, gone.body.errorMessage]).toEqual([404, "There is no such acceptance."]);
  });
  test("count no longer as open in lists, until they are removed", async () => {
    const { id } = await addSite();
    const run = await api.store.siteRuns.start({ accountId: client.accountId, siteId: id, kind: "manual", now: new Date() });
    if (typeof run === "string") throw new Error(run);
    const { token } = await api.finish();
    const history = { at: new Date().toISOString(), token, score: 70, band: "warn", rank: "fair", open: 2 } as const;
    const known = { checkKey: "a", severity: "high", state: "open", since: history.at, urls: [], flips: [], unstable: false } as const;
    const state = {
      ...newSiteState,
      findings: { [code]: known, "security.a.b": known, "security.a.c": { ...known, state: "resolved" as const } },
    };
    const conclude = () => ({ state, site: { reading: { ...history, certificateExpiresAt: null } }, events: [], rules: null, history });
    await api.store.siteRuns.conclude(run, conclude, new Date());
    const openNow = async () => (await client.call("GET", `/sites/${id}`)).body;
    await client.call("PUT", `/sites/${id}/accepted/${code}`, { reason: "x" });
    expect(await openNow()).toMatchObject({ reading: { open: 1 } });
    await client.call("DELETE", `/sites/${id}/accepted/${code}`);
    expect(await openNow()).toMatchObject({ reading: { open: 2 } });
  });
  test("are refused with 400, 409 and 413", async () => {
    const { id } = await addSite();
    const put = (body: object | string, of = code) => client.call("PUT", `/sites/${id}/accepted/${of}`, body);
    expect((await put({ reason: "x" }, "csp")).body).toEqual(refusedBody("code"));
    expect((await put({})).body).toEqual(refusedBody("reason"));
    expect((await put("")).body).toEqual(refusedBody("reason"));
    expect((await put({ reason: "x", until: "2020-01-01" })).body).toEqual(refusedBody("until"));
    expect((await put({ reason: "x", unitl: "2099-01-01" })).body).toEqual(refusedBody("unitl"));
    expect((await put({ reason: "x".repeat(20_000) })).status).toBe(413);
    const accepted = Array.from({ length: acceptedFindingsMax }, (_, at) => ({
      code: `security.a.b${at}`,
      reason: "x",
      until: null,
      acceptedAt: "",
    }));
    await api.store.sites.change(client.accountId, id, () => ({ accepted }));
    expect((await put({ reason: "x" })).status).toBe(409);
  });
});
