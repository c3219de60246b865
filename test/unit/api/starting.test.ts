/** What the API answers while the store is opened or checked. */
import { expect, test } from "vitest";
import { createStartingApi, type NotReadyReason } from "../../../src/api/health.ts";

const reason: NotReadyReason = { source: "store", because: "the store is checked" };
const starting = createStartingApi({ reasons: () => [reason], retryAfterSeconds: 5 });

test.each([
  ["/healthz", 200, null],
  ["/readyz", 503, null],
  ["/api/v1/scans", 503, "5"],
  ["/healthz/", 503, "5"],
])("%s is answered with %d", async (path, status, retryAfter) => {
  const answer = await starting.fetch(new Request(`http://assay.test${path}`));
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([status, retryAfter]);
  if (status === 503) expect(await answer.json()).toMatchObject({ reasons: [reason] });
});
