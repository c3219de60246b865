/** `assay audit`: who the command line is, and output as lines and as JSON. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseSince } from "../../../src/cli/audit.ts";
import { openStore } from "../../../src/store/store.ts";
import { runInProcess } from "../../support/program.ts";

let folder: string;
let data: string;
const me = "me@assay.test";
const assay = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => runInProcess([...args, "--data", data], { env });

describe("assay audit", () => {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "assay-audit-cli-"));
    data = join(folder, "data");
    await assay(["user", "create", me]);
    await assay(["token", "create", "--user", me, "--name", "ci"], { SUDO_USER: "anna" });
    await assay(["user", "setup-link"]);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("names the user of the operating system, and the one behind sudo", async () => {
    const { code, stdout } = await assay(["audit", "--json"]);
    const entries = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect([code, entries.length]).toEqual([0, 2]);
    const user = (await Bun.$`id -un`.text()).trim();
    expect(entries[0]).toMatchObject({
      id: 1,
      actor: { kind: "cli", user },
      action: "account.created",
      subject: { kind: "account", id: 1 },
    });
    expect(entries[1]).toMatchObject({ actor: { user: `${user} (sudo by anna)` }, action: "token.created" });
    expect(stdout).not.toContain(me);
  });

  test("prints one line for each entry, without characters that control a terminal", async () => {
    const store = openStore(data, { noSync: true });
    const details = { text: "\u001b[31m\n" };
    await store.audit.note({
      actor: { kind: "cli", user: "a\nb" },
      action: "setting.changed",
      subject: { kind: "setting", id: "x" },
      details,
      now: new Date(),
    });
    await store.close();
    const { stdout } = await assay(["audit"]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^\S+Z cli \S+ account\.created account 1 plan="agency" admin=true$/);
    expect(lines[2]).toMatch(/ cli a\?b setting\.changed setting x text="\\u001b\[31m\\n"$/);
  });

  test("begins at --since, and says when nothing is there", async () => {
    expect((await assay(["audit", "--since", "1h"])).stdout.split("\n")).toHaveLength(3);
    const { code, stdout, stderr } = await assay(["audit", "--since", "2999-01-01"]);
    expect([code, stdout, stderr]).toEqual([0, "", "the audit log has no such entry\n"]);
    const refused = await assay(["audit", "--since", "yesterday"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--since "yesterday" is neither a date')]);
  });

  test("of a folder without a store prints nothing", async () => {
    const { code, stdout } = await runInProcess(["audit", "--json", "--data", join(folder, "none")]);
    expect([code, stdout]).toEqual([0, ""]);
  });
});

test.each([
  ["2026-11-01", "2026-11-01T00:00:00.000Z"],
  ["2026-11-01T10:00", "2026-11-01T10:00:00.000Z"],
  ["2026-11-01 10:00:05+02:00", "2026-11-01T08:00:05.000Z"],
  ["2026-11-01t10:00:05z", "2026-11-01T10:00:05.000Z"],
  ["90m", "2026-11-20T10:30:00.000Z"],
  ["12h", "2026-11-20T00:00:00.000Z"],
  ["7d", "2026-11-13T12:00:00.000Z"],
  ["2w", "2026-11-06T12:00:00.000Z"],
  ["2026-02-30", null],
  ["2026-02-30T10:00:00Z", null],
  ["2026-13-01", null],
  ["20261101", null],
  ["7 d", null],
  ["", null],
  ["-1d", null],
])("--since %s", (text, instant) => {
  expect(parseSince(text, new Date("2026-11-20T12:00:00Z"))?.toISOString() ?? null).toBe(instant as string | null);
});
