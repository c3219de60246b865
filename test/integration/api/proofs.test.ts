/** /api/v1/proofs on a running server with a real store. Nothing runs a proof here: the tests end it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import type { Provers } from "../../../src/evidence/scan.ts";
import { type AccountClient, accountClient, addViewer, startAccountApi } from "../../support/account-api.ts";
import type { ApiUnderTest } from "../../support/api.ts";
import { proofBody } from "../../support/proof.ts";

const url = "https://site.example/";

let api: ApiUnderTest;
let owner: AccountClient;
let other: AccountClient;
const ended: string[] = [];
const provers: Record<string, Provers> = {};

beforeAll(async () => {
  api = await startAccountApi({
    locations: { names: () => ["berlin", "paris"], provers: (location) => provers[location] ?? { present: 0, unable: [] } },
    cancelProof: async (token) => {
      ended.push(token);
      return "cancelled";
    },
  });
  [owner, other] = [await accountClient(api), await accountClient(api)];
});
afterAll(async () => {
  expect(api.troubles()).toEqual([]);
  await api.stop();
});

async function started(body: object = { url }, by = owner): Promise<string> {
  const answer = await by.call("POST", "/proofs", body);
  expect(answer.status).toBe(202);
  return answer.body.token;
}

const read = (token: string, by = owner) => by.call("GET", `/proofs/${token}`);
const claim = () => api.store.scans.claimNext("local", new Date());
/** Ends the proofs that earlier tests have left in the queue. */
async function emptyQueue(): Promise<void> {
  for (let job = await claim(); job !== undefined; job = await claim())
    await api.store.scans.finishProof(job.token, proofBody(), new Date());
}

test("a proof is started, followed by its steps, and read once it is finished", async () => {
  const before = api.woken;
  const answer = await owner.call("POST", "/proofs", { url: `${url}#part`, draft: "hosts" });
  const { token } = answer.body;
  const statusUrl = `/api/v1/proofs/${token}`;
  expect([answer.status, answer.body]).toEqual([202, { token, id: expect.any(Number), status: "queued", statusUrl }]);
  expect([answer.headers.get("location"), answer.headers.get("x-robots-tag"), api.woken]).toEqual([statusUrl, "noindex", before + 1]);
  const queued = await read(token);
  expect(queued.body).toMatchObject({ url, status: "queued", step: null, endedAt: null, errorCode: null, proof: null });
  expect(["cache-control", "x-robots-tag", "retry-after"].map((name) => queued.headers.get(name))).toEqual(["no-store", "noindex", "2"]);

  expect((await claim())?.token).toBe(token);
  await api.store.proofs.setStep(token, "enforce");
  expect((await read(token)).body).toMatchObject({ status: "running", step: "enforce", proof: null });
  await api.store.scans.finishProof(token, proofBody(), new Date());
  const finished = await read(token);
  expect(finished.body).toMatchObject({
    status: "finished",
    step: null,
    endedAt: expect.any(String),
    errorMessage: null,
    proof: proofBody(),
  });
  expect(finished.headers.get("retry-after")).toBeNull();
});

test("what is asked for is stored as a plan", async () => {
  const policy = "default-src 'self';\n  img-src *";
  const token = await started({ url, headers: [`Content-Security-Policy: ${policy}`, "X-Frame-Options: DENY", "Server:"] });
  expect(api.store.proofs.find(token)?.plan).toEqual({
    policy: "default-src 'self'; img-src *",
    draft: null,
    headers: [
      { name: "X-Frame-Options", value: "DENY" },
      { name: "Server", value: null },
    ],
  });
  expect(api.store.proofs.find(await started({ url }))?.plan).toEqual({ policy: null, draft: "strict-hash", headers: [] });
  expect(api.store.proofs.find(await started({ url, draft: "hosts", headers: ["A: b"] }))?.plan.draft).toBe("hosts");
  await emptyQueue();
});

