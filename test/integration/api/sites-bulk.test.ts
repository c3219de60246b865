/** Many sites in one request: JSON and CSV, preview, changes and removals. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { planTerms } from "../../../src/accounts/account-operations.ts";
import { bulkBodyBytesMax } from "../../../src/api/body.ts";
import { bulkSitesMax } from "../../../src/api/sites/bulk.ts";
import { csvBytesMax } from "../../../src/parse/site-csv.ts";
import { DataDirError } from "../../../src/store/data-dir.ts";
import { siteTagsMax } from "../../../src/store/sites.ts";
import { type AccountClient, type AnswerBody, accountClient, startAccountApi } from "../../support/account-api.ts";
import type { ApiUnderTest } from "../../support/api.ts";
import { addSite, newSite } from "../../support/watched-sites.ts";

let api: ApiUnderTest;
let client: AccountClient;

beforeAll(async () => {
  api = await startAccountApi();
});
beforeEach(async () => {
  client = await accountClient(api);
});
afterAll(async () => {
  expect(api.troubles()).toEqual([]);
  await api.stop();
});

const urlOf = (at: number) => `https://site-${at}.example/`;
const sitesOf = (count: number) => Array.from({ length: count }, (_, at) => ({ url: urlOf(at) }));
const csv = (text: string | Uint8Array<ArrayBuffer>, query = "") =>
  api.request(`/api/v1/sites/bulk${query}`, {
    method: "POST",
    token: client.token,
    headers: { "content-type": "text/csv; charset=utf-8" },
    body: text,
  });
const statusesOf = ({ items }: AnswerBody) => items.map(({ error }) => error?.status ?? 201);
const stored = () => api.store.sites.list(client.accountId);

describe("adding many sites", () => {
  test(`takes ${bulkSitesMax} in their order, as one request, and wakes the clock once`, async () => {
    const woken = api.services.woken.clock;
    const { status, headers, body } = await client.call("POST", "/sites/bulk", { sites: sitesOf(bulkSitesMax) });
    expect([status, headers.get("ratelimit-remaining")]).toEqual([200, String(Number(headers.get("ratelimit-limit")) - 1)]);
    expect(body.items.map(({ index, line, url }) => [index, line, url])).toEqual(
      sitesOf(bulkSitesMax).map(({ url }, at) => [at, null, url]),
    );
    expect(stored().map(({ id, url }) => [id, url])).toEqual(body.items.map(({ site, url }) => [site?.id, url]) as [number, string][]);
    expect(api.services.woken.clock).toBe(woken + 1);
  });
  test("a bad line stops no other, and is never quoted", async () => {
    const sites = [
      { url: "HTTPS://A.example", name: "A", client: "M", tags: ["x"], schedule: { every: "daily" }, paused: true },
      { url: "https://user:secret@b.example/" },
      "https://c.example/",
      null,
      { url: "https://d.example/", clinet: "M" },
      { url: "https://e.example/", pages: ["https://f.example/"] },
      { url: "https://a.example/#again" },
      { url: "https://g.example/" },
    ];
    const { body } = await client.call("POST", "/sites/bulk", { sites });
    expect(statusesOf(body)).toEqual([201, 400, 400, 400, 400, 400, 409, 201]);
    expect(JSON.stringify(body)).not.toContain("secret");
    expect(body.items[0]?.site).toMatchObject({
      name: "A",
      client: "M",
      tags: ["x"],
      schedule: { every: "daily" },
      paused: true,
      nextRunAt: null,
    });
    expect(body.items[4]?.error).toEqual({
      status: 400,
      errorMessage: "clinet is not known here; did you mean client?.",
      fieldErrors: { clinet: ["is not known here; did you mean client?"] },
    });
    expect([body.items[5]?.url, body.items[6]?.url]).toEqual([null, "https://a.example/"]);
    expect(stored().map(({ url }) => url)).toEqual(["https://a.example/", "https://g.example/"]);
  });
  test("refuses those beyond the plan with 403, each for itself", async () => {
    const now = new Date();
    const { sites: sitesMax } = planTerms.agency;
    const known = Array.from({ length: sitesMax - 2 }, (_, at) =>
      newSite({ accountId: client.accountId, url: `https://k${at}.example/`, now }),
    );
    await api.store.sites.add(known, sitesMax);
    const sites = [...sitesOf(3), { url: "https://k1.example/" }];
    for (const query of ["?dryRun=true", ""])
      expect(statusesOf((await client.call("POST", `/sites/bulk${query}`, { sites })).body)).toEqual([201, 201, 403, 409]);
  });
  test("shows with dryRun what it would do, and stores nothing", async () => {
    await addSite(api.store, { accountId: client.accountId, url: urlOf(0), now: new Date() });
    const woken = api.services.woken.clock;
    const sites = [...sitesOf(2), { url: urlOf(1) }, {}];
    const preview = (await client.call("POST", "/sites/bulk?dryRun=true", { sites })).body;
    expect(preview).toMatchObject({ dryRun: true, items: [{}, { site: { id: null, url: urlOf(1) } }, {}, {}] });
    expect([stored().length, api.services.woken.clock]).toEqual([1, woken]);
    const done = (await client.call("POST", "/sites/bulk?dryRun=false", { sites })).body;
    expect(statusesOf(preview)).toEqual([409, 201, 409, 400]);
    expect([done, statusesOf(done)]).toMatchObject([{ dryRun: false }, statusesOf(preview)]);
  });

  test("takes CSV, with the numbers of its lines", async () => {
    const text = `\ufeffurl;name;client;tags\r\n${urlOf(1)};Eins;"M; Co";a b\r\n\r\n${urlOf(2)};"open\r\nx;y\r\n${urlOf(3)};=1+1;;"c|d e"\r\n`;
    const response = await csv(text);
    const body = (await response.json()) as AnswerBody;
    expect(response.status).toBe(200);
    expect(body.items.map(({ index, line }) => [index, line])).toEqual([
      [0, 2],
      [1, 4],
      [2, 5],
      [3, 6],
    ]);
    expect(statusesOf(body)).toEqual([201, 400, 400, 201]);
    expect(body.items[1]?.error?.errorMessage).toBe("The line has a quoted cell that does not end on this line.");
    expect(stored()).toMatchObject([
      { url: urlOf(1), name: "Eins", client: "M; Co", tags: ["a", "b"] },
      { url: urlOf(3), name: "=1+1", client: null, tags: ["c", "d e"] },
    ]);
  });
  test(`takes ${bulkSitesMax} lines of CSV, and a preview of them`, async () => {
    const text = `url,name,client,tags\n${sitesOf(bulkSitesMax)
      .map(({ url }) => `${url},N,C,t\n`)
      .join("")}`;
    const preview = (await (await csv(text, "?dryRun=true")).json()) as AnswerBody;
    expect([preview.items.length, stored().length]).toEqual([bulkSitesMax, 0]);
    expect(statusesOf((await (await csv(text)).json()) as AnswerBody).every((status) => status === 201)).toBe(true);
    expect(stored()).toHaveLength(bulkSitesMax);
  });

  test.each<readonly [string, object | string, string]>([
    ["no body", "", "sites"],
    ["no sites", {}, "sites"],
    ["an empty list", { sites: [] }, "sites"],
    ["an object", { sites: { url: "https://a.example/" } }, "sites"],
    ["too many", { sites: sitesOf(bulkSitesMax + 1) }, "sites"],
    ["a misspelled field", { site: [] }, "site"],
  ])("400 for %s", async (_words, body, field) => {
    const answer = await client.call("POST", "/sites/bulk", body);
    expect([answer.status, Object.keys(answer.body.fieldErrors)]).toEqual([400, [field]]);
  });
  test("400 for CSV without a site or with too many, and for another media type", async () => {
    for (const text of ["", "url,name\n", `url\n${`${urlOf(1)}\n`.repeat(bulkSitesMax + 1)}`]) {
      const response = await csv(text);
      expect([response.status, Object.keys(((await response.json()) as AnswerBody).fieldErrors)]).toEqual([400, ["sites"]]);
    }
    expect((await client.call("POST", "/sites/bulk", "url", { "content-type": "text/plain" })).status).toBe(400);
    expect((await client.call("POST", "/sites/bulk?dryRun=yes", { sites: sitesOf(1) })).status).toBe(400);
    expect((await client.call("POST", "/sites/bulk?dryRun=true&dryRun=false", { sites: sitesOf(1) })).status).toBe(400);
  });
  test("413 above the limit of each kind of body", async () => {
    expect((await csv(`url\n${urlOf(1)}\n${"\n".repeat(csvBytesMax)}`)).status).toBe(413);
    expect((await client.call("POST", "/sites/bulk", `{"sites":[],"pad":"${"x".repeat(bulkBodyBytesMax)}"}`)).status).toBe(413);
  });
  test("503, and nothing stored, when the disk is full", async () => {
    const broken = await startAccountApi();
    broken.store.sites.add = () => Promise.reject(new DataDirError("full", "no room left"));
    const answer = await (await accountClient(broken)).call("POST", "/sites/bulk", { sites: sitesOf(1) });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "30"]);
    await broken.stop();
  });
});

describe("changing and removing many sites", () => {
  let ids: readonly number[];
  let foreignId: number;
  beforeEach(async () => {
    const { body } = await client.call("POST", "/sites/bulk", { sites: sitesOf(3).map((site, at) => ({ ...site, tags: [`t${at}`] })) });
    ids = body.items.map(({ site }) => Number(site?.id));
    const other = await accountClient(api);
    foreignId = (await addSite(api.store, { accountId: other.accountId, url: urlOf(9), now: new Date() })).id;
  });

  test("changes each that there is; unknown ids and those of others are the same 404", async () => {
    const change = { paused: true, client: "New", addTags: ["x"], removeTags: ["t1"], schedule: { every: "monthly" } };
    const { status, body } = await client.call("PATCH", "/sites/bulk", { ids: [...ids, ids[0], foreignId, 999_999], change });
    expect([status, body.items.map(({ id }) => id)]).toEqual([200, [...ids, foreignId, 999_999]]);
    const notFound = { status: 404, errorMessage: "There is no such site." };
    expect(body.items.map(({ error }) => error)).toEqual([undefined, undefined, undefined, notFound, notFound]);
    expect(stored().map(({ tags, client: of, paused, schedule, nextRunAt }) => [tags, of, paused, schedule, nextRunAt])).toEqual(
      [["t0", "x"], ["x"], ["t2", "x"]].map((tags) => [tags, "New", true, { every: "monthly" }, null]),
    );
  });
  test("sets the location, and accepts a finding at each of them", async () => {
    const accept = { code: "security.missing-header.content-security-policy", reason: "Ours", until: "2099-12-31" };
    const { body } = await client.call("PATCH", "/sites/bulk", { ids, change: { location: "local", accept } });
    expect(statusesOf(body)).toEqual(ids.map(() => 201));
    expect(stored().map(({ accepted }) => accepted)).toEqual(ids.map(() => [{ ...accept, acceptedAt: expect.any(String) }]));
  });
  test("a site that would have too many tags stays as it is", async () => {
    const [full = 0] = ids;
    const addTags = Array.from({ length: siteTagsMax }, (_, at) => `n${at}`);
    await api.store.sites.change(client.accountId, full, () => ({ tags: addTags.slice(1) }));
    const { body } = await client.call("PATCH", "/sites/bulk", { ids: ids.slice(0, 2), change: { addTags: ["a", "b"] } });
    expect(statusesOf(body)).toEqual([400, 201]);
    expect(stored()[0]?.tags).toEqual(addTags.slice(1));
  });
  test("scans each that there is and has no run under way", async () => {
    await client.call("POST", `/sites/${ids[1]}/scan`);
    const woken = api.woken;
    const { status, body } = await client.call("POST", "/sites/bulk/scan", { ids: [...ids, foreignId] });
    const items = body.items as unknown as { readonly id: number; readonly run?: { readonly kind: string; readonly scans: unknown[] } }[];
    expect([status, body.items.map(({ id, error }) => [id, error?.status])]).toEqual([
      200,
      [
        [ids[0], undefined],
        [ids[1], 409],
        [ids[2], undefined],
        [foreignId, 404],
      ],
    ]);
    expect([items[0]?.run?.kind, items[0]?.run?.scans.length, api.woken - woken]).toEqual(["manual", 1, 1]);
    expect(ids.map((id) => api.store.siteRuns.find(id)?.kind)).toEqual(["manual", "manual", "manual"]);
    expect(api.store.siteRuns.find(foreignId)).toBeUndefined();
  });
  test("removes each that there is", async () => {
    const { status, body } = await client.call("DELETE", "/sites/bulk", { ids: [ids[0], foreignId, ids[2]] });
    expect([status, body.items]).toMatchObject([
      200,
      [{ id: ids[0], removed: true }, { id: foreignId, error: { status: 404 } }, { removed: true }],
    ]);
    expect(stored().map(({ id }) => id)).toEqual([ids[1] as number]);
  });

  const oneId = () => [ids[0]];
  test.each<readonly [string, () => object, string]>([
    ["no ids", () => ({ change: { paused: true } }), "ids"],
    ["ids that are texts", () => ({ ids: ["1"], change: { paused: true } }), "ids"],
    ["a broken id", () => ({ ids: [1.5], change: { paused: true } }), "ids"],
    ["a broken id among others", () => ({ ids: [...oneId(), 1.5], change: { paused: true } }), "ids"],
    ["a broken id beside a bad schedule", () => ({ ids: [...oneId(), 1.5], change: { schedule: { every: "x" } } }), "ids"],
    ["an id of another magnitude", () => ({ ids: [1e21], change: { paused: true } }), "ids"],
    ["too many ids", () => ({ ids: Array.from({ length: bulkSitesMax + 1 }, (_, at) => at + 1), change: { paused: true } }), "ids"],
    ["no change", () => ({ ids: oneId() }), "change"],
    ["an empty change", () => ({ ids: oneId(), change: {} }), "change"],
    ["a change of the url", () => ({ ids: oneId(), change: { url: urlOf(5) } }), "url"],
    ["a bad schedule", () => ({ ids: oneId(), change: { schedule: { every: "x" } } }), "schedule"],
    ["bad tags", () => ({ ids: oneId(), change: { addTags: [""] } }), "tags"],
  ])("400 for %s", async (_words, body, field) => {
    const before = stored();
    const answer = await client.call("PATCH", "/sites/bulk", body());
    expect([answer.status, Object.keys(answer.body.fieldErrors)]).toEqual([400, [field]]);
    expect(stored()).toEqual([...before]);
  });
  test("400 for a removal without ids", async () => {
    expect((await client.call("DELETE", "/sites/bulk")).status).toBe(400);
    expect((await client.call("DELETE", "/sites/bulk", { ids: [], all: true })).status).toBe(400);
    expect(stored()).toHaveLength(3);
  });
});
