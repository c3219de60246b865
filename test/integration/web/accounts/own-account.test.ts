/** `/account` and `/account/second-factor`: access, proof by password, and isolation between accounts. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Account } from "../../../../src/store/accounts.ts";
import { codeAt } from "../../../support/account-fixture.ts";
import { inputValueOf, mainOf } from "../../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../../support/pages.ts";

const email = "me@assay.test";
const password = "green lamps over Oslo";

let pages: PagesUnderTest;
let account: Account;

beforeEach(async () => {
  pages = await startPages();
  account = await accountOf(email);
});
afterEach(() => pages.stop());

async function accountOf(address: string): Promise<Account> {
  const passwordHash = await Bun.password.hash(password, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 });
  const made = await pages.store.accounts.create({ email: address, passwordHash, now: new Date() });
  if (typeof made === "string") throw new Error(made);
  return made;
}

async function signedIn(address = email): Promise<Visitor> {
  const visitor = pages.visitor();
  await visitor.post("/sign-in", { email: address, password }, "/sign-in");
  return visitor;
}

function change(visitor: Visitor, fields: Readonly<Record<string, string>>): Promise<Response> {
  return visitor.post("/account", fields, "/account");
}

describe("an unauthorized visitor", () => {
  test.each(["/account", "/account/second-factor", "/account/tokens"])("cannot see or change %s", async (path) => {
    const visitor = pages.visitor();
    expect((await visitor.get(path)).headers.get("location")).toBe(`/sign-in?next=${encodeURIComponent(path)}`);
    const posted = await visitor.post(path, { do: "off", password }, "/sign-in");
    expect([posted.status, posted.headers.get("location")]).toEqual([303, `/sign-in?next=${encodeURIComponent(path)}`]);
  });

  test("cannot change anything by a cross-site form", async () => {
    const visitor = await signedIn();
    const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
    const attempts = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "null", "sec-fetch-site": "same-origin" },
      { origin: `${pages.url}.evil.example` },
      { "sec-fetch-site": "same-site" },
      {},
    ];
    for (const headers of attempts) {
      const body = new URLSearchParams({ do: "password", password, "new-password": "another long one" });
      const init = { method: "POST", headers: { cookie, ...(headers as object) }, body, redirect: "manual" } as const;
      expect((await fetch(`${pages.url}/account`, init)).status).toBe(403);
    }
    expect((await visitor.get("/account")).status).toBe(200);
  });

  test("is signed out once the account is disabled", async () => {
    const visitor = await signedIn();
    await pages.store.accounts.setDisabled(account.id, true);
    expect((await visitor.get("/account")).status).toBe(303);
  });
});

describe("the password", () => {
  test("changes with the current one, ends other sessions and renews this one", async () => {
    const [here, there] = [await signedIn(), await signedIn()];
    const before = here.cookies.get("sid");
    const answer = await change(here, { do: "password", password, "new-password": "another long one" });
    expect(answer.headers.get("location")).toBe("/account?done=password");
    expect(here.cookies.get("sid")).not.toBe(before);
    const shown = await here.get("/account?done=password");
    expect([shown.status, (await there.get("/account")).status]).toEqual([200, 303]);
    expect(await shown.text()).toContain("You are signed out in all other browsers.");
  });

  test("stays unchanged without proof or with an invalid new one; typed values are not echoed", async () => {
    const visitor = await signedIn();
    const wrong = await change(visitor, { do: "password", password: "wrong guess here", "new-password": "another long one" });
    const weak = await change(visitor, { do: "password", password, "new-password": "short" });
    expect([wrong.status, weak.status]).toEqual([403, 400]);
    const [wrongText, weakText] = [await wrong.text(), await weak.text()];
    expect(wrongText).toContain("The current password is not right.");
    expect(weakText).toContain("at least 12 characters");
    expect(wrongText + weakText).not.toMatch(/wrong guess here|another long one|green lamps/);
  });
});

describe("the mail address", () => {
  test("changes with the password, and markup is escaped", async () => {
    const visitor = await signedIn();
    expect((await change(visitor, { do: "email", email: "new@assay.test", password: "wrong" })).status).toBe(403);
    const evil = `<b>"'&x@assay.test`;
    expect((await change(visitor, { do: "email", email: evil, password })).status).toBe(303);
    const text = await (await visitor.get("/account")).text();
    expect(text).not.toContain("<b>");
    expect(pages.store.accounts.findById(account.id)?.email).toBe(evil);
  });

  test("of another account is refused", async () => {
    await accountOf("you@assay.test");
    const answer = await change(await signedIn(), { do: "email", email: "YOU@assay.test", password });
    const text = await answer.text();
    expect([answer.status, inputValueOf(text, "email")]).toEqual([400, "YOU@assay.test"]);
    expect(text).toContain("already an account with this email address");
  });
});

describe("language and theme", () => {
  test("are stored with the account and override an earlier language link", async () => {
    const visitor = await signedIn();
    await visitor.get("/account?locale=en-gb");
    expect((await change(visitor, { do: "preferences", locale: "de-de", theme: "dark" })).status).toBe(303);
    const text = await (await visitor.get("/account")).text();
    expect(text).toMatch(/<html lang="de-DE" data-theme="dark">/);
    await change(visitor, { do: "preferences", locale: "", theme: "system" });
    expect(pages.store.accounts.findById(account.id)).toMatchObject({ locale: null, theme: "system" });
  });

  test.each([
    { do: "preferences", locale: "xx", theme: "dark" },
    { do: "preferences", locale: "de-de", theme: `dark" onload="x` },
    { do: "nothing" },
    { do: "end-session", session: "1e3" },
    {},
  ])("refuse values that the form cannot send: %j", async (fields) => {
    expect((await change(await signedIn(), fields as Record<string, string>)).status).toBe(400);
  });
});

describe("sessions", () => {
  test("are listed with browser and truncated address, and can be ended", async () => {
    const [here, there] = [await signedIn(), await signedIn()];
    const text = mainOf(await (await here.get("/account")).text());
    expect(text).toContain("127.0.0.0");
    expect(text).not.toContain("127.0.0.1");
    for (const visitor of [here, there]) expect(text).not.toContain(visitor.cookies.get("sid") ?? "-");
    expect((await change(here, { do: "end-session", session: "2" })).headers.get("location")).toBe("/account?done=sessions");
    expect([(await here.get("/account")).status, (await there.get("/account")).status]).toEqual([200, 303]);
  });

  test("of other accounts cannot be ended", async () => {
    await accountOf("you@assay.test");
    const [mine, theirs] = [await signedIn(), await signedIn("you@assay.test")];
    await change(mine, { do: "end-session", session: "2" });
    await change(mine, { do: "end-others" });
    expect((await theirs.get("/account")).status).toBe(200);
  });

  test("can all be ended except the current one", async () => {
    const [here, ...others] = [await signedIn(), await signedIn(), await signedIn()];
    await change(here as Visitor, { do: "end-others" });
    expect((await here?.get("/account"))?.status).toBe(200);
    for (const other of others) expect((await other.get("/account")).status).toBe(303);
  });

  test("show the User-Agent as escaped text", async () => {
    const origin = { userAgent: "<img src=x onerror=alert(1)>\u202e", address: "192.0.2.0" };
    const hash = pages.store.credentials.get(account.id).passwordHash;
    await pages.store.sessions.open({ accountId: account.id, verifiedPasswordHash: hash, origin, now: new Date() });
    const text = await (await (await signedIn()).get("/account")).text();
    expect(text).not.toMatch(/<img|\u202e/);
    expect(text).toContain("&lt;img src=x");
  });
});

describe("the second factor", () => {
  const path = "/account/second-factor";

  function send(visitor: Visitor, fields: Readonly<Record<string, string>>): Promise<Response> {
    return visitor.post(path, fields, path);
  }

  async function offered(visitor: Visitor): Promise<string> {
    await send(visitor, { do: "offer" });
    const answer = await visitor.get(path);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const shown = /<code id="secret"[^>]*>([A-Z2-7 ]+)<\/code>/.exec(await answer.text())?.[1] ?? "";
    return shown.replaceAll(" ", "");
  }

  test("is enrolled with code and password; recovery codes are shown once and work", async () => {
    const [visitor, other] = [await signedIn(), await signedIn()];
    const secret = await offered(visitor);
    const code = codeAt(secret, new Date());
    expect((await send(visitor, { do: "confirm", code: "000000", password })).status).toBe(403);
    expect((await send(visitor, { do: "confirm", code, password: "wrong" })).status).toBe(403);
    const answer = await send(visitor, { do: "confirm", code, password });
    const text = mainOf(await answer.text());
    expect([answer.status, answer.headers.get("cache-control"), (await other.get("/account")).status]).toEqual([200, "no-store", 303]);
    const codes = text.match(/[a-z2-7]{4}(?:-[a-z2-7]{4}){3}/g) ?? [];
    expect(new Set(codes).size).toBe(10);
    const later = await (await visitor.get(path)).text();
    expect(later).toContain("10 recovery codes are left.");
    expect(later).not.toMatch(new RegExp(`${codes[0]}|${secret}|id="secret"`));

    const newcomer = pages.visitor();
    const step = await newcomer.post("/sign-in", { email, password }, "/sign-in");
    const challenge = inputValueOf(await step.text(), "challenge");
    const done = await newcomer.post("/sign-in/code", { challenge, next: "/account", code: codes[4] ?? "" }, "/sign-in");
    expect(done.headers.get("location")).toBe("/account/second-factor?done=recovery-code");
    expect(mainOf(await (await newcomer.get("/account/second-factor?done=recovery-code")).text())).toContain("9 recovery codes are left.");
    expect(pages.logged.join("")).not.toMatch(new RegExp(`${secret}|${codes[4]}|${code}`));
  });

  test("has a QR code with the same content as the text", async () => {
    const visitor = await signedIn();
    await offered(visitor);
    const text = await (await visitor.get(path)).text();
    expect(text).toMatch(/<svg[^>]*class="qr"[^>]*role="img"/);
    expect(text).not.toMatch(/style=|data:image/);
  });

  test("is removed with the password, together with its recovery codes", async () => {
    const visitor = await signedIn();
    const secret = await offered(visitor);
    await send(visitor, { do: "confirm", code: codeAt(secret, new Date()), password });
    expect((await send(visitor, { do: "off", password: "wrong" })).status).toBe(403);
    expect((await send(visitor, { do: "offer" })).headers.get("location")).toBe(path);
    expect(pages.store.credentials.get(account.id).totp?.secret).toBe(secret);
    const renewed = await send(visitor, { do: "codes", password });
    expect(mainOf(await renewed.text())).toMatch(/[a-z2-7]{4}(-[a-z2-7]{4}){3}/);
    expect((await send(visitor, { do: "off", password })).headers.get("location")).toBe("/account?done=second-factor-off");
    expect(pages.store.credentials.get(account.id)).toMatchObject({ totp: null, recoveryCodeHashes: [] });
    expect((await visitor.get("/account")).status).toBe(200);
  });
});