test("several pages of one origin are proven together, each once", async () => {
  const pages = [`${url}b`, url, `${url}b#c`];
  const token = await started({ url, pages });
  expect([api.store.proofs.find(token)?.urls, (await read(token)).body.url]).toEqual([[url, `${url}b`], url]);
  const many = Array.from({ length: 24 }, (_, at) => `${url}${at}`);
  expect(api.store.proofs.find(await started({ url, pages: many }))?.urls).toHaveLength(25);
  await emptyQueue();
});

test("a proof is no scan", async () => {
  const token = await started();
  await emptyQueue();
  expect((await owner.call("GET", "/scans")).body.items).toEqual([]);
  for (const path of [`/scans/${token}`, `/scans/${token}/security`, `/scans/${token}/result`, `/scans/${token}/report.pdf`])
    expect((await owner.call("GET", path)).status).toBe(404);
  expect((await owner.call("DELETE", `/scans/${token}`)).status).toBe(404);
  expect(api.store.publicScans.list({ limit: 9, cursor: null }).items).toEqual([]);
  const scan = await api.start(owner.token, url);
  expect((await read(scan.token)).status).toBe(404);
  await api.finish();
});

test("its account and members read it, others get 404, and guests' proofs are read with their token", async () => {
  const token = await started();
  expect([(await read(token, other)).status, (await read("x".repeat(22))).status, (await read("short")).status]).toEqual([404, 404, 404]);
  await addViewer(api, other);
  const viewer = await api.store.apiTokens.create({ accountId: 1, name: "viewer", now: new Date() });
  const asViewer = async (path: string) => (await api.request(`/api/v1/proofs/${path}`, { token: viewer.value })).status;
  const shared = await started({ url }, other);
  expect([await asViewer(shared), await asViewer(token)]).toEqual([200, 404]);
  expect((await api.request(`/api/v1/proofs/${shared}`, { method: "DELETE", token: viewer.value })).status).toBe(404);
  const guest = await api.store.proofs.queue({
    accountId: null,
    urls: [url],
    plan: { policy: null, draft: "hosts", headers: [] },
    now: new Date(),
  });
  expect((await read(guest === "full" ? "" : guest.token)).status).toBe(200);
  expect((await api.request(`/api/v1/proofs/${token}`)).status).toBe(401);
  await emptyQueue();
});

test("the list has the proofs of the account alone, newest first", async () => {
  const client = await accountClient(api);
  const [first, second, third] = [await started({ url }, client), await started({ url }, client), await started({ url }, client)];
  const page = await client.call("GET", "/proofs?limit=2");
  expect(page.body.items.map(({ token }) => token)).toEqual([third, second]);
  expect(page.body.items[0]).not.toHaveProperty("proof");
  const rest = await client.call("GET", `/proofs?limit=2&cursor=${page.body.nextCursor}`);
  expect([rest.body.items.map(({ token }) => token), rest.body.nextCursor]).toEqual([[first], null]);
  expect((await client.call("GET", "/proofs?limit=0")).status).toBe(400);
  await emptyQueue();
});

describe("a cancelled proof", () => {
  test("is gone if it waited", async () => {
    const endedBefore = ended.length;
    const token = await started();
    expect((await owner.call("DELETE", `/proofs/${token}`, undefined)).status).toBe(204);
    expect([(await read(token)).status, (await owner.call("DELETE", `/proofs/${token}`)).status]).toEqual([404, 404]);
    expect([api.store.scans.queueLength(), api.cancelled.at(-1), ended.length]).toEqual([0, token, endedBefore]);
  });
  test("ends if it runs, and stays if it is over", async () => {
    const token = await started();
    await claim();
    expect((await owner.call("DELETE", `/proofs/${token}`)).status).toBe(204);
    expect(ended.at(-1)).toBe(token);
    await api.store.scans.fail(token, { code: "cancelled", evidence: null, timings: {}, now: new Date() });
    expect((await read(token)).body).toMatchObject({
      status: "cancelled",
      errorCode: "cancelled",
      errorMessage: enGb.proof.cancelled,
    });
    expect((await read(token, other)).status).toBe(404);
  });
});

