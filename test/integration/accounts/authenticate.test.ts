/** From a bearer token to an account, over a real store. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { planTerms } from "../../../src/accounts/account-operations.ts";
import { authenticate, signedInBy } from "../../../src/accounts/token-operations.ts";
import { temporaryStore } from "../../support/temporary-store.ts";

const now = new Date("2026-11-21T12:00:00Z");
const temporary = temporaryStore();
const { store } = temporary;
let accountId: number;
let value: string;

beforeAll(async () => {
  const account = await store.accounts.create({ email: "someone@assay.test", now });
  if (typeof account === "string") throw new Error(account);
  accountId = account.id;
  ({ value } = await store.apiTokens.create({ accountId, name: "test", now }));
});
afterAll(() => temporary.stop());

test("a token in use gives its account", () => {
  expect(authenticate(store, value, now)).toMatchObject({
    status: "authenticated",
    account: { id: accountId, plan: "agency" },
    token: { accountId, name: "test" },
  });
});

describe("refused", () => {
  const rows: readonly [words: string, credential: () => string | undefined, because: string][] = [
    ["no credential", () => undefined, "absent"],
    ["an empty credential", () => "", "malformed"],
    ["two tokens", () => `${value} ${value}`, "malformed"],
    ["two header fields, joined", () => `${value}, Bearer ${value}`, "malformed"],
    ["a quoted token", () => `"${value}"`, "malformed"],
    ["a token with an umlaut", () => "assay_\u00fc", "malformed"],
    ["a token with a NUL", () => `${value}\u0000`, "malformed"],
    ["a token with a line feed", () => `${value}\n`, "malformed"],
    ["a token cut short", () => value.slice(0, -1), "unknown"],
    ["a token with one letter changed", () => `${value.slice(0, 10)}${value[10] === "A" ? "B" : "A"}${value.slice(11)}`, "unknown"],
    ["something else entirely", () => "x", "unknown"],
    ["a very long one", () => "a".repeat(100_000), "unknown"],
    ["a very long one of blanks", () => " ".repeat(100_000), "malformed"],
  ];
  for (const [words, credential, because] of rows) {
    test(words, () => expect(authenticate(store, credential(), now)).toEqual({ status: "refused", because } as never));
  }
  test("a revoked token", async () => {
    const { token, value: revoked } = await store.apiTokens.create({ accountId, name: "revoked", now });
    expect(authenticate(store, revoked, now).status).toBe("authenticated");
    await store.apiTokens.revoke(accountId, token.id, now);
    expect(authenticate(store, revoked, now)).toMatchObject({ status: "refused", because: "revoked" });
  });
});

describe("refused at once", () => {
  test("a token that expires, to the millisecond", async () => {
    const expiresAt = new Date(now.getTime() + 1_000);
    const { value: brief } = await store.apiTokens.create({ accountId, name: "brief", expiresAt, now });
    const at = (ms: number) => authenticate(store, brief, new Date(now.getTime() + ms));
    expect(at(999).status).toBe("authenticated");
    expect(at(1_000)).toMatchObject({ status: "refused", because: "expired" });
  });

  test("every token and session of a disabled account; enabling restores only its tokens", async () => {
    const origin = { userAgent: "a browser", address: "192.0.2.0" };
    const opened = await store.sessions.open({ accountId, verifiedPasswordHash: null, origin, now });
    const session = opened?.value ?? "";
    expect(signedInBy(store, session, now)?.account.id).toBe(accountId);
    await store.accounts.setDisabled(accountId, true);
    expect(authenticate(store, value, now)).toMatchObject({ status: "refused", because: "disabled" });
    expect(signedInBy(store, session, now)).toBeNull();
    await store.accounts.setDisabled(accountId, false);
    expect(authenticate(store, value, now).status).toBe("authenticated");
    expect(signedInBy(store, session, now)).toBeNull();
  });

  test("a token is not a session, and a session is not a token", async () => {
    const origin = { userAgent: "a browser", address: "192.0.2.0" };
    const opened = await store.sessions.open({ accountId, verifiedPasswordHash: null, origin, now });
    expect(signedInBy(store, value, now)).toBeNull();
    expect(authenticate(store, opened?.value, now)).toEqual({ status: "refused", because: "unknown" });
    for (const none of [null, "", "x".repeat(100_000), "__proto__"]) expect(signedInBy(store, none, now)).toBeNull();
  });
});

test("only the Agency plan includes the API and a brand", () => {
  const free = { api: false, sites: 3, proofPages: 5, brand: false };
  expect(planTerms).toEqual({ free, agency: { api: true, sites: 1_000, proofPages: 25, brand: true } });
});
