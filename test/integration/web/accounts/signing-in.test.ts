/** `/sign-in` and `/sign-out`: normal use, session fixation, CSRF, open redirects, guessing and information leaks. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nextPath } from "../../../../src/web/accounts/session.ts";
import { codeAt } from "../../../support/account-fixture.ts";
import { mainOf } from "../../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../../support/pages.ts";

const email = "me@assay.test";
const password = "green lamps over Oslo";

let pages: PagesUnderTest;

beforeEach(async () => {
  pages = await startPages();
});
afterEach(() => pages.stop());

async function withAccount(): Promise<void> {
  const passwordHash = await Bun.password.hash(password, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 });
  await pages.store.accounts.create({ email, passwordHash, now: new Date() });
}

function signIn(visitor: Visitor, fields: Readonly<Record<string, string>> = {}): Promise<Response> {
  return visitor.post("/sign-in", { email, password, ...fields }, "/sign-in");
}

describe("a server without accounts", () => {
  test("shows three ways to the first account in place of the form", async () => {
    const text = mainOf(await (await pages.visitor().get("/sign-in")).text());
    for (const words of ["no administrator yet", "assay user setup-link", "assay user create", "admin.password_file", "its --data"])
      expect(text).toContain(words);
    expect(text).not.toContain("<form");
  });
});

describe("signing in", () => {
  beforeEach(withAccount);

  test("opens a session and redirects to the account or the requested page", async () => {
    const visitor = pages.visitor();
    const asked = await visitor.get("/account/tokens?x=1");
    expect([asked.status, asked.headers.get("location")]).toEqual([303, "/sign-in?next=%2Faccount%2Ftokens%3Fx%3D1"]);
    const answer = await signIn(visitor, { next: "/account/tokens?x=1" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/account/tokens?x=1"]);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^sid=[0-9A-Za-z]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=7776000$/),
    ]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect((await visitor.get("/account")).status).toBe(200);
    expect((await visitor.get("/sign-in")).headers.get("location")).toBe("/account");
  });

  test("ignores a planted session cookie (session fixation)", async () => {
    const visitor = pages.visitor();
    const planted = "A".repeat(43);
    visitor.cookies.set("sid", planted);
    await signIn(visitor);
    expect(visitor.cookies.get("sid")).not.toBe(planted);
    expect(pages.store.sessions.findByValue(planted, new Date())).toBeUndefined();
  });

  test("ends the previous session of the same browser", async () => {
    const visitor = pages.visitor();
    await signIn(visitor);
    const before = visitor.cookies.get("sid") ?? "";
    await visitor.post("/sign-in", { email, password }, "/account");
    expect(visitor.cookies.get("sid")).not.toBe(before);
    expect(pages.store.sessions.findByValue(before, new Date())).toBeUndefined();
    expect(pages.store.sessions.listOfAccount(1, new Date())).toHaveLength(1);
  });

  test("gives identical responses for wrong password, unknown user and disabled account", async () => {
    const textOf = async (fields: Readonly<Record<string, string>>) => {
      const answer = await signIn(pages.visitor(), fields);
      expect(answer.status).toBe(403);
      return mainOf(await answer.text()).replaceAll(/value="[^"]*"/g, "");
    };
    const wrong = await textOf({ password: "something else" });
    expect(await textOf({ email: "nobody@assay.test" })).toBe(wrong);
    await pages.store.accounts.setDisabled(1, true);
    expect(await textOf({})).toBe(wrong);
    expect(wrong).toContain("The email address or the password is wrong.");
  });

  test("keeps the typed address but not the password, and logs neither", async () => {
    const answer = await signIn(pages.visitor(), { email: "typo@assay.test", password: "secret words here" });
    const text = await answer.text();
    expect(text).toContain('value="typo@assay.test"');
    expect(text).not.toContain("secret words here");
    expect(pages.logged.join("")).toContain("sign-in refused");
    expect(pages.logged.join("")).not.toMatch(/secret words|typo@/);
  });

  test("sends Retry-After without blocking other clients", async () => {
    const visitor = pages.visitor();
    let answer = await signIn(visitor, { password: "wrong" });
    for (let count = 0; count < 8 && answer.status === 403; count++) answer = await signIn(visitor, { password: "wrong" });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await answer.text()).toMatch(/Try again in 1 second\./);
  });

  test("escapes typed markup", async () => {
    const evil = `"><script>alert(1)</script>@x`;
    const text = await (await signIn(pages.visitor(), { email: evil, next: `/"><script>` })).text();
    expect(text).not.toContain("<script>alert");
    expect(text).toContain("&quot;><script>alert(1)</script>@x".replaceAll("<", "&lt;"));
  });

  test("refuses a form from another site or without a sender, too long or malformed", async () => {
    const crossSite = await fetch(`${pages.url}/sign-in`, {
      method: "POST",
      headers: { origin: "https://evil.example" },
      body: new URLSearchParams({ email, password }),
      redirect: "manual",
    });
    const withoutSender = await fetch(`${pages.url}/sign-in`, {
      method: "POST",
      body: new URLSearchParams({ email, password }),
      redirect: "manual",
    });
    const json = await fetch(`${pages.url}/sign-in`, {
      method: "POST",
      headers: { origin: pages.url, "content-type": "application/json" },
      body: JSON.stringify({ email, password }),
    });
    const long = await signIn(pages.visitor(), { password: "x".repeat(20_000) });
    expect([crossSite.status, withoutSender.status, json.status, long.status]).toEqual([403, 403, 400, 413]);
    for (const answer of [crossSite, withoutSender, json, long])
      expect(answer.headers.getSetCookie().filter((line) => line.startsWith("sid="))).toEqual([]);
    expect(pages.store.sessions.listOfAccount(1, new Date())).toEqual([]);
  });
});

describe("the redirect after sign-in", () => {
  test.each(["/", "/account", "/scans?host=a&band=b", "/checks/x#y"])("goes to %s", (path) => {
    expect(nextPath(path, "/fallback")).toBe(path.replace(/#.*/, ""));
  });

  test.each([
    null,
    "",
    "account",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "\t//evil.example",
    "/\n/evil.example",
    "/.//evil.example",
    "/..//evil.example/",
    "/%2e//evil.example",
    "https://evil.example/",
    "https:evil.example",
    "javascript:alert(1)",
    "/\\\t/evil.example",
    "\u2029//evil.example",
    `/${"a".repeat(3_000)}`,
  ])("never leaves the server by %j", (asked) => {
    const path = nextPath(asked, "/fallback");
    expect(new URL(path, "http://own.example").origin).toBe("http://own.example");
    expect(path).toMatch(/^\/(?![/\\])/);
  });

  test("never leaves the server for any combination of URL delimiters", () => {
    const signs = fc.constantFrom(
      "/",
      "\\",
      ".",
      "\t",
      "\n",
      "\r",
      ":",
      "@",
      "%",
      "2e",
      "2f",
      "5c",
      "?",
      "#",
      "a",
      " ",
      "\u3002",
      "\uff0f",
    );
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 12 }), (word) => {
        for (const asked of [word.join(""), `/${word.join("")}`]) {
          const path = nextPath(asked, "/fallback");
          expect(new URL(path, "https://own.example/sign-in").origin).toBe("https://own.example");
          expect(path).toMatch(/^\/(?![/\\])[\x21-\x7e]*$/);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  test("cannot inject headers", async () => {
    await withAccount();
    const answer = await signIn(pages.visitor(), { next: "/x\r\nSet-Cookie: evil=1\r\n\r\n<p>" });
    expect(answer.headers.get("location")).not.toMatch(/[\r\n]/);
    expect(answer.headers.getSetCookie().join("")).not.toContain("evil");
  });
});

