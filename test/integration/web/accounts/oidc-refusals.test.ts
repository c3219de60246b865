/** Refused answers of an identity provider, each with a page and one log line. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestProvider, type TestProvider } from "../../../support/identity-provider.ts";
import { refusedAnswers } from "../../../support/refused-answers.ts";
import { ada, callback, expectRefusal, isSignedIn, type OidcPages, openOidcPages, placeOf } from "./oidc-pages.ts";

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

describe("is refused with a page that says what to do, and one log line:", () => {
  test.each(refusedAnswers)("%s", async (_name, kind, staging) => {
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
