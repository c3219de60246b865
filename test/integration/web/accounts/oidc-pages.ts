/** Pages with sign-in by the test's identity provider, and what visitors do there. */

import { expect } from "vitest";
import enGb from "../../../../locales/en-gb.json" with { type: "json" };
import {
  createOidcSignIn,
  type IssuerWatch,
  type OidcSignIn,
  type OidcSignInSettings,
  watchIssuer,
} from "../../../../src/accounts/oidc/oidc-sign-in.ts";
import { discoverProvider } from "../../../../src/accounts/oidc/provider.ts";
import { createConfiguredFetch } from "../../../../src/egress/configured-fetch.ts";
import type { Account } from "../../../../src/store/accounts.ts";
import { type TestClaims, type TestProvider, testClientId, testClientSecret } from "../../../support/identity-provider.ts";
import { mainOf } from "../../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../../support/pages.ts";
import type { RefusalKind } from "../../../support/refused-answers.ts";

export const adaEmail = "ada@assay.test";
export const adaPassword = "green lamps over Oslo";
export const ada: TestClaims = { sub: "248289761001", email: adaEmail, email_verified: true };
export const callback = "/sign-in/oidc/callback";

export interface OidcPages {
  readonly pages: PagesUnderTest;
  fault(): string | null;
  /** Asks the provider for its configuration again. */
  check(): Promise<void>;
  /** Opens the sign-in again, with other settings. */
  withProvider(given?: Partial<OidcSignInSettings>): Promise<void>;
  account(given?: { readonly withPassword?: boolean }): Promise<Account>;
  authorizationUrl(visitor: Visitor): Promise<string>;
  /** Answer of the pages to the redirection from the provider. */
  signIn(
    person?: TestClaims,
    visitor?: Visitor,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly visitor: Visitor; readonly query: URLSearchParams; readonly answer: Response }>;
  /** The only log line of a refusal, without anything that the provider said. */
  expectOneLine(because: string): void;
  stop(): Promise<void>;
}

/** The first account is an administrator of another address. */
export async function openOidcPages(provider: TestProvider): Promise<OidcPages> {
  provider.stage({});
  const pages = await startPages();
  const { store, settings } = pages;
  await store.accounts.create({ email: "first@assay.test", now: new Date() });
  let opened = await openSignIn(provider, pages);

  async function authorizationUrl(visitor: Visitor): Promise<string> {
    const answer = await visitor.get("/sign-in/oidc?next=/account/tokens");
    expect(answer.status).toBe(303);
    return answer.headers.get("location") ?? "";
  }

  return {
    pages,
    fault: () => opened.oidc.fault(),
    check: () => opened.watch.check(),
    withProvider: async (given) => {
      opened.oidc.close();
      opened = await openSignIn(provider, pages, given);
    },
    account: async ({ withPassword = false } = {}) => {
      const hash = withPassword ? await settings.accounts.actions.passwords.hash(adaPassword) : null;
      const created = await store.accounts.create({ email: adaEmail, passwordHash: hash, now: new Date() });
      if (typeof created === "string") throw new Error(created);
      return created;
    },
    authorizationUrl,
    signIn: async (person = ada, visitor = pages.visitor(), headers = {}) => {
      const query = provider.answer(await authorizationUrl(visitor), person);
      return { visitor, query, answer: await visitor.get(`${callback}?${query}`, headers) };
    },
    expectOneLine: (because) => {
      const lines = pages.logged.filter((line) => line.includes("sign-in refused"));
      expect(lines.map((line) => JSON.parse(line).because)).toEqual([because]);
      for (const secret of [adaEmail, String(ada.sub), "eyJ", testClientSecret, "secret details"])
        expect(lines.join()).not.toContain(secret);
    },
    stop: async () => {
      opened.oidc.close();
      await pages.stop();
    },
  };
}

async function openSignIn(
  provider: TestProvider,
  { store, settings }: PagesUnderTest,
  given: Partial<OidcSignInSettings> = {},
): Promise<{ readonly oidc: OidcSignIn; readonly watch: IssuerWatch }> {
  const { actions } = settings.accounts;
  const discover = () =>
    discoverProvider({
      issuer: provider.issuer,
      clientId: testClientId,
      clientSecret: testClientSecret,
      redirectUri: `http://assay.test${callback}`,
      groupsClaim: "realm.groups",
      readsGroups: (given.groups ?? []).length > 0,
      fetch: createConfiguredFetch({ caPems: [], dnsServers: [], connectTo: [] }),
    });
  const watch = watchIssuer(discover, settings.log);
  await watch.check();
  const fixed = { store, actions, throttles: actions.throttles, now: settings.now, log: settings.log };
  const oidc = createOidcSignIn({ label: "Hub", watch, groups: [], signUp: "closed", defaultPlan: "free", ...fixed, ...given });
  Object.assign(settings.accounts, { oidc });
  return { oidc, watch };
}

export const isSignedIn = async (visitor: Visitor) => (await visitor.get("/account")).status === 200;
export const placeOf = (answer: Response) => [answer.status, answer.headers.get("location")];

export async function expectRefusal(answer: Response, kind: RefusalKind, status = 403): Promise<void> {
  const text = mainOf(await answer.text());
  const title = enGb.pages.errors[`oidc-${kind}`].title.replace("{{provider}}", "Hub");
  expect([answer.status, text.includes(title)]).toEqual([status, true]);
}
