/** The API of watched sites on a running server with a real store. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { planTerms } from "../../../src/accounts/account-operations.ts";
import { DataDirError } from "../../../src/store/data-dir.ts";
import { type AccountClient, type AnswerBody, accountClient, startAccountApi } from "../../support/account-api.ts";
import type { ApiUnderTest } from "../../support/api.ts";
import { newSite } from "../../support/watched-sites.ts";

let api: ApiUnderTest;
let client: AccountClient;
let other: AccountClient;

beforeAll(async () => {
  api = await startAccountApi({ queueMax: 30 });
  client = await accountClient(api);
  other = await accountClient(api);
});
afterAll(async () => {
  expect(api.troubles()).toEqual([]);
  await api.stop();
});

let added = 0;
async function addSite(fields: object = {}): Promise<{ readonly id: number; readonly url: string }> {
  added += 1;
  const { status, body } = await client.call("POST", "/sites", { url: `https://site-${added}.example/`, ...fields });
  expect(status).toBe(201);
  return body as { id: number; url: string };
}

const refusedBody = (field: string) => ({ errorMessage: expect.any(String), fieldErrors: { [field]: [expect.any(String)] } });

test("each change is a line in the log, with the account that made it", async () => {
  const before = api.logged.length;
  const { id } = await addSite();
  await client.call("PATCH", `/sites/${id}`, { paused: true });
  await client.call("DELETE", `/sites/${id}`);
  const lines = api.logged.slice(before).map((line) => JSON.parse(line));
  const { accountId } = client;
  expect(lines).toMatchObject([
    { event: "sites added", owner: accountId, by: accountId, sites: 1 },
    { event: "site changed", owner: accountId, by: accountId, site: id },
    { event: "sites deleted", owner: accountId, by: accountId, sites: 1 },
  ]);
});

describe("adding a site", () => {
  test("answers 201 with the site, and wakes the clock", async () => {
    const woken = api.services.woken.clock;
    const given = { url: "HTTPS://Bakery.Example#x", client: "Miller", tags: ["shop"], pages: ["https://bakery.example/a"] };
    const { status, headers, body } = await client.call("POST", "/sites", {
      ...given,
      schedule: { cron: "0 3 * * 1", zone: "Europe/Berlin" },
    });
    expect([status, headers.get("location")]).toEqual([201, `/api/v1/sites/${body.id}`]);
    expect(body).toMatchObject({
      name: "bakery.example",
      url: "https://bakery.example/",
      pages: ["https://bakery.example/a"],
      client: "Miller",
      tags: ["shop"],
      location: "local",
      schedule: { cron: "0 3 * * 1", zone: "Europe/Berlin" },
      paused: false,
      accepted: [],
      run: null,
      reading: null,
      trend: [],
    });
    expect(body.nextRuns).toHaveLength(3);
    expect(body.nextRuns[0]).toBe(body.nextRunAt);
    expect(body.nextRuns.map((at: string) => new Date(at).getUTCDay())).toEqual([1, 1, 1]);
    expect(api.services.woken.clock).toBe(woken + 1);
    expect((await client.call("GET", `/sites/${body.id}`)).body).toEqual(body);
  });
  test("409 for an address that the account watches already; another account may", async () => {
    const { url } = await addSite();
    const answer = await client.call("POST", "/sites", { url: `${url}#again` });
    expect([answer.status, answer.body]).toEqual([409, refusedBody("url")]);
    expect((await other.call("POST", "/sites", { url })).status).toBe(201);
  });
  test("403 beyond the plan, with why", async () => {
    const full = await accountClient(api);
    const { sites: sitesMax } = planTerms.agency;
    const now = new Date();
    const sites = Array.from({ length: sitesMax }, (_, at) => newSite({ accountId: full.accountId, url: `https://s${at}.example/`, now }));
    await api.store.sites.add(sites, sitesMax);
    const { status, body } = await full.call("POST", "/sites", { url: "https://more.example/" });
    expect([status, body.errorMessage]).toEqual([403, expect.stringContaining('The plan "agency" has at most 1000 sites')]);
  });

  test.each<readonly [string, object | string, string]>([
    ["no body", "", "url"],
    ["no JSON", "{", "url"],
    ["a list", "[]", "url"],
    ["no url", {}, "url"],
    ["a relative url", { url: "/x" }, "url"],
    ["a long name", { url: "https://x.example/", name: "x".repeat(101) }, "name"],
    ["an unknown location", { url: "https://x.example/", location: "mars" }, "location"],
    ["another origin", { url: "https://x.example/", pages: ["https://y.example/"] }, "pages"],
    ["bad cron", { url: "https://x.example/", schedule: { cron: "* * * * *", zone: "UTC" } }, "schedule"],
    ["a misspelled field", { url: "https://x.example/", shedule: { every: "daily" } }, "shedule"],
    ["a field that only answers have", { url: "https://x.example/", id: 7 }, "id"],
    ["a prototype", '{"url":"https://x.example/","__proto__":{}}', "__proto__"],
  ])("400 for %s", async (_words, body, field) => {
    const answer = await client.call("POST", "/sites", body);
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body)).toEqual(["errorMessage", "fieldErrors"]);
    expect(Object.keys(answer.body.fieldErrors)).toEqual([field]);
  });
  test("400 names what is wrong, and suggests a field", async () => {
    const { body } = await client.call("POST", "/sites", { url: "https://x.example/", pages: ["https://x.example/a", "x"], tags: ["a|b"] });
    expect(body.fieldErrors).toEqual({
      pages: ["must be an absolute URL that begins with http:// or https:// (entry 2)"],
      tags: ["must not contain one of the characters , ; | (entry 1)"],
    });
    const stray = await client.call("POST", "/sites", { url: "https://x.example/", shedule: {} });
    expect(stray.body.errorMessage).toBe("shedule is not known here; did you mean schedule?.");
    expect(JSON.stringify((await client.call("POST", "/sites", { url: "https://u:secret@x.example/" })).body)).not.toContain("secret");
  });
  test("400 for another media type, 413 for a long body", async () => {
    expect((await client.call("POST", "/sites", "{}", { "content-type": "text/plain" })).status).toBe(400);
    expect((await client.call("POST", "/sites", `{"name":"${"x".repeat(20_000)}"}`)).status).toBe(413);
  });
  test("401 without a token, and for one that is revoked while the body arrives; 403 for a plan without API", async () => {
    const headers = { "content-type": "application/json" };
    expect((await api.request("/api/v1/sites", { method: "POST", headers, body: "{}" })).status).toBe(401);
    const free = await api.customer("free");
    expect((await api.request("/api/v1/sites", { token: free.token })).status).toBe(403);
    const slow = await accountClient(api);
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue('{"url":');
        await Bun.sleep(50);
        await slow.revoke();
        controller.enqueue('"https://slow.example/"}');
        controller.close();
      },
    });
    expect((await api.request("/api/v1/sites", { method: "POST", token: slow.token, headers, body })).status).toBe(401);
    expect(api.store.sites.list(slow.accountId)).toEqual([]);
  });
  test("429 beyond the limit of requests", async () => {
    const limited = await startAccountApi({ requestLimit: { requestsMax: 1, windowSeconds: 60 } });
    const caller = await accountClient(limited);
    expect([(await caller.call("GET", "/sites")).status, (await caller.call("GET", "/sites")).status]).toEqual([200, 429]);
    await limited.stop();
  });
  test("503 with Retry-After when the disk is full", async () => {
    const broken = await startAccountApi();
    broken.store.sites.add = () => Promise.reject(new DataDirError("full", "no room left"));
    const { status, headers } = await (await accountClient(broken)).call("POST", "/sites", { url: "https://x.example/" });
    expect([status, headers.get("retry-after")]).toEqual([503, "30"]);
    await broken.stop();
  });
});

describe("the list of sites", () => {
  let lister: AccountClient;
  beforeAll(async () => {
    lister = await accountClient(api);
    const sites = [
      { url: "https://one.example/", client: "Miller", tags: ["shop"] },
      { url: "https://two.example/", client: "Miller", name: "Zwei" },
      { url: "https://three.example/", tags: ["shop", "blog"] },
    ];
    for (const site of sites) expect((await lister.call("POST", "/sites", site)).status).toBe(201);
  });
  const urlsOf = (body: AnswerBody) => body.items.map(({ url }) => url?.slice(8, -9));

  test.each<readonly [string, readonly string[]]>([
    ["", ["three", "two", "one"]],
    ["?client=Miller", ["two", "one"]],
    ["?client=", ["three"]],
    ["?client=miller", []],
    ["?tag=shop", ["three", "one"]],
    ["?q=ZWEI", ["two"]],
    ["?q=blog", ["three"]],
    ["?q=mill&tag=shop", ["one"]],
    ["?unknown=1", ["three", "two", "one"]],
  ])("%s", async (query, expected) => {
    const { status, body } = await lister.call("GET", `/sites${query}`);
    expect([status, urlsOf(body), body.nextCursor]).toEqual([200, [...expected], null]);
  });
  test("comes in pages", async () => {
    const first = (await lister.call("GET", "/sites?limit=2")).body;
    expect([urlsOf(first), first.nextCursor]).toEqual([["three", "two"], String(first.items[1]?.id)]);
    const second = (await lister.call("GET", `/sites?limit=2&cursor=${first.nextCursor}`)).body;
    expect([urlsOf(second), second.nextCursor]).toEqual([["one"], null]);
  });
  test.each(["limit=0", "limit=101", "limit=1e1", "cursor=x", "cursor=0", "limit=1&limit=2", "tag=a&tag=b", `q=${"x".repeat(101)}`])(
    "400 for ?%s",
    async (query) => expect((await lister.call("GET", `/sites?${query}`)).status).toBe(400),
  );
});

describe("one site", () => {
  const actions: readonly (readonly [method: string, path: string, body: object | undefined])[] = [
    ["GET", "", undefined],
    ["PATCH", "", { name: "x" }],
    ["DELETE", "", undefined],
    ["POST", "/scan", undefined],
    ["GET", "/events", undefined],
    ["GET", "/history", undefined],
    ["PUT", "/accepted/security.a.b", { reason: "x" }],
    ["DELETE", "/accepted/security.a.b", undefined],
  ];
  test.each(actions)("%s %s is the same 404 for another account's, an unknown and a malformed id", async (method, path, body) => {
    const { id } = await addSite();
    for (const given of [id, 999_999, "0", "01", "-1", "x", "1e1", "%zz"]) {
      const answer = await other.call(method, `/sites/${given}${path}`, body);
      expect([given, answer.status, answer.body]).toEqual([given, 404, { errorMessage: "There is no such site." }]);
    }
    expect(api.store.sites.find(client.accountId, id)).toMatchObject({ name: expect.stringContaining("site-"), accepted: [] });
  });
  test("is changed field by field", async () => {
    const { id, url } = await addSite({ tags: ["a"], client: "Miller" });
    const woken = api.services.woken.clock;
    const { status, body } = await client.call("PATCH", `/sites/${id}`, { paused: true, client: null });
    expect([status, body]).toMatchObject([200, { id, url, tags: ["a"], client: null, paused: true, nextRunAt: null, nextRuns: [] }]);
    expect(api.services.woken.clock).toBe(woken + 1);
    expect((await client.call("PATCH", `/sites/${id}`, { paused: false })).body.nextRunAt).not.toBe(null);
    const moved = await client.call("PATCH", `/sites/${id}`, { url: `${url}start`, pages: [`${url}a`] });
    expect(moved.body).toMatchObject({ url: `${url}start`, pages: [`${url}a`] });
  });
  test("is not changed by a refused change", async () => {
    const [first, second] = [await addSite(), await addSite()];
    const before = api.store.sites.find(client.accountId, first.id);
    const refusals: readonly (readonly [object | string, number])[] = [
      [{}, 400],
      ["[]", 400],
      ["", 400],
      [{ url: second.url }, 409],
      [{ name: "fine", pages: ["https://else.example/"] }, 400],
      [{ schedule: null }, 400],
      [{ paused: null }, 400],
      [{ accepted: [] }, 400],
    ];
    for (const [body, status] of refusals)
      expect([body, (await client.call("PATCH", `/sites/${first.id}`, body)).status]).toEqual([body, status]);
    expect(api.store.sites.find(client.accountId, first.id)).toEqual(before as object);
  });
  test("is gone after its removal, with its rules; its scans stay", async () => {
    const { id } = await addSite();
    const { scans } = (await client.call("POST", `/sites/${id}/scan`)).body;
    await api.finish();
    expect((await client.call("DELETE", `/sites/${id}`)).status).toBe(204);
    expect((await client.call("DELETE", `/sites/${id}`)).status).toBe(404);
    expect((await client.call("GET", `/scans/${scans[0]?.token}`)).status).toBe(200);
  });
  test("405 names the methods of each path", async () => {
    const { id } = await addSite();
    const allow = async (method: string, path: string) => {
      const answer = await client.call(method, path);
      return [answer.status, answer.headers.get("allow")];
    };
    expect(await allow("PUT", `/sites/${id}`)).toEqual([405, "DELETE, GET, HEAD, OPTIONS, PATCH"]);
    expect(await allow("GET", "/sites/bulk")).toEqual([405, "DELETE, OPTIONS, PATCH, POST"]);
    expect(await allow("GET", `/sites/${id}/scan`)).toEqual([405, "OPTIONS, POST"]);
    expect((await client.call("GET", `/sites/${id}/nothing`)).status).toBe(404);
  });
});

describe("a scan by hand", () => {
  test("queues a scan of each address, once, also while paused", async () => {
    const { id, url } = await addSite({ paused: true });
    await client.call("PATCH", `/sites/${id}`, { pages: [`${url}a`] });
    const woken = api.woken;
    const { status, body } = await client.call("POST", `/sites/${id}/scan`);
    expect([status, body.kind, body.scans.map((scan: { url: string }) => scan.url)]).toEqual([202, "manual", [url, `${url}a`]]);
    expect(api.woken).toBe(woken + 1);
    const { token, statusUrl } = body.scans[0] ?? { token: null };
    expect(statusUrl).toBe(`/api/v1/scans/${token}`);
    expect((await client.call("GET", `/scans/${token}/security`)).body).toMatchObject({ token, url, status: "queued" });
    expect((await client.call("GET", `/sites/${id}`)).body.run).toEqual(body);
    expect((await client.call("POST", `/sites/${id}/scan`)).status).toBe(409);
    await api.finish();
    await api.finish();
  });
  test("503 with Retry-After when the queue has no space for all addresses, and queues none", async () => {
    const { url, id } = await addSite();
    await client.call("PATCH", `/sites/${id}`, { pages: Array.from({ length: 24 }, (_, at) => `${url}${at}`) });
    const busy = Array.from({ length: 10 }, (_, at) => `https://busy-${at}.example/`);
    await client.call("POST", "/scans/bulk", { urls: busy });
    const { status, headers } = await client.call("POST", `/sites/${id}/scan`);
    expect([status, headers.get("retry-after"), api.store.scans.queueLength()]).toEqual([503, "30", 10]);
    expect((await client.call("GET", `/sites/${id}`)).body.run).toBe(null);
    for (const scan of api.store.scans.listQueued(30)) await api.store.scans.cancel(client.accountId, scan.token);
  });
});
