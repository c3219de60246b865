/** Accounts from the command line: first accounts, passwords, links and switches, and that no output shows a secret. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore, type Store } from "../../../src/store/store.ts";
import { endServers, runInProcess, serve } from "../../support/program.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-accounts-cli-"));
const password = "green lamps over Oslo";
const me = "me@assay.test";
let data: string;

beforeEach(() => {
  data = mkdtempSync(join(folder, "data-"));
});
afterEach(endServers);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function user(...args: readonly string[]) {
  return runInProcess(["user", ...args, "--data", data], { env: { ASSAY_ACCOUNTS_SIGNUP: "invite" } });
}

async function stored<T>(look: (store: Store) => T): Promise<T> {
  const store = openStore(data, { noSync: true });
  try {
    return look(store);
  } finally {
    await store.close();
  }
}

function hashOf(email: string): Promise<string | null> {
  return stored((store) => store.credentials.get(store.accounts.findByEmail(email)?.id ?? 0).passwordHash);
}

describe("passwords", () => {
  test("are read from stdin or a file, and stored as argon2id", async () => {
    const created = await runInProcess(["user", "create", me, "--password-stdin", "--data", data], { stdin: `${password}\nsecond line\n` });
    expect(created.code).toBe(0);
    expect(await hashOf(me)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await Bun.password.verify(password, (await hashOf(me)) ?? "")).toBe(true);

    const file = join(data, "password.txt");
    writeFileSync(file, "another long one\r\n");
    expect((await user("reset-password", me, "--password-file", file)).stdout).toBe("");
    expect(await Bun.password.verify("another long one", (await hashOf(me)) ?? "")).toBe(true);
  });

  test.each([
    ["short", "at least 12 characters"],
    ["passwordpassword", "everybody who guesses"],
    [me, "it is the mail address"],
    ["", "at least 12 characters"],
    ["x".repeat(300), "too long"],
  ])("that are none are refused: %s", async (weak, reason) => {
    const { code, stdout, stderr } = await runInProcess(["user", "create", me, "--password-stdin", "--data", data], { stdin: weak });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(reason);
    expect(await stored((store) => store.accounts.hasAny())).toBe(false);
  });

  test("are refused from two sources and from a missing file", async () => {
    expect((await user("create", me, "--password-stdin", "--password-file", "x")).stderr).toContain("exclude each other");
    expect((await user("create", me, "--password-file", join(data, "none"))).stderr).toContain("cannot be read");
  });

  test("and hashes are never listed", async () => {
    await runInProcess(["user", "create", me, "--password-stdin", "--data", data], { stdin: password });
    for (const args of [
      ["user", "list"],
      ["user", "list", "--json"],
      ["token", "list", "--json"],
    ])
      expect((await runInProcess([...args, "--data", data])).stdout).not.toMatch(/argon2|passwordHash|totp|recovery/);
  });
});

describe("hints", () => {
  test("after each new account name the missing steps", async () => {
    expect((await user("list")).stderr).toContain("assay user setup-link");
    expect((await user("create", me)).stderr).toMatch(/reset-password me@assay\.test.*\n.*token create --user me@assay\.test/);
    const second = await runInProcess(["user", "create", "you@assay.test", "--password-stdin", "--data", data], { stdin: password });
    expect(second.stderr).toMatch(/it can sign in\n.*set-plan you@assay\.test agency/);
  });

  test("for a missing password file name the flag or the setting", async () => {
    expect((await user("create", me, "--password-file", join(data, "none"))).stderr).toContain("--password-file");
    const env = { ASSAY_ADMIN_EMAIL: me, ASSAY_ADMIN_PASSWORD_FILE: join(data, "none") };
    const { code, stderr } = await runInProcess(["serve", "--listen", "127.0.0.1:0", "--data", data], { env });
    expect([code, stderr.includes("the file of admin.password_file cannot be read")]).toEqual([2, true]);
  });
});

describe("links", () => {
  test("for resets have the public URL, work once and revoke earlier ones", async () => {
    await user("create", me);
    const first = (await user("reset-password", me, "--public-url", "https://assay.example.org")).stdout.trim();
    expect(first).toMatch(/^https:\/\/assay\.example\.org\/reset\?t=[0-9A-Za-z]{43}$/);
    const second = (await user("reset-password", me)).stdout.trim();
    expect(second).toMatch(/^http:\/\/127\.0\.0\.1:8787\/reset\?t=[0-9A-Za-z]{43}$/);
    const secretOf = (link: string) => new URL(link).searchParams.get("t") ?? "";
    const [old, fresh] = await stored((store) =>
      [first, second].map((link) => store.oneTimeLinks.findByValue("reset", secretOf(link), new Date())),
    );
    expect(old).toBeUndefined();
    expect(fresh).toMatchObject({ kind: "reset", accountId: 1 });
  });

  test("invite one address or everybody, with the requested plan", async () => {
    await user("create", me);
    const link = new URL((await user("invite", "you@assay.test", "--plan", "agency", "--admin")).stdout.trim());
    expect(link.pathname).toBe("/sign-up");
    const value = link.searchParams.get("t") ?? "";
    expect(await stored((store) => store.oneTimeLinks.findByValue("invite", value, new Date()))).toMatchObject({
      email: "you@assay.test",
      plan: "agency",
      admin: true,
    });
    expect((await user("invite", me)).stderr).toContain("there is an account for me@assay.test already");
    expect((await user("invite", "nonsense")).stderr).toContain("not an email address");
    expect((await user("invite")).code).toBe(0);
    expect((await runInProcess(["user", "invite", "--data", data])).stderr).toContain("accounts.signup is closed");
  });

  test("for the first account exist only without accounts", async () => {
    const { stdout } = await user("setup-link", "--listen", "[::1]:8080");
    expect(stdout).toMatch(/^http:\/\/\[::1\]:8080\/setup\?t=[0-9A-Za-z]{43}\n$/);
    await user("create", me);
    expect(await user("setup-link")).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("an account already") });
  });

  test("never contain an unreachable address", async () => {
    expect((await user("setup-link", "--listen", "0.0.0.0:8787")).stdout).not.toContain("0.0.0.0");
  });
});

describe("account states", () => {
  test("disable and enable an account, and remove its second factor", async () => {
    await user("create", me);
    const disabled = await user("disable", me);
    expect(disabled.stdout).toMatch(/me@assay\.test {2}agency {2}admin {2}disabled/);
    expect(disabled.stderr).toContain("no administrator can sign in");
    expect((await user("reset-password", me)).stderr).toContain("is disabled");
    expect((await user("enable", me)).stdout).toContain("active");
    await stored((store) => store.credentials.offerTotp(1, "A".repeat(32)));
    expect((await user("disable-2fa", me)).code).toBe(0);
    expect(await stored((store) => store.credentials.get(1).totp)).toBeNull();
    for (const verb of ["disable", "enable", "disable-2fa", "reset-password"])
      expect((await user(verb, "nobody@assay.test")).stderr).toContain("there is no account");
  });

  test("tokens expire at the requested time", async () => {
    await user("create", me);
    const create = (...more: readonly string[]) => runInProcess(["token", "create", "--user", me, "--name", "ci", ...more, "--data", data]);
    expect((await create("--expires", "30d")).code).toBe(0);
    expect((await create()).code).toBe(0);
    expect((await create("--expires", "31d")).code).toBe(2);
    const [month, forever] = await stored((store) => store.apiTokens.listOfAccount(1));
    expect(Date.parse(month?.expiresAt ?? "") - Date.parse(month?.createdAt ?? "")).toBe(30 * 86_400_000);
    expect(forever?.expiresAt).toBeNull();
  });
});

describe("a server without accounts", () => {
  /** A start of the browser takes a second of the processor. */
  const withoutBrowser = ["--browser-path", "/nonexistent"];
  const testMsMax = 300_000;

  test(
    "prints a link for the first account, with its actual port",
    async () => {
      const server = await serve(["--data", data, ...withoutBrowser]);
      const [, link = ""] = /^ {2}(http:\S+\/setup\?t=[0-9A-Za-z]{43})$/m.exec(server.stderr()) ?? [];
      expect(link.startsWith(`${server.url}/setup?t=`)).toBe(true);
      await server.end("SIGTERM");
    },
    testMsMax,
  );

  test(
    "creates the first account from admin.email and admin.password_file, once",
    async () => {
      const file = join(data, "password");
      writeFileSync(file, `${password}\n`);
      const env = { ASSAY_ADMIN_EMAIL: me, ASSAY_ADMIN_PASSWORD_FILE: file };
      const first = await serve(["--data", data, ...withoutBrowser], { env });
      expect(first.stderr()).not.toContain("/setup?t=");
      await first.end("SIGTERM");
      writeFileSync(file, "something else entirely\n");
      const second = await serve(["--data", data, ...withoutBrowser], { env });
      await second.end("SIGTERM");
      expect(await stored((store) => store.accounts.list())).toMatchObject([{ email: me, admin: true, plan: "agency" }]);
      expect(await Bun.password.verify(password, (await hashOf(me)) ?? "")).toBe(true);
    },
    testMsMax,
  );

  test("does not start when only one of the two is set", async () => {
    const { code, stderr } = await runInProcess(["serve", "--listen", "127.0.0.1:0", "--data", data], { env: { ASSAY_ADMIN_EMAIL: me } });
    expect([code, stderr]).toEqual([2, expect.stringContaining("only one of them is set")]);
  });
});
