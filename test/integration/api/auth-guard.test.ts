/** Auth guard: 401, 429, 403 in this order, and all before validation of the request. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "../../support/api.ts";

let api: ApiUnderTest;

beforeEach(async () => {
  api = await startApi({
    requestLimit: { requestsMax: 3, windowSeconds: 60 },
    failedAuthenticationLimit: { requestsMax: 2, windowSeconds: 60 },
    config: { trusted_proxies: ["127.0.0.1"] },
  });
});
afterEach(async () => {
  expect(api.troubles()).toEqual([]);
  await api.stop();
});

const from = (address: string) => ({ headers: { "x-forwarded-for": address } });

/** One request for each error that may follow after the auth guard. */
const requests: readonly [words: string, path: string, init?: RequestInit][] = [
  ["a good request", "/api/v1/scans"],
  ["an unknown scan", `/api/v1/scans/${"0".repeat(22)}`],
  ["an unknown locale", `/api/v1/scans/${"0".repeat(22)}/security?locale=en_US`],
  ["an unknown route", "/api/v1/nothing"],
  ["an unknown version", "/api/v9/scans"],
  ["a wrong method", "/api/v1/scans", { method: "DELETE" }],
  ["a bad query", "/api/v1/scans?limit=0"],
  ["a body that is not JSON", "/api/v1/scans", { method: "POST", headers: { "content-type": "application/json" }, body: "{" }],
  ["a body without url", "/api/v1/scans", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }],
  ["a body too large", "/api/v1/scans", { method: "POST", headers: { "content-type": "application/json" }, body: "x".repeat(20_000) }],
];

async function expectError(response: Response, status: number): Promise<void> {
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ errorMessage: expect.any(String) });
}

/** The log has the reason and the token's id, never its value. */
function expectLogged(because: string, token: string): void {
  const lines = api.logged.splice(0);
  expect(lines).toEqual([expect.stringContaining(`"because":"${because}"`)]);
  expect(lines.join("")).not.toContain(token);
}

describe("the order of refusals", () => {
  for (const [words, path, init] of requests) {
    test(`${words}: 401 without a token, 429 over the limit, 403 without the plan`, async () => {
      const anonymous = await api.request(path, init);
      await expectError(anonymous, 401);
      expect(anonymous.headers.get("www-authenticate")).toBe("Bearer");

      const { token } = await api.customer("free");
      await expectError(await api.request(path, { ...init, token }), 403);
      await expectError(await api.request(path, { ...init, token }), 403);
      await expectError(await api.request(path, { ...init, token }), 403);
      await expectError(await api.request(path, { ...init, token }), 429);
    });
  }
  test("a revoked token is refused at once", async () => {
    const { token, revoke } = await api.customer();
    expect((await api.request("/api/v1/scans", { token })).status).toBe(200);
    await revoke();
    await expectError(await api.request("/api/v1/scans", { token }), 401);
    expectLogged("revoked", token);
  });
  test("a token of a disabled account gets the same 401 and works again after enabling", async () => {
    const { token, accountId } = await api.customer();
    await api.store.accounts.setDisabled(accountId, true);
    const refused = await api.request("/api/v1/scans", { token });
    const unknown = await api.request("/api/v1/scans", { token: "assay_" });
    expect([refused.status, await refused.text()]).toEqual([401, await unknown.text()]);
    expectLogged("disabled", token);
    await api.store.accounts.setDisabled(accountId, false);
    expect((await api.request("/api/v1/scans", { token })).status).toBe(200);
  });
  test("a token is refused from its expiry", async () => {
    const { accountId } = await api.customer();
    const expiresAt = new Date(Date.now() + 60_000);
    const { value: token } = await api.store.apiTokens.create({ accountId, name: "brief", expiresAt, now: new Date() });
    expect((await api.request("/api/v1/scans", { token })).status).toBe(200);
    api.advanceMs(60_000);
    await expectError(await api.request("/api/v1/scans", { token }), 401);
    expectLogged("expired", token);
  });
  test("a changed plan applies at once", async () => {
    const { token, accountId } = await api.customer();
    await api.store.accounts.setPlan(accountId, "free");
    await expectError(await api.request("/api/v1/scans", { token }), 403);
    await api.store.accounts.setPlan(accountId, "agency");
    expect((await api.request("/api/v1/scans", { token })).status).toBe(200);
  });
  test("a token in the URL is ignored", async () => {
    const { token } = await api.customer();
    await expectError(await api.request(`/api/v1/scans?access_token=${token}`), 401);
  });
  test("its use is recorded", async () => {
    const { token, accountId } = await api.customer();
    await api.request("/api/v1/scans", { token });
    const lastUsedAt = () => api.store.apiTokens.listOfAccount(accountId)[0]?.lastUsedAt ?? null;
    // The answer does not wait for this write.
    while (lastUsedAt() === null) await Bun.sleep(1);
    expect(lastUsedAt()).toMatch(/T\d\d:00:00\.000Z$/);
  });
});

