/** Commands that need no browser: data on stdout, the rest on stderr, one exit code for each kind of failure. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { pluginSource } from "../../support/plugin-source.ts";
import { fromSource, programUnderTest, run, runInProcess } from "../../support/program.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-cli-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function freshData(): string {
  return mkdtempSync(join(folder, "data-"));
}

describe("usage", () => {
  test("licences need the compiled program, and the refusal says how to make it", async () => {
    expect(await runInProcess(["licences"])).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining("npm run compile") });
  });

  test("--version is one line on stdout", async () => {
    // The compiled program also names its commit.
    const printed = await run(["--version"], { command: fromSource });
    expect(printed).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: "" });
  });

  test("--help shows examples and exit codes", async () => {
    const { code, stdout, stderr } = await runInProcess(["--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("assay scan https://example.com --fail-on high");
    expect(stdout).toContain("Exit codes: 0 ok");
  });

  test("serve --help lists every setting, by flag or by variable", async () => {
    const { stdout } = await runInProcess(["serve", "--help"]);
    expect(stdout).toContain("--public-url <origin>");
    expect(stdout).toMatch(/ASSAY_GUEST_RATE_PER_HOUR +Scans an hour/);
  });

  test.each([
    [["sevre"], "Did you mean serve?"],
    [["scan", "--fial-on", "high", "example.com"], "Did you mean --fail-on?"],
    [["scan", "--fail-on", "hihg", "example.com"], "it takes critical, high, medium, low or info; did you mean high?"],
    [["scan", "--fail-under", "101", "example.com"], "it takes a whole number from 0 to 100"],
    [["scan", "ftp://example.com"], "must be an absolute URL that begins with http:// or https://"],
    [["scan", "http:///x"], "must name a host"],
    [["scan", "https://-/"], "must name a host"],
    [["scan", "https://user:secret@example.com"], "must not contain a user name or password"],
    [["scan", "-"], "stdin names no URL"],
    [["scan", ""], "the URL is empty"],
    [["scan", "https://example.com/\x1b[31m"], '"https://example.com/?[31m" cannot be scanned'],
    [["scan", `https://example.com/${"a".repeat(3_000)}`], 'aaa..." cannot be scanned'],
    [["checks", "list", "--checks-dir", "/no/such/folder"], "there is no folder /no/such/folder"],
    [["scan"], "no page is named"],
    [["serve", "--listen", "8787"], "it takes address:port"],
    [["serve", "--config", "/no/such/file"], "cannot be read (ENOENT)"],
    [["user", "create", "nonsense", "--data", freshData()], "not an email address"],
    [["user", "set-plan", "nobody@assay.test", "agency", "--data", freshData()], "no account for nobody@assay.test"],
    [["token", "create", "--user", "nobody@assay.test", "--name", " ", "--data", freshData()], "--name is empty"],
    [["token", "revoke", "7", "--data", freshData()], "there is no token 7"],
  ])("%j is exit 2, one sentence and nothing on stdout", async (args, sentence) => {
    const { code, stdout, stderr } = await runInProcess(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test("an unknown ASSAY_ variable is exit 2 with the nearest name", async () => {
    const { code, stderr } = await runInProcess(["user", "list"], { env: { ASSAY_DATTA: folder } });
    expect([code, stderr]).toEqual([2, "assay: unknown setting ASSAY_DATTA in the environment; did you mean ASSAY_DATA?\n"]);
  });
});

describe("accounts and tokens", () => {
  test("the first account is admin and on the agency plan, the second is neither", async () => {
    const data = freshData();
    expect((await runInProcess(["user", "create", "first@assay.test", "--data", data])).stdout).toMatch(
      /first@assay\.test {2}agency {2}admin/,
    );
    expect((await runInProcess(["user", "create", "second@assay.test", "--data", data])).stdout).toMatch(
      /second@assay\.test {2}free {2}user/,
    );
    const { stdout } = await runInProcess(["user", "list", "--json", "--data", data]);
    expect(JSON.parse(stdout)).toMatchObject([
      { email: "first@assay.test", admin: true },
      { email: "second@assay.test", admin: false },
    ]);
  });

  test("a token's value is the only output on stdout, and shown once", async () => {
    const data = freshData();
    await runInProcess(["user", "create", "first@assay.test", "--data", data]);
    const created = await runInProcess(["token", "create", "--user", "first@assay.test", "--name", "ci", "--data", data]);
    expect(created.stdout).toMatch(/^assay_[0-9A-Za-z]{38}\n$/);
    const listed = await runInProcess(["token", "list", "--data", data]);
    expect(listed.stdout).not.toContain(created.stdout.trim());
    expect(listed.stdout).toContain("valid");
    expect((await runInProcess(["token", "revoke", "1", "--data", data])).code).toBe(0);
    expect((await runInProcess(["token", "list", "--data", data])).stdout).toContain("revoked");
  });

  test("a token of a plan without API access is created with a warning", async () => {
    const data = freshData();
    await runInProcess(["user", "create", "first@assay.test", "--data", data]);
    await runInProcess(["user", "create", "second@assay.test", "--data", data]);
    const { stderr } = await runInProcess(["token", "create", "--user", "second@assay.test", "--name", "ci", "--data", data]);
    expect(stderr).toContain("warning: second@assay.test is on the plan free");
  });
});

describe("a data directory that cannot be used is exit 6", () => {
  test("because it is not a folder", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    const { code, stdout, stderr } = await runInProcess(["user", "list", "--data", file]);
    expect([code, stdout]).toEqual([6, ""]);
    expect(stderr).toMatch(/^assay: data directory .* cannot be written .*\n$/);
  });

  test("because its content is not a store", async () => {
    const data = freshData();
    mkdirSync(join(data, "store"));
    writeFileSync(join(data, "store", "data.mdb"), "nonsense".repeat(1_000));
    expect((await runInProcess(["user", "list", "--data", data])).code).toBe(6);
  });
});

describe("the catalog", () => {
  test("lists every check as JSON, with its findings", async () => {
    const { code, stdout } = await runInProcess(["checks", "list", "--json", "--data", freshData()]);
    const { catalogVersion, checks } = JSON.parse(stdout);
    expect([code, catalogVersion]).toEqual([0, expect.stringMatching(/^[0-9a-f]{16}$/)]);
    expect(checks.length).toBeGreaterThan(0);
  });

  test("an unknown key of a plugin is a warning on stderr", async () => {
    const data = freshData();
    mkdirSync(join(data, "checks"));
    const file = join(data, "checks", "own-check.ts");
    const texts = `{ label: "L", reason: "R", findings: { "security.own.found": { title: "T", detail: "D", riskStatement: "S", remediation: "M" } } }`;
    writeFileSync(
      file,
      `import { passed, registerCheck } from "assay/check";
export default registerCheck({ key: "own-check", weight: 1, reads: [], standrads: [], judge: () => passed(),
  findings: { "security.own.found": { severity: "low", riskLevel: "low", effort: "low" } },
  texts: { "en-gb": ${texts}, "de-de": ${texts} } });`,
    );
    chmodSync(file, 0o600);
    const { code, stdout, stderr } = await runInProcess(["checks", "list", "--data", data]);
    expect([code, stderr]).toEqual([0, `warning: check ${file}:2:72: unknown key standrads: did you mean standards?\n`]);
    expect(stdout).toContain("own-check");
  });

  test("shows a check in the language of the setting, and a plugin with file and hash", async () => {
    const data = freshData();
    mkdirSync(join(data, "checks"));
    const file = join(data, "checks", "own-check.ts");
    const source = pluginSource("own-check", { weight: "3", label: "Own \\u001b[31mlabel" });
    writeFileSync(file, source, { mode: 0o600 });
    const sha256 = new Bun.CryptoHasher("sha256").update(source).digest("hex");
    const { code, stdout } = await runInProcess(["checks", "show", "own-check", "--json", "--data", data]);
    const code1 = "security.own.own-check";
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { key: "own-check", file, sha256, weight: 3, area: "own", findings: [{ code: code1 }] },
    ]);
    const shown = await runInProcess(["checks", "show", "own-check", "--data", data]);
    expect(shown.stdout).toContain("own-check: Own ?[31mlabel\n");
    expect(shown.stdout).toContain(`SHA-256 of the file  ${sha256}\n`);
    const german = await runInProcess(["checks", "show", "hsts-effective", "--locale", "de-de", "--data", data]);
    expect(german.stdout).toMatch(/Herkunft +Eingebaut\n.*reads +navigation\n.*Wie gemessen wird\n.*CWE-319/s);
  });

  test.each([
    ["hsts-efective", 'there is no check "hsts-efective"; did you mean hsts-effective?'],
    ["dnssec-", 'there is no check "dnssec-"; did you mean dnssec?'],
    ["dmarc", 'there is no check "dmarc"; did you mean '],
    ["nothing-like-it-at-all", '"assay checks list" lists all'],
    ["\u001b[31m", 'there is no check "?[31m"'],
  ])("names a key that is near %s", async (key, message) => {
    const { code, stdout, stderr } = await runInProcess(["checks", "show", key, "--data", freshData()]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });

  test("a broken check beside the binary is exit 2 with file and reason", async () => {
    const data = freshData();
    mkdirSync(join(data, "checks"));
    const file = join(data, "checks", "own-check.ts");
    writeFileSync(file, 'throw new Error("no luck");');
    chmodSync(file, 0o600);
    for (const args of [
      ["checks", "list"],
      ["serve", "--listen", "127.0.0.1:0"],
    ]) {
      const { code, stdout, stderr } = await runInProcess([...args, "--data", data]);
      expect([code, stdout, stderr]).toEqual([2, "", `assay: check ${file}:1:11: no luck\n`]);
    }
  });
});

test("a reader that closes stdout early is no error", async () => {
  const { code, stderr } = await run(["-c", `"$@" --help | head -n 1`, "sh", ...programUnderTest], {
    command: ["sh"],
  });
  expect([code, stderr]).toEqual([0, ""]);
});
