/** Location of scans in the API: where they are started, listed and read. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scanLocationOf } from "../../../src/store/scan-location.ts";
import { type ApiUnderTest, startApi } from "../../support/api.ts";

const url = "https://site.example/";
const path = "/api/v1/scans";
const bulkPath = `${path}/bulk`;

/** Enrolled at the moment. */
let names = ["berlin", "paris"];
let api: ApiUnderTest;
let token: string;

beforeAll(async () => {
  api = await startApi({
    requestLimit: { requestsMax: 1_000, windowSeconds: 60 },
    locations: { names: () => names, provers: () => ({ present: 1, unable: [] }) },
  });
  ({ token } = await api.customer());
});
afterAll(async () => {
  expect(api.troubles()).toEqual([]);
  await api.stop();
});

async function post(to: string, body: unknown, headers: Record<string, string> = {}) {
  const sent = { "content-type": "application/json", ...headers };
  const response = await api.request(to, { method: "POST", token, headers: sent, body: JSON.stringify(body) });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, unknown> };
}

function storedLocation(scan: unknown): string | undefined {
  const found = api.store.scans.findByToken((scan as { token: string }).token);
  return found && scanLocationOf(found);
}

describe("the location of a new scan", () => {
  test.each([
    [{ url }, "local"],
    [{ url, location: "local" }, "local"],
    [{ url, location: "berlin" }, "berlin"],
  ])("%j is stored, and the answer is the one of the specification", async (body, location) => {
    const started = await post(path, body);
    expect([started.status, Object.keys(started.body)]).toEqual([202, ["token", "id", "status", "statusUrl"]]);
    expect(storedLocation(started.body)).toBe(location);
  });

  test("is that of all scans of a bulk request", async () => {
    const { status, body } = await post(bulkPath, { urls: [url, "https://other.example/"], location: "paris" });
    expect([status, (body.items as object[]).map(storedLocation)]).toEqual([200, ["paris", "paris"]]);
  });

  test.each([["rome"], [""], ["Berlin"], ["berlin "], ["__proto__"], ["b".repeat(5_000)], [7], [null], [["berlin"]], [{}], [true]])(
    "%j is refused for one scan and for many, and starts none",
    async (location) => {
      const count = api.store.scans.queueLength();
      const fault = typeof location === "string" ? "must be one of local, berlin, paris" : "must be a string";
      for (const [to, body] of [
        [path, { url, location }],
        [bulkPath, { urls: [url], location }],
      ] as const) {
        const refused = await post(to, body);
        expect([refused.status, refused.body]).toEqual([400, { errorMessage: `location ${fault}.`, fieldErrors: { location: [fault] } }]);
      }
      expect(api.store.scans.queueLength()).toBe(count);
    },
  );

  test("is refused once its last worker is revoked", async () => {
    names = ["paris"];
    expect((await post(path, { url, location: "berlin" })).status).toBe(400);
    names = ["berlin", "paris"];
  });

  test("belongs to what an Idempotency-Key stands for", async () => {
    const key = { "idempotency-key": "one-key" };
    const first = await post(path, { url, location: "berlin" }, key);
    expect((await post(path, { url, location: "berlin" }, key)).body).toEqual(first.body);
    expect((await post(path, { url, location: "paris" }, key)).status).toBe(422);
    expect((await post(path, { url }, key)).status).toBe(422);
  });
});

test("the list and the full report name the location; the security result stays as specified", async () => {
  const { body } = await post(path, { url, location: "berlin" });
  const read = async (to: string) => (await (await api.request(to, { token })).json()) as Record<string, unknown>;
  const { items } = (await read(`${path}?limit=1`)) as unknown as { items: readonly object[] };
  expect(items).toMatchObject([{ token: body.token, location: "berlin", status: "queued" }]);
  expect(await read(String(body.statusUrl))).toMatchObject({ location: "berlin" });
  expect(Object.keys(await read(`${body.statusUrl}/security`))).not.toContain("location");
  const local = await post(path, { url });
  expect(await read(String(local.body.statusUrl))).toMatchObject({ location: "local" });
});