test("the same idempotency key gives the same proof, and another request with it 422", async () => {
  const headers = { "idempotency-key": "proof-1" };
  const first = await owner.call("POST", "/proofs", { url }, headers);
  const again = await owner.call("POST", "/proofs", { url: `${url}#x` }, headers);
  expect([again.status, again.body, again.headers.get("idempotency-replayed")]).toEqual([202, first.body, "true"]);
  for (const body of [{ url, draft: "hosts" }, { url, headers: ["A: b"] }, { url: `${url}b` }])
    expect((await owner.call("POST", "/proofs", body, headers)).status).toBe(422);
  expect((await owner.call("POST", "/scans", { url }, headers)).status).toBe(422);
  expect(api.store.scans.queueLength()).toBe(1);
  await emptyQueue();
});

test("each page counts as eight scans of the account's hour, and a repeated request once", async () => {
  const client = await accountClient(api);
  const [key, pages] = [{ "idempotency-key": "counted" }, Array.from({ length: 24 }, (_, at) => `${url}${at}`)];
  const first = await client.call("POST", "/proofs", { url, pages }, key);
  const again = await client.call("POST", "/proofs", { url, pages }, key);
  expect([first.status, again.status, again.body.token]).toEqual([202, 202, first.body.token]);
  const refused = await client.call("POST", "/proofs", { url, pages: pages.slice(0, 12) });
  expect([refused.status, refused.body.errorMessage]).toEqual([
    429,
    expect.stringMatching(/^Each page of a proof counts as 8 scans, and an account may start 300 scans an hour by proofs and pages\. Try/),
  ]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3_000);
  expect((await client.call("POST", "/proofs", { url, pages: pages.slice(0, 11) })).status).toBe(202);
  expect((await client.call("POST", "/proofs", { url })).status).toBe(429);
  await emptyQueue();
});

test("a proof that finds the queue full counts for nothing", async () => {
  const full = await startAccountApi({ queueMax: 1 });
  const client = await accountClient(full);
  const pages = Array.from({ length: 24 }, (_, at) => `${url}${at}`);
  const start = async (body: object) => (await client.call("POST", "/proofs", body)).status;
  expect([await start({ url }), await start({ url, pages }), await start({ url, pages })]).toEqual([202, 503, 503]);
  await full.store.scans.claimNext("local", new Date());
  expect(await start({ url, pages })).toBe(202);
  await full.stop();
});

describe("the location of a proof", () => {
  test("is the server itself, also by name", async () => {
    const token = await started({ url, location: "local" });
    expect((await claim())?.token).toBe(token);
    await api.store.scans.finishProof(token, proofBody(), new Date());
  });

  test("of workers is refused with their names and releases, and nothing waits", async () => {
    const { workers } = api.store;
    for (const [id, name, location] of [
      ["UA", "one", "berlin"],
      ["UB", "two", "berlin"],
      ["UC", "gone", "berlin"],
      ["UD", "three", "paris"],
    ] as const)
      await workers.enrol({ id, name, location, now: new Date() });
    await workers.noteSeen("UA", { version: "0.9.0", slots: 2, reach: "public", now: new Date() });
    await workers.revoke("UC", new Date());
    provers.berlin = { present: 3, unable: ["UA", "UB"] };
    const refused = await owner.call("POST", "/proofs", { url, location: "berlin" });
    expect([refused.status, refused.body.errorMessage]).toEqual([
      409,
      "No proof can run at the location berlin now. These workers cannot visit pages with changed headers: one (0.9.0), two (release unknown).",
    ]);
    const withoutWorkers = await owner.call("POST", "/proofs", { url, location: "paris" });
    expect([withoutWorkers.status, withoutWorkers.body.errorMessage]).toEqual([
      409,
      "No proof can run at the location paris now. No worker takes jobs there.",
    ]);
    expect(api.store.scans.queueLength()).toBe(0);
  });

  test("whose workers can all visit waits there, and is another request than one without", async () => {
    provers.berlin = { present: 2, unable: [] };
    const key = { "idempotency-key": "berlin-1" };
    const prover = await accountClient(api);
    const first = await prover.call("POST", "/proofs", { url, location: "berlin" }, key);
    expect(first.status).toBe(202);
    const token = String(first.body.token);
    expect((await prover.call("POST", "/proofs", { url }, key)).status).toBe(422);
    expect((await prover.call("GET", `/proofs/${token}`)).body).toMatchObject({ location: "berlin", status: "queued" });
    expect(await api.store.scans.claimNext("local", new Date())).toBeUndefined();
    expect((await api.store.scans.claimNext("berlin", new Date()))?.token).toBe(token);
    await api.store.scans.finishProof(token, proofBody(), new Date());
  });

  test("that is not known is a fault of the request", async () => {
    const refused = await owner.call("POST", "/proofs", { url, location: "rome" });
    expect([refused.status, refused.body.fieldErrors]).toEqual([400, { location: ["must be one of local, berlin, paris"] }]);
  });
});

