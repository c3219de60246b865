/** Sign-in by an identity provider that answers over real HTTP: links, groups, sign-up and second factor. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import deDe from "../../../../locales/de-de.json" with { type: "json" };
import { isTotpActive } from "../../../../src/store/credentials.ts";
import { codeAt } from "../../../support/account-fixture.ts";
import { startTestProvider, type TestProvider, testClientId } from "../../../support/identity-provider.ts";
import { mainOf } from "../../../support/page-text.ts";
import {
  ada,
  callback,
  adaEmail as email,
  expectRefusal,
  isSignedIn,
  type OidcPages,
  openOidcPages,
  adaPassword as password,
  placeOf,
} from "./oidc-pages.ts";

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

describe("a person whom the provider identifies", () => {
  test("signs in to the account without password that has the verified address, and is linked", async () => {
    const { id } = await at.account();
    const { visitor, answer } = await at.signIn();
    expect(placeOf(answer)).toEqual([303, "/account/tokens"]);
    expect(answer.headers.getSetCookie()).toContainEqual(expect.stringMatching(/^oidc=; Path=\/; HttpOnly; SameSite=Lax; Max-Age=0$/));
    expect(at.pages.store.oidcLinks.ofAccount(id)).toMatchObject({ issuer: provider.issuer, subject: ada.sub });
    expect(mainOf(await (await visitor.get("/account")).text())).toContain("Sign-in with Hub");
  });

  test("stays the owner of the account when the address changes", async () => {
    await at.account();
    await at.signIn();
    const { visitor } = await at.signIn({ ...ada, email: "other@assay.test", email_verified: false });
    expect(await isSignedIn(visitor)).toBe(true);
  });

  test("is asked with PKCE, state and nonce, and the cookie is bound to the browser", async () => {
    const answer = await at.pages.visitor().get("/sign-in/oidc?next=//elsewhere.test/");
    const asked = new URL(answer.headers.get("location") ?? "").searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: "code",
      client_id: testClientId,
      redirect_uri: `http://assay.test${callback}`,
      code_challenge_method: "S256",
      scope: "openid email profile",
    });
    for (const name of ["state", "nonce", "code_challenge"]) expect(asked.get(name)?.length).toBeGreaterThan(40);
    expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(/^oidc=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/)]);
    expect(answer.headers.getSetCookie().join()).not.toContain(asked.get("state") ?? "none");
  });

  test("is sent to the public URL first, where the cookie belongs, but only once", async () => {
    const { config } = at.pages.settings;
    Object.assign(config, { public_url: "https://assay.test" });
    const moved = placeOf(await at.pages.visitor().get("/sign-in/oidc?next=/account/tokens"))[1];
    expect(moved).toBe("https://assay.test/sign-in/oidc?next=%2Faccount%2Ftokens&moved=1");
    const { pathname, search } = new URL(String(moved));
    expect((await at.pages.visitor().get(`${pathname}${search}`)).headers.get("location")).toContain(`${provider.issuer}/authorize?`);
  });

  test("comes with claims of the userinfo endpoint where the ID token has none", async () => {
    await at.account();
    provider.stage({ userInfo: { email, email_verified: true } });
    expect(await isSignedIn((await at.signIn({ sub: "userinfo" })).visitor)).toBe(true);
  });

  test("is still asked for the second factor of the account", async () => {
    const { id } = await at.account();
    await at.signIn();
    const { actions } = at.pages.settings.accounts;
    const { credentials } = at.pages.store;
    const secret = (await actions.offerTotp({ id } as never)) ?? "";
    await credentials.change(id, { totp: { secret, confirmedAt: new Date().toISOString(), lastUsedStep: null } }, { reopen: null });
    expect(isTotpActive(credentials.get(id).totp)).toBe(true);
    const { visitor, answer } = await at.signIn();
    const page = await answer.text();
    expect([answer.status, await isSignedIn(visitor)]).toEqual([200, false]);
    const challenge = /name="challenge" value="([^"]+)"/.exec(page)?.[1] ?? "";
    const body = new URLSearchParams({ challenge, code: codeAt(secret, new Date()), next: "/account" });
    const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
    const proven = await fetch(`${at.pages.url}/sign-in/code`, {
      method: "POST",
      headers: { origin: at.pages.url, cookie },
      body,
      redirect: "manual",
    });
    expect(placeOf(proven)).toEqual([303, "/account"]);
  });

  test("is signed in after the keys of the provider changed", async () => {
    await at.account();
    await at.signIn();
    provider.rotateKeys();
    expect(await isSignedIn((await at.signIn()).visitor)).toBe(true);
  });
});

describe("an account with a password", () => {
  async function linkPage() {
    const { id } = await at.account({ withPassword: true });
    const { visitor, answer } = await at.signIn();
    const page = await answer.text();
    expect([answer.status, mainOf(page).includes(email), at.pages.store.oidcLinks.ofAccount(id)]).toEqual([200, true, null]);
    const challenge = /name="challenge" value="([^"]+)"/.exec(page)?.[1] ?? "";
    const confirm = (typed: string) => visitor.post("/sign-in/oidc/link", { challenge, password: typed }, "/sign-in");
    return { id, visitor, confirm };
  }

  test("is linked once its owner has typed the password", async () => {
    const { id, visitor, confirm } = await linkPage();
    const wrong = await confirm("not the password");
    expect([wrong.status, at.pages.store.oidcLinks.ofAccount(id), await isSignedIn(visitor)]).toEqual([403, null, false]);
    expect(placeOf(await confirm(password))).toEqual([303, "/account/tokens"]);
    expect(await isSignedIn((await at.signIn()).visitor)).toBe(true);
  });

  test("is not linked by a page that is too old", async () => {
    const { confirm } = await linkPage();
    at.pages.advanceMs(601_000);
    expect(placeOf(await confirm(password))).toEqual([303, "/sign-in?done=over"]);
  });

  test("can remove the link, which ends the other sessions", async () => {
    const { id, visitor, confirm } = await linkPage();
    await confirm(password);
    const other = (await at.signIn()).visitor;
    const refused = await visitor.post("/account", { do: "unlink", password: "not the password" }, "/account");
    expect([refused.status, at.pages.store.oidcLinks.ofAccount(id) === null]).toEqual([403, false]);
    expect(placeOf(await visitor.post("/account", { do: "unlink", password }, "/account"))).toEqual([303, "/account?done=unlinked"]);
    expect([at.pages.store.oidcLinks.ofAccount(id), await isSignedIn(visitor), await isSignedIn(other)]).toEqual([null, true, false]);
  });
});

describe("groups", () => {
  const groups = [
    { group: "staff", plan: "free", admin: false },
    { group: "operators", plan: "agency", admin: true },
  ] as const;
  const member = (...names: readonly string[]) => ({ ...ada, realm: { groups: names } });
  const rights = () => {
    const { plan, admin } = at.pages.store.accounts.findByEmail(email) ?? {};
    return { plan, admin };
  };

  test("give plan and role, and take back what they gave", async () => {
    await at.withProvider({ groups, signUp: "groups" });
    await at.signIn(member("staff", "operators"));
    expect(rights()).toEqual({ plan: "agency", admin: true });
    await at.signIn(member("staff"));
    expect(rights()).toEqual({ plan: "free", admin: false });
    const noted = [...at.pages.store.audit.since(new Date(0))].slice(1).map(({ action }) => action);
    const changes = ["plan.changed", "role.changed"];
    expect(noted).toEqual(["account.created", ...changes, "identity.linked", ...changes, "sign-in.identified"]);
    await expectRefusal((await at.signIn({ ...member("guests"), sub: "guest", email: "guest@assay.test" })).answer, "no-account");
  });

  test("leave a role that an operator gave", async () => {
    await at.pages.store.accounts.create({ email, admin: true, plan: "agency", now: new Date() });
    await at.withProvider({ groups });
    for (const names of [["operators"], []]) {
      await at.signIn(member(...names));
      expect(rights()).toEqual({ plan: names.length === 0 ? "free" : "agency", admin: true });
    }
    expect(at.pages.logged.filter((line) => line.includes("groups changed an account"))).toHaveLength(1);
  });
});

describe("a person without an account", () => {
  test("gets one where sign-up is open, but never the first one", async () => {
    await at.withProvider({ signUp: "open" });
    const { visitor } = await at.signIn();
    expect(await isSignedIn(visitor)).toBe(true);
    expect(at.pages.store.accounts.findByEmail(email)).toMatchObject({ admin: false, plan: "free" });
    expect(mainOf(await (await visitor.get("/account/second-factor")).text())).toContain("no password");
  });

  test.each([
    ["open", email, 0, true],
    ["expired", email, 8, false],
    ["for another address", "other@assay.test", 0, false],
  ])("and with an invitation that is %s: joins while sign-up is closed only by an open one", async (_what, to, days, joins) => {
    const { store } = at.pages;
    const owner = store.accounts.findByEmail("first@assay.test")?.id ?? 0;
    await store.members.invite({ ownerId: owner, email: to, role: "viewer" }, new Date(Date.now() - days * 86_400_000));
    const { visitor } = await at.signIn();
    expect([await isSignedIn(visitor), store.accounts.findByEmail(email) !== undefined]).toEqual([joins, joins]);
    if (!joins) at.expectOneLine("oidc no-account");
  });

  test("is refused where sign-up is closed, in German too", async () => {
    await expectRefusal((await at.signIn()).answer, "no-account");
    at.expectOneLine("oidc no-account");
    const german = await at.signIn(ada, at.pages.visitor(), { "accept-language": "de" });
    expect(mainOf(await german.answer.text())).toContain(deDe.pages.errors["oidc-no-account"].title);
  });
});
