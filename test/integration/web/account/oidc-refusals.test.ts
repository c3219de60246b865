/** Refused answers of an identity provider, each with a page and one log line. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Staging, startTestProvider, type TestProvider, testClientId } from "../../../support/identity-provider.ts";
import { ada, callback, expectRefusal, isSignedIn, type OidcPages, openOidcPages, placeOf, type RefusalKind } from "./oidc-pages.ts";

let provider: TestProvider;
let at: OidcPages;

beforeAll(async () => {
  provider = await startTestProvider();
});
afterAll(() => provider.stop());
beforeEach(async () => {
  at = await openOidcPages(provider);
});
afterEach(() => at.stop());

const refusedStagings: readonly (readonly [string, RefusalKind, Staging])[] = [
  ["a token for another audience", "audience", { claims: { aud: "another-client" } }],
  ["a token that another party asked for", "audience", { claims: { aud: [testClientId, "another"], azp: "another" } }],
  ["a token of another issuer", "issuer", { claims: { iss: "https://other.test" } }],
  ["a token without nonce", "nonce", { claims: { nonce: undefined } }],
  ["a token with another nonce", "nonce", { claims: { nonce: "another" } }],
  ["a token that has expired", "clock", { claims: { exp: Math.floor(Date.now() / 1_000) - 60 } }],
  ["a token from the future", "clock", { claims: { iat: Math.floor(Date.now() / 1_000) + 3_600 } }],
  ["a token without signature", "signature", { alg: "none" }],
  [
    "a token without signature of a provider that allows it",
    "signature",
    { alg: "none", metadata: { id_token_signing_alg_values_supported: ["none"] } },
  ],
  ["a token signed with the client secret", "signature", { alg: "HS256" }],
  ["a token that was changed", "signature", { tampered: true }],
  ["a token signed with an unknown key", "signature", { foreignKey: true }],
  ["a token without subject", "broken", { claims: { sub: undefined } }],
  ["a refused client", "client", { tokenError: { status: 401, body: '{"error":"invalid_client"}' } }],
  ["an answer that is no JSON", "broken", { tokenError: { status: 200, body: "secret details" } }],
  ["a page in place of an answer", "broken", { tokenError: { status: 200, body: "<p>secret details", contentType: "text/html" } }],
  ["an endless answer", "broken", { tokenError: { status: 200, body: `"${"x".repeat(2 ** 20)}"` } }],
  ["an address that is not verified", "mail", { claims: { email_verified: false } }],
  ["no address", "mail", { claims: { email: undefined }, userInfo: { email: undefined } }],
  [
    "an address that only another source verified",
    "no-account",
    { claims: { email_verified: undefined }, userInfo: { email: "other@assay.test" } },
  ],
];

describe("is refused with a page that says what to do, and one log line:", () => {
  test.each(refusedStagings)("%s", async (_name, kind, staging) => {
    const { id } = await at.account();
    provider.stage(staging);
    await at.withProvider();
    const { visitor, answer } = await at.signIn();
    await expectRefusal(answer, kind);
    at.expectOneLine(`oidc ${kind}`);
    expect([await isSignedIn(visitor), at.pages.store.oidcLinks.ofAccount(id)]).toEqual([false, null]);
  });

  test("an unverified address of an administrator", async () => {
    await expectRefusal((await at.signIn({ ...ada, email: "first@assay.test", email_verified: false })).answer, "mail");
    expect(at.pages.store.oidcLinks.ofAccount(1)).toBeNull();
  });

  test("a state that was used, is unknown, too old, or of another browser", async () => {
    await at.account();
    const { visitor, query } = await at.signIn();
    await expectRefusal(await visitor.get(`${callback}?${query}`), "over");
    const browser = at.pages.visitor();
    const fresh = provider.answer(await at.authorizationUrl(browser), ada);
    await expectRefusal(await at.pages.visitor().get(`${callback}?${fresh}`), "over");
    const kept = browser.cookies.get("oidc") ?? "";
    await expectRefusal(await browser.get(`${callback}?${new URLSearchParams({ ...Object.fromEntries(fresh), state: "x" })}`), "over");
    browser.cookies.set("oidc", kept);
    expect(placeOf(await browser.get(`${callback}?${fresh}`))).toEqual([303, "/account/tokens"]);
    browser.cookies.set("oidc", kept);
    await expectRefusal(await browser.get(`${callback}?${fresh}`), "over");
    const slow = at.pages.visitor();
    const late = provider.answer(await at.authorizationUrl(slow), ada);
    at.pages.advanceMs(601_000);
    await expectRefusal(await slow.get(`${callback}?${late}`), "over");
  });

  test("a code that was used", async () => {
    await at.account();
    const { query } = await at.signIn();
    const visitor = at.pages.visitor();
    const state = new URL(await at.authorizationUrl(visitor)).searchParams.get("state") ?? "";
    await expectRefusal(await visitor.get(`${callback}?${new URLSearchParams({ ...Object.fromEntries(query), state })}`), "over");
    at.expectOneLine("oidc over");
  });

  test("an answer of another issuer, and a sign-in that was cancelled", async () => {
    for (const [changed, kind] of [
      [{ iss: "https://other.test" }, "issuer"],
      [{ error: "access_denied" }, "denied"],
      [{ error: "server_error" }, "unreachable"],
      [{ error: "<script>" }, "broken"],
    ] as const) {
      const visitor = at.pages.visitor();
      const query = Object.fromEntries(provider.answer(await at.authorizationUrl(visitor), ada));
      const answer = await visitor.get(`${callback}?${new URLSearchParams({ ...query, ...changed })}`);
      await expectRefusal(answer, kind, kind === "unreachable" ? 503 : 403);
    }
  });

  test("an account that is disabled or linked to somebody else", async () => {
    const { id } = await at.account();
    await at.signIn();
    await expectRefusal((await at.signIn({ ...ada, sub: "successor" })).answer, "taken");
    await at.pages.store.accounts.setDisabled(id, true);
    await expectRefusal((await at.signIn()).answer, "disabled");
  });
});

describe("a provider that does not answer", () => {
  test("turns the button off, and on again when it is back", async () => {
    const button = async () => (await (await at.pages.visitor().get("/sign-in")).text()).includes('href="/sign-in/oidc?');
    expect(await button()).toBe(true);
    const visitor = at.pages.visitor();
    const query = provider.answer(await at.authorizationUrl(visitor), ada);
    provider.stage({ down: true });
    await expectRefusal(await visitor.get(`${callback}?${query}`), "unreachable", 503);
    while (at.fault() === null) await Bun.sleep(5);
    expect(await button()).toBe(false);
    await expectRefusal(await at.pages.visitor().get("/sign-in/oidc"), "unreachable", 503);
    provider.stage({});
    await at.check();
    expect(await button()).toBe(true);
  });

  test("is not asked about an issuer that it is not", async () => {
    provider.stage({ metadata: { issuer: "https://other.test" } });
    await at.withProvider();
    expect(at.fault()).toContain("issuer");
  });
});
