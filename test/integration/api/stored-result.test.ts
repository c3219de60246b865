/** The stored form of a scan, and the checks with their texts, on a running server with a real store. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import { type ApiUnderTest, startApi } from "../../support/api.ts";
import { exportSettings } from "../../support/exported-scans.ts";
import { knownScans } from "../../support/finished-scans.ts";

const { result } = knownScans.bare;
let api: ApiUnderTest;
let token: string;

beforeAll(async () => {
  const checks = { texts: exportSettings().texts, catalog: { checks: builtInChecks, version: "0123456789abcdef" } };
  api = await startApi({ checks: () => checks });
  ({ token } = await api.customer());
});
afterAll(() => api.stop());

describe("the stored form of a scan", () => {
  test("is the result that was stored, with an ETag", async () => {
    const { token: scan, statusUrl } = await api.start(token);
    const { endedAt, url } = await api.finish(result);
    const response = await api.request(`${statusUrl}/result`, { token });
    expect(await response.json()).toMatchObject({
      schemaVersion: 1,
      token: scan,
      url,
      status: "finished",
      errorCode: null,
      endedAt,
      result,
    });
    const headers = { "if-none-match": response.headers.get("etag") ?? "" };
    expect((await api.request(`${statusUrl}/result`, { token, headers })).status).toBe(304);
  });
  test("names the code of a failed scan", async () => {
    const { statusUrl } = await api.start(token);
    await api.fail("timeout");
    const body = await (await api.request(`${statusUrl}/result`, { token })).json();
    expect(body).toMatchObject({ status: "failed", errorCode: "timeout", result: null, timings: { page: 120, whole: 480 } });
  });
  test("is 409 with Retry-After before the end, 404 for other accounts, and 401 without a token", async () => {
    const { statusUrl } = await api.start(token);
    const waiting = await api.request(`${statusUrl}/result`, { token });
    expect([waiting.status, waiting.headers.get("retry-after")]).toEqual([409, "2"]);
    const other = await api.customer();
    expect((await api.request(`${statusUrl}/result`, { token: other.token })).status).toBe(404);
    expect((await api.request(`${statusUrl}/result`)).status).toBe(401);
    await api.finish();
  });
});

test("the checks have their definitions and texts in both languages, and no code", async () => {
  const response = await api.request("/api/v1/checks", { token });
  const { version, checks } = (await response.json()) as { version: string; checks: { key: string; texts: Record<string, object> }[] };
  expect(version).toBe("0123456789abcdef");
  expect(checks.map(({ key }) => key)).toEqual(builtInChecks.map(({ key }) => key));
  for (const check of checks) {
    expect(Object.keys(check)).not.toContain("judge");
    for (const locale of ["en-gb", "de-de"])
      expect(check.texts[locale]).toMatchObject({ label: expect.any(String), reason: expect.any(String) });
  }
  const headers = { "if-none-match": response.headers.get("etag") ?? "" };
  expect((await api.request("/api/v1/checks", { token, headers })).status).toBe(304);
  expect((await api.request("/api/v1/checks")).status).toBe(401);
});
