/** DELETE /api/v1/scans/{token} on a running server with a real store. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "../../support/api.ts";

let api: ApiUnderTest;
let token: string;

beforeAll(async () => {
  api = await startApi({ requestLimit: { requestsMax: 100_000, windowSeconds: 60 } });
});
beforeEach(async () => {
  ({ token } = await api.customer());
  api.cancelled.length = 0;
});
afterAll(async () => {
  expect(api.troubles()).toEqual([]);
  await api.stop();
});

const cancel = (scan: string, by = token) => api.request(`/api/v1/scans/${scan}`, { method: "DELETE", token: by });

async function errorOf(response: Response): Promise<string> {
  const body = (await response.json()) as { errorMessage: string };
  expect(Object.keys(body)).toEqual(["errorMessage"]);
  return body.errorMessage;
}

test("a waiting scan is gone: from the queue, the list and every read; the others keep their order", async () => {
  const [first, second, third] = [await api.start(token), await api.start(token), await api.start(token)];
  const response = await cancel(second.token);
  expect([response.status, await response.text(), response.headers.get("content-type")]).toEqual([204, "", null]);
  expect(api.cancelled).toEqual([second.token]);
  const unknown = await (await api.request(`/api/v1/scans/${"0".repeat(22)}`, { token })).text();
  for (const suffix of ["", "/security", "/report.json"]) {
    const read = await api.request(`/api/v1/scans/${second.token}${suffix}`, { token });
    expect([read.status, await read.text()]).toEqual([404, unknown]);
  }
  const { items } = (await (await api.request("/api/v1/scans", { token })).json()) as { items: { token: string }[] };
  expect(items.map((item) => item.token)).toEqual([third.token, first.token]);
  expect([first, third].map((scan) => api.store.scans.queuePosition(scan.token))).toEqual([1, 2]);
  expect(api.store.scans.queueLength()).toBe(2);
  expect([(await api.claim()).token, (await api.claim()).token]).toEqual([first.token, third.token]);
  for (const { token: scan } of [first, third])
    await api.store.scans.fail(scan, { code: "timeout", evidence: null, timings: {}, now: new Date() });
});

test("a second time, a foreign and an unknown scan are the same 404", async () => {
  const other = await api.customer();
  const { token: scan } = await api.start(token);
  const foreign = await cancel(scan, other.token);
  expect(api.store.scans.findByToken(scan)?.status).toBe("queued");
  expect((await cancel(scan)).status).toBe(204);
  const answers = [foreign, await cancel(scan), await cancel("0".repeat(22)), await cancel("%ff"), await cancel("x".repeat(5_000))];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
  expect((await api.request(`/api/v1/scans/${scan}`, { method: "DELETE" })).status).toBe(401);
});

test("a running scan and one that is over stay: 409", async () => {
  const { token: running } = await api.start(token);
  await api.claim();
  const begun = await cancel(running);
  expect([begun.status, await errorOf(begun)]).toEqual([409, "The scan has begun; it can only be cancelled before."]);
  await api.store.scans.fail(running, { code: "timeout", evidence: null, timings: {}, now: new Date() });
  const { token: finished } = await api.start(token);
  await api.finish();
  for (const scan of [running, finished]) {
    const over = await cancel(scan);
    expect([over.status, await errorOf(over)]).toEqual([409, "The scan is over; scans that are over stay."]);
    expect((await api.request(`/api/v1/scans/${scan}`, { token })).status).toBe(200);
  }
});

test("of cancellations and a claim at once, each scan has one fate", async () => {
  const scans = await Promise.all(Array.from({ length: 20 }, () => api.start(token)));
  const claims: (string | undefined)[] = [];
  const claimAll = Promise.all(scans.slice(10).map(async () => claims.push((await api.store.scans.claimNext("local", new Date()))?.token)));
  const answers = await Promise.all(scans.flatMap(({ token: scan }) => [cancel(scan), cancel(scan)]));
  await claimAll;
  const claimed = claims.filter((scan) => scan !== undefined);
  for (const [at, { token: scan }] of scans.entries()) {
    const statuses = answers.slice(2 * at, 2 * at + 2).map(({ status }) => status);
    if (claimed.includes(scan)) expect(statuses).toEqual([409, 409]);
    else expect(statuses.toSorted()).toEqual([204, 404]);
  }
  expect(claimed).toHaveLength(10);
  for (const scan of claimed) await api.store.scans.fail(scan, { code: "timeout", evidence: null, timings: {}, now: new Date() });
  expect(api.store.scans.queueLength()).toBe(0);
});

test("an interrupted scan that waits again can be cancelled", async () => {
  const { token: scan } = await api.start(token);
  await api.claim();
  await api.store.scans.requeueInterrupted(new Date());
  expect((await cancel(scan)).status).toBe(204);
  expect([api.store.scans.queueLength(), api.store.scans.findByToken(scan)]).toEqual([0, undefined]);
});
