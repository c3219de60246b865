/** Sign-in by a certified identity provider in the real browser, in both languages, behind a TLS proxy. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import type { Locale } from "../../../src/check/check.ts";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { mainOf } from "../../support/page-text.ts";
import type { TestServer } from "../../support/servers.ts";
import { axeComplaints, overflowComplaints } from "./accessible.ts";
import { type Appliance, startAppliance } from "./appliance.ts";
import { type CertifiedProvider, signInAtProvider, startCertifiedProvider } from "./certified-provider.ts";
import { leaving, submit } from "./forms.ts";
import { markupComplaints } from "./markup.ts";
import { startTlsFront } from "./tls-front.ts";
import { openVisitors, type Visitor, type Visitors } from "./visitors.ts";

const startMsMax = 300_000;
const clientSecret = "a secret: of the+client";
const password = "six blue elephants on a wire";
const texts = { "en-gb": enGb.pages, "de-de": deDe.pages };
const locales = ["en-gb", "de-de"] as const;
const verified = (email: string, groups: readonly string[] = []) => ({ email, email_verified: true, groups });
const people = {
  ada: verified("ada@assay.test"),
  bob: verified("bob@assay.test"),
  carol: verified("carol@assay.test", ["/web team"]),
  eve: verified("eve@assay.test", ["/guests"]),
  mallory: { email: "root@assay.test", email_verified: false, groups: [] },
};

let folder: string;
let provider: CertifiedProvider;
let front: TestServer;
let appliance: Appliance;
let visitors: Visitors;
let origin: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "assay-sign-on-"));
  const [caFile, secretFile] = [join(folder, "ca.pem"), join(folder, "secret")];
  writeFileSync(caFile, testAuthority().root.pem);
  writeFileSync(secretFile, `${clientSecret}\n`);
  front = await startTlsFront(siteIdentity("front.assay.test"), () => appliance.origin);
  origin = `https://front.assay.test:${front.port}`;
  const client = { id: "assay-client", secret: clientSecret, redirectUri: `${origin}/sign-in/oidc/callback` };
  provider = await startCertifiedProvider(client, people);
  visitors = await openVisitors();
  appliance = await startAppliance({
    sites: { [new URL(provider.issuer).host]: provider },
    args: ["--trusted-proxy", "127.0.0.1", "--public-url", origin],
    env: {
      ASSAY_OIDC_ISSUER: provider.issuer,
      ASSAY_OIDC_CLIENT_ID: client.id,
      ASSAY_OIDC_CLIENT_SECRET_FILE: secretFile,
      ASSAY_OIDC_CA_FILE: caFile,
      ASSAY_OIDC_LABEL: "Example ID",
      ASSAY_OIDC_SIGNUP: "groups",
      ASSAY_OIDC_GROUPS: "/web team=agency,/root=agency:admin",
    },
    fill: async ({ accounts }) => {
      const now = new Date();
      const passwordHash = await Bun.password.hash(password, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 });
      await accounts.create({ email: "root@assay.test", passwordHash, now });
      await accounts.create({ email: "bob@assay.test", passwordHash, now });
      await accounts.create({ email: "ada@assay.test", now });
    },
  });
}, startMsMax);

afterAll(async () => {
  await visitors.close();
  await appliance.stop();
  await front.stop();
  await provider.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the sign-in page, and follows the button to the provider. */
async function atProvider(locale: Locale, from = origin): Promise<Visitor> {
  const visitor = await visitors.visitor({ origin: from, locale });
  const { html } = await visitor.open("/sign-in?next=/account/tokens");
  expect(mainOf(html)).toContain(texts[locale].signIn.oidc.button.replace("{{provider}}", "Example ID"));
  await follow(visitor, 'a[href^="/sign-in/oidc?"]');
  expect(visitor.page.url()).toContain(`${provider.issuer}/interaction/`);
  return visitor;
}

async function follow({ page }: Visitor, selector: string): Promise<void> {
  await leaving(page, () => page.$eval(selector, (link) => (link as HTMLElement).click()));
}

async function signIn(name: keyof typeof people, locale: Locale): Promise<Visitor> {
  const visitor = await atProvider(locale);
  await signInAtProvider(visitor.page, name);
  expect(new URL(visitor.page.url()).origin).toBe(origin);
  return visitor;
}

