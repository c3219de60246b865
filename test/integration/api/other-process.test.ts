/** Changes by the command line count from the next request on. It is another process, and the server keeps hot tokens. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "../../support/api.ts";
import { type CommandProcess, startCommandProcess } from "../../support/command-process.ts";

const connections = 8;
const path = "/api/v1/scans";

let api: ApiUnderTest;
let commands: CommandProcess;

beforeAll(async () => {
  commands = startCommandProcess();
  const unlimited = { requestsMax: 1_000_000, windowSeconds: 60 };
  api = await startApi({ requestLimit: unlimited, failedAuthenticationLimit: unlimited });
});

afterAll(async () => {
  await commands.end();
  await api.stop();
});

type Customer = Awaited<ReturnType<ApiUnderTest["customer"]>>;

/** Runs a command while the token is in use all the time. Returns the statuses of requests sent before it began and after it ended. */
async function statusesAround(token: string, command: readonly string[]): Promise<{ before: readonly number[]; after: readonly number[] }> {
  const before: number[] = [];
  const after: number[] = [];
  let phase: "before" | "during" | "after" | "over" = "before";
  const load = Array.from({ length: connections }, async () => {
    while (phase !== "over") {
      const sentIn = phase;
      const { status } = await api.request(path, { token });
      if (sentIn === "before") before.push(status);
      if (sentIn === "after") after.push(status);
    }
  });
  while (before.length < connections * 2) await Bun.sleep(1);
  phase = "during";
  const { code } = await commands.run([...command, "--data", api.dataDir]);
  phase = code === 0 ? "after" : "over";
  expect(code).toBe(0);
  expect((await api.request(path, { token })).status).not.toBe(200);
  while (after.length < connections * 2) await Bun.sleep(1);
  phase = "over";
  await Promise.all(load);
  return { before, after };
}

test.each<[string, number, (customer: Customer) => readonly string[]]>([
  ["a revoked token", 401, ({ accountId }) => ["token", "revoke", String(api.store.apiTokens.listOfAccount(accountId)[0]?.id)]],
  ["the token of a disabled account", 401, ({ email }) => ["user", "disable", email]],
  ["the token of an account whose plan has no API", 403, ({ email }) => ["user", "set-plan", email, "free"]],
])("%s gets %d from the next request on", async (_name, status, commandOf) => {
  const customer = await api.customer();
  const { before, after } = await statusesAround(customer.token, commandOf(customer));
  expect(new Set(before)).toEqual(new Set([200]));
  expect(new Set(after)).toEqual(new Set([status]));
});