describe("the second step", () => {
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

  beforeEach(async () => {
    await withAccount();
    const totp = { secret, confirmedAt: new Date().toISOString(), lastUsedStep: null };
    await pages.store.credentials.change(1, { totp }, { reopen: null });
  });

  async function challenge(visitor: Visitor, next = "/account/tokens"): Promise<string> {
    const answer = await signIn(visitor, { next });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(visitor.cookies.has("sid")).toBe(false);
    return /name="challenge" value="([^"]+)"/.exec(await answer.text())?.[1] ?? "";
  }

  test("requires the code before it opens a session, then redirects to the requested page", async () => {
    const visitor = pages.visitor();
    const fields = { challenge: await challenge(visitor), next: "/account/tokens" };
    expect((await visitor.get("/account")).status).toBe(303);
    const wrong = await visitor.post("/sign-in/code", { ...fields, code: "000000" }, "/sign-in");
    expect([wrong.status, visitor.cookies.has("sid")]).toEqual([403, false]);
    const right = await visitor.post("/sign-in/code", { ...fields, code: codeAt(secret, new Date()) }, "/sign-in");
    expect([right.status, right.headers.get("location"), visitor.cookies.has("sid")]).toEqual([303, "/account/tokens", true]);
  });

  test("never leaves the server either", async () => {
    const visitor = pages.visitor();
    const fields = { challenge: await challenge(visitor), next: "//evil.example", code: codeAt(secret, new Date()) };
    expect((await visitor.post("/sign-in/code", fields, "/sign-in")).headers.get("location")).toBe("/account");
  });

  test("restarts with a message after a timeout", async () => {
    const visitor = pages.visitor();
    const fields = { challenge: await challenge(visitor), next: "/account", code: codeAt(secret, new Date()) };
    pages.advanceMs(600_000);
    const answer = await visitor.post("/sign-in/code", fields, "/sign-in");
    expect(answer.headers.get("location")).toBe("/sign-in?done=over&next=%2Faccount");
    expect(await (await visitor.get("/sign-in?done=over&next=%2Faccount")).text()).toContain("This sign-in took too long");
    expect((await visitor.get("/sign-in/code")).headers.get("location")).toBe("/sign-in");
  });
});