const headingOf = ({ page }: Visitor) => page.$eval("h1", (heading) => heading.textContent);
const namesOf = async ({ page }: Visitor) =>
  (await page.browserContext().cookies())
    .filter(({ name }) => /sid|oidc/.test(name))
    .map(({ name, httpOnly, secure, sameSite }) => ({ name, httpOnly, secure, sameSite }));

/** The provider is another origin, which only this journey may ask. */
const ofPages = ({ complaints }: Visitor) =>
  complaints.filter((text) => !text.includes(`asked for ${provider.issuer}/`) && !text.startsWith(provider.issuer));

describe.each(locales)("in %s", (locale) => {
  test("a person signs in, and comes back to the page that was asked for", async () => {
    const visitor = await signIn("ada", locale);
    expect(visitor.page.url()).toBe(`${origin}/account/tokens`);
    expect(await namesOf(visitor)).toEqual([{ name: "__Host-sid", httpOnly: true, secure: true, sameSite: "Lax" }]);
    const { html } = await visitor.open("/account");
    expect(mainOf(html)).toContain(texts[locale].account.noPassword);
    expect([await axeComplaints(visitor.page), await markupComplaints(html), ofPages(visitor)]).toEqual([[], [], []]);
    await visitor.close();
  });

  test("the owner of a password links the account, and removes the link", async () => {
    const visitor = await signIn("bob", locale);
    expect(await headingOf(visitor)).toBe(texts[locale].signIn.oidc.link.title);
    expect(await axeComplaints(visitor.page)).toEqual([]);
    const wrong = await submit(visitor.page, { password: "not the password" }, { form: 'main form[action="/sign-in/oidc/link"]' });
    expect([wrong.status, await markupComplaints(wrong.html)]).toEqual([403, []]);
    await submit(visitor.page, { password }, { form: 'main form[action="/sign-in/oidc/link"]' });
    expect(visitor.page.url()).toBe(`${origin}/account/tokens`);
    const again = await signIn("bob", locale);
    expect(again.page.url()).toBe(`${origin}/account/tokens`);
    const { html } = await again.open("/account");
    expect([await axeComplaints(again.page), await markupComplaints(html)]).toEqual([[], []]);
    await submit(again.page, { password }, { form: "section[aria-labelledby=link-title] form" });
    expect(again.page.url()).toBe(`${origin}/account?done=unlinked`);
    expect((await visitor.open("/account")).html).toContain(texts[locale].signIn.title);
    await again.close();
    await visitor.close();
  });

  test.each([
    ["an unknown person in no group", "eve", "oidc-no-account"],
    ["an unverified address of an administrator", "mallory", "oidc-mail"],
  ] as const)("%s is refused", async (_who, name, kind) => {
    const visitor = await signIn(name, locale);
    const title = texts[locale].errors[kind].title;
    expect([await headingOf(visitor), await namesOf(visitor)]).toEqual([title, []]);
    expect([await axeComplaints(visitor.page), await overflowComplaints(visitor.page)]).toEqual([[], []]);
    const again = await visitor.page.reload();
    const html = (await again?.text()) ?? "";
    expect(mainOf(html)).toContain(texts[locale].errors["oidc-over"].title);
    expect([await markupComplaints(html), /code=|state=/.test(html)]).toEqual([[], false]);
    await visitor.close();
  });

  test("a sign-in that is cancelled is refused", async () => {
    const visitor = await atProvider(locale);
    await follow(visitor, 'a[href$="/abort"]');
    expect(await headingOf(visitor)).toBe(texts[locale].errors["oidc-denied"].title);
    await visitor.close();
  });
});

test("a member of a group gets an account with its plan", async () => {
  const visitor = await signIn("carol", "en-gb");
  expect(visitor.page.url()).toBe(`${origin}/account/tokens`);
  const account = await appliance.withStore(async (store) => store.accounts.findByEmail("carol@assay.test"));
  expect(account).toMatchObject({ plan: "agency", admin: false });
  await visitor.close();
});

test("a rotated key and another address of the server change nothing", async () => {
  provider.rotateKeys();
  const visitor = await atProvider("en-gb", appliance.origin);
  await signInAtProvider(visitor.page, "ada");
  expect(visitor.page.url()).toBe(`${origin}/account/tokens`);
  await visitor.close();
});
