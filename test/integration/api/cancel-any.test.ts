/** POST /api/v1/admin/scans/{token}/cancel: who may, and what each outcome answers. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "../../support/api.ts";

let api: ApiUnderTest;
let adminToken: string;
const asked: string[] = [];

beforeAll(async () => {
  api = await startApi({
    cancelScan: async (scan) => {
      asked.push(scan);
      return scan === "waits" ? "cancelled" : scan === "ended" ? "over" : "unknown";
    },
  });
  const [admin] = api.store.accounts.list();
  if (admin?.admin !== true) throw new Error("the first account is no administrator");
  ({ value: adminToken } = await api.store.apiTokens.create({ accountId: admin.id, name: "test", now: new Date() }));
});
afterAll(async () => {
  expect(api.troubles()).toEqual([]);
  await api.stop();
});

const cancel = (scan: string, token?: string) =>
  api.request(`/api/v1/admin/scans/${scan}/cancel`, { method: "POST", ...(token === undefined ? {} : { token }) });

test.each([
  ["waits", 204, ""],
  ["ended", 409, '{"errorMessage":"The scan is over."}'],
  ["other", 404, '{"errorMessage":"There is no such scan."}'],
  ["%ff", 404, '{"errorMessage":"There is no such scan."}'],
])("an administrator gets for %s %i", async (scan, status, body) => {
  const answer = await cancel(scan, adminToken);
  expect([answer.status, await answer.text()]).toEqual([status, body]);
});

test("nobody else may, and no scan is touched", async () => {
  const { token } = await api.customer();
  const before = asked.length;
  const answers = await Promise.all([cancel("waits", token), cancel("waits")]);
  expect(answers.map(({ status }) => status)).toEqual([403, 401]);
  expect(asked.length).toBe(before);
});
