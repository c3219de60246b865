/** /api/v1/sites/{id}/policy: the headers of a finished proof are watched, read with the site, and watched no longer. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AccountClient, accountClient, startAccountApi } from "../../support/account-api.ts";
import type { ApiUnderTest } from "../../support/api.ts";
import { proofBody, queueProof, storeProof } from "../../support/proof.ts";

const url = "https://shop.example/";
let api: ApiUnderTest;
let client: AccountClient;
let other: AccountClient;
let path: string;

beforeAll(async () => {
  api = await startAccountApi();
  client = await accountClient(api);
  other = await accountClient(api);
  const { body } = await client.call("POST", "/sites", { url, pages: [`${url}cart`] });
  path = `/sites/${body.id}`;
});
afterAll(async () => {
  expect(api.troubles()).toEqual([]);
  await api.stop();
});

async function call(method: string, at: string, body?: object) {
  const answer = await client.call(method, at, body);
  return { status: answer.status, body: answer.body as unknown as { readonly policy?: object } };
}
const proofOf = (address: string, accountId = client.accountId) => storeProof(api.store, { accountId, url: address });

test("a site without them has no field; with them it has the headers and their last try", async () => {
  expect((await call("GET", path)).body).not.toHaveProperty("policy");
  const proof = await proofOf(`${url}cart`);
  const { status, body } = await call("PUT", `${path}/policy`, { proof });
  const untried = { triedAt: null, brokenSince: null, reported: false, blocked: [] };
  expect([status, body.policy]).toEqual([
    200,
    { url: `${url}cart`, headers: proofBody().headers, proof, savedAt: expect.any(String), ...untried },
  ]);
  expect((await call("GET", path)).body.policy).toEqual(body.policy);
  const second = await proofOf(url);
  expect((await call("PUT", `${path}/policy`, { proof: second })).body.policy).toMatchObject({ url, proof: second });
  // An address that the site has no longer takes its headers with it.
  expect((await call("PATCH", path, { pages: [] })).body.policy).toMatchObject({ url });
  expect((await call("DELETE", `${path}/policy`)).status).toBe(204);
  expect((await call("DELETE", `${path}/policy`)).status).toBe(404);
  expect((await call("GET", path)).body).not.toHaveProperty("policy");
});

test("is refused for proofs of others, of other pages, and without proven headers", async () => {
  const put = async (body: unknown, by = client) => (await by.call("PUT", `${path}/policy`, body as object)).status;
  expect(await put({ proof: await proofOf(url, other.accountId) })).toBe(404);
  expect(await put({ proof: "unknown" })).toBe(404);
  expect(await put({ proof: await proofOf(url) }, other)).toBe(404);
  expect(await put({ proof: await proofOf("https://else.example/") })).toBe(409);
  expect(await put({ proof: await queueProof(api.store, { accountId: client.accountId, url }) })).toBe(409);
  for (const body of [{}, { proof: 7 }, { proof: "x", more: 1 }]) expect(await put(body)).toBe(400);
  expect((await client.call("GET", path)).body).not.toHaveProperty("policy");
});