describe("signing out", () => {
  beforeEach(withAccount);

  test("ends the stored session, not only the cookie", async () => {
    const visitor = pages.visitor();
    await signIn(visitor);
    const value = visitor.cookies.get("sid") ?? "";
    expect(await (await visitor.get("/sign-out")).text()).toContain(email);
    expect(pages.store.sessions.findByValue(value, new Date())).toBeDefined();
    const answer = await visitor.post("/sign-out", {}, "/sign-out");
    expect([answer.status, visitor.cookies.has("sid")]).toEqual([303, false]);
    expect(pages.store.sessions.findByValue(value, new Date())).toBeUndefined();
    expect(await (await visitor.get("/sign-out")).text()).toContain("You are not signed in.");
  });

  test("requires a POST with an Origin of ours", async () => {
    const visitor = pages.visitor();
    await signIn(visitor);
    await visitor.get("/sign-out");
    const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
    await fetch(`${pages.url}/sign-out`, { method: "POST", headers: { cookie, origin: "null" }, body: new URLSearchParams() });
    expect((await visitor.get("/account")).status).toBe(200);
  });
});

test("the cookie has the `__Host-` prefix on https", async () => {
  const secure = await startPages({ publicUrl: "https://assay.example.org" });
  try {
    const passwordHash = await Bun.password.hash(password);
    await secure.store.accounts.create({ email, passwordHash, now: new Date() });
    const headers = { host: "assay.example.org", origin: "https://assay.example.org" };
    const body = new URLSearchParams({ email, password });
    const answer = await fetch(`${secure.url}/sign-in`, { method: "POST", headers, body, redirect: "manual" });
    expect(answer.status).toBe(303);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-sid=[0-9A-Za-z]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=7776000$/),
    ]);
  } finally {
    await secure.stop();
  }
});
