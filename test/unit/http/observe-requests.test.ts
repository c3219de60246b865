/** Names of routes under which requests are counted: a fixed set, whatever paths are asked for. */
import { expect, test } from "vitest";
import { observeRequests } from "../../../src/http/observe-requests.ts";

const routes = ["/", "/scans", "/scans/:token", "/scans/:token/state", "/api/v1/scans/bulk", "/api/v1/scans/:token", "/api/*"];

async function observed(path: string, answer: () => Response | Promise<Response> = () => new Response(null, { status: 204 })) {
  const seen: (readonly [route: string, status: number, seconds: number])[] = [];
  const handler = observeRequests({ fetch: answer, server: null }, routes, (...one) => void seen.push(one));
  await handler.fetch(new Request(`http://nas${path}`));
  return seen;
}

test.each([
  ["/", "/"],
  ["/scans?host=secret.example", "/scans"],
  ["/scans/AbC", "/scans/:token"],
  ["/scans/AbC/state?x=1", "/scans/:token/state"],
  ["/api/v1/scans/bulk", "/api/v1/scans/bulk"],
  ["/api/v1/scans/AbC", "/api/v1/scans/:token"],
  ["/api/other", "other"],
  ["/scans/AbC/state/", "other"],
  ["//evil.example/", "other"],
  ["/__proto__", "other"],
])("%s is counted as %s", async (path, route) => {
  const [one] = await observed(path);
  expect(one?.slice(0, 2)).toEqual([route, 204]);
});

test("the time lasts until a slow answer begins", async () => {
  const waitMs = 20;
  const begunMs = performance.now();
  const [one] = await observed("/", () => Bun.sleep(waitMs).then(() => new Response("late")));
  // Timers may end a little early.
  expect(one?.[2]).toBeGreaterThan((waitMs - 2) / 1_000);
  expect(one?.[2]).toBeLessThanOrEqual((performance.now() - begunMs) / 1_000);
});