describe("bad input is refused, and nothing waits", () => {
  const csp = (policy: string) => ({ url, headers: ["X-A: b", `Content-Security-Policy: ${policy}`] });
  test.each([
    ["no url", {}, "url", "is required"],
    ["a url that is none", { url: "site" }, "url", "must be an absolute URL that begins with http:// or https://"],
    ["an unknown field", { url, header: ["A: b"] }, "header", "is not known here; did you mean headers?"],
    ["a page of another origin", { url, pages: ["http://site.example/"] }, "pages", "must have the origin of url"],
    ["a page that is none", { url, pages: [`${url}a`, "b"] }, "pages", /^entry 2 must be an absolute URL/],
    ["too many pages", { url, pages: Array.from({ length: 25 }, (_, at) => `${url}${at}`) }, "pages", "must have 0 to 24 entries"],
    ["an unknown draft", { url, draft: "loose" }, "draft", "must be one of strict, hosts"],
    ["headers that are no list", { url, headers: "A: b" }, "headers", "must be a list"],
    ["a field without a colon", { url, headers: ["A b"] }, "headers", 'entry 1 must be "Name: value"'],
    ["a field with a line break", { url, headers: ["A: b\r\nC: d"] }, "headers", "entry 1 may have printable ASCII characters only"],
    ["too many fields", { url, headers: Array.from({ length: 21 }, (_, at) => `A${at}: b`) }, "headers", "must have 0 to 20 entries"],
    [
      "two policies",
      { url, headers: ["content-security-policy: img-src *", "Content-Security-Policy: img-src *"] },
      "headers",
      /^entry 2 is a second/,
    ],
    ["a policy and a draft", { ...csp("img-src *"), draft: "strict" }, "draft", "excludes a Content-Security-Policy among the headers"],
    ["no policy", csp(""), "headers", "entry 2, line 1, column 1: there is no policy"],
    [
      "a directive that is none",
      csp("scrpt-src 'self'"),
      "headers",
      'entry 2, line 1, column 26: "scrpt-src" is no directive; did you mean script-src?',
    ],
    [
      "a keyword without quotes",
      csp("img-src *;\nscript-src self"),
      "headers",
      `entry 2, line 2, column 12: "self" needs quotes; did you mean 'self'?`,
    ],
  ])("%s", async (_name, body, field, text) => {
    const answer = await owner.call("POST", "/proofs", body);
    expect([answer.status, answer.body.fieldErrors]).toEqual([
      400,
      { [field]: [text instanceof RegExp ? expect.stringMatching(text) : text] },
    ]);
    expect(api.store.scans.queueLength()).toBe(0);
  });
  test("a body that is too long", async () => {
    expect((await owner.call("POST", "/proofs", { url, headers: [`A: ${"b".repeat(70_000)}`] })).status).toBe(413);
  });
});