describe("the rate limit", () => {
  test("counts down in every response, gives Retry-After, and resets after its minute", async () => {
    const { token } = await api.customer();
    for (const remaining of ["2", "1", "0"]) {
      const { status, headers } = await api.request("/api/v1/scans", { token });
      expect(status).toBe(200);
      expect(headers.get("ratelimit-limit")).toBe("3");
      expect(headers.get("ratelimit-remaining")).toBe(remaining);
      expect(Number(headers.get("ratelimit-reset"))).toBeGreaterThan(0);
    }
    const refused = await api.request("/api/v1/scans", { token });
    await expectError(refused, 429);
    expect(refused.headers.get("ratelimit-remaining")).toBe("0");
    const waitSeconds = Number(refused.headers.get("retry-after"));
    expect(waitSeconds > 0 && waitSeconds <= 60).toBe(true);
    api.advanceMs(waitSeconds * 1_000);
    expect((await api.request("/api/v1/scans", { token })).status).toBe(200);
  });
  test("is in the headers of errors too", async () => {
    const { token } = await api.customer();
    const { headers } = await api.request("/api/v1/nothing", { token });
    expect(headers.get("ratelimit-remaining")).toBe("2");
  });
  test("is per account and calling address", async () => {
    const [one, other] = [await api.customer(), await api.customer()];
    const spend = async (token: string, address: string) => (await api.request("/api/v1/scans", { token, ...from(address) })).status;
    for (let i = 0; i < 3; i += 1) expect(await spend(one.token, "192.0.2.1")).toBe(200);
    expect(await spend(one.token, "192.0.2.1")).toBe(429);
    expect(await spend(one.token, "192.0.2.2")).toBe(200);
    expect(await spend(other.token, "192.0.2.1")).toBe(200);
  });
  test("is shared by an account's tokens", async () => {
    const { token, accountId } = await api.customer();
    const { value } = await api.store.apiTokens.create({ accountId, name: "second", now: new Date() });
    for (let i = 0; i < 3; i += 1) await api.request("/api/v1/scans", { token });
    expect((await api.request("/api/v1/scans", { token: value })).status).toBe(429);
  });
  test("of failed authentication is per address and does not affect valid tokens", async () => {
    const wrong = (address: string) => api.request("/api/v1/scans", { token: "wrong", ...from(address) });
    expect((await wrong("192.0.2.1")).status).toBe(401);
    expect((await wrong("192.0.2.1")).status).toBe(401);
    const refused = await wrong("192.0.2.1");
    await expectError(refused, 429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.headers.get("www-authenticate")).toBeNull();
    expect((await wrong("192.0.2.2")).status).toBe(401);
    const { token } = await api.customer();
    expect((await api.request("/api/v1/scans", { token, ...from("192.0.2.1") })).status).toBe(200);
  });
  test("of failed authentication also bounds log lines about refused tokens", async () => {
    const { token, accountId } = await api.customer();
    await api.store.apiTokens.revoke(accountId, api.store.apiTokens.listOfAccount(accountId)[0]?.id ?? 0, new Date());
    for (let i = 0; i < 20; i += 1) await api.request("/api/v1/scans", { token, ...from("192.0.2.1") });
    expect(api.logged.splice(0)).toHaveLength(2);
  });
  test("is sixty a minute by default", async () => {
    const usual = await startApi();
    const { token } = await usual.customer();
    const statuses: number[] = [];
    for (let i = 0; i < 61; i += 1) statuses.push((await usual.request("/api/v1/scans", { token })).status);
    expect(statuses).toEqual([...Array<number>(60).fill(200), 429]);
    await usual.stop();
  });
});

describe("public without a token", () => {
  test.each(["/healthz", "/readyz", "/api/v1/openapi.json"])("%s", async (path) => {
    const { status, headers } = await api.request(path);
    expect(status).toBe(200);
    expect(headers.get("ratelimit-limit")).toBeNull();
  });
});
