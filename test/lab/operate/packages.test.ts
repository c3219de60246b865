/** The packages: same bytes for the same source, and the Debian package through its whole life on a machine with systemd. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SecurityResult } from "../../../src/text/render.ts";
import { type ApiClient, apiClient } from "../../support/api-client.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { startHttp, type TestServer } from "../../support/servers.ts";
import { bootDebian, type DebianMachine, finished, machineIsMissing, spawned } from "./debian-machine.ts";

// reaches: build/package.ts
// reads: package.json
const root = resolve(import.meta.dirname, "../../..");
const [oldVersion, newVersion] = ["7.1.0-rc.1", "7.1.0"];
const [oldDeb, newDeb] = ["assay_7.1.0~rc.1_amd64.deb", "assay_7.1.0_amd64.deb"];
const testMsMax = 300_000;
const scanMsMax = 60_000;
const waitMsMax = 30_000;
const pollMs = 100;
/** Upper limit of `systemd-analyze security`, in tenths. */
const exposureMax = 20;
const data = "/var/lib/assay";
const unit = "/usr/lib/systemd/system/assay.service";

/** lintian takes half a minute. */
const isFull = process.env.OPERATE_FULL === "1";
const fullNote = " (skipped: OPERATE_FULL is not 1)";
const missing = machineIsMissing();
const folder = mkdtempSync(join(tmpdir(), "assay-packages-"));
/** Version of the browser, as the bill of materials names it. */
let browserVersion = "";
const [first, again, newer] = ["first", "again", "newer"].map((name) => join(folder, name)) as [string, string, string];

function build(version: string, out: string): Promise<string> {
  return finished([process.execPath, "build/package.ts", "--arch", "x64", "--version", version, "--out", out], root);
}

beforeAll(async () => {
  await Promise.all([build(oldVersion, first), build(newVersion, newer)]);
}, testMsMax);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the packages", () => {
  test(
    "have the same bytes when they are built again",
    async () => {
      await build(oldVersion, again);
      expect(readdirSync(first)).toHaveLength(4);
      for (const name of readdirSync(first))
        expect([name, await sha256(join(again, name))]).toEqual([name, await sha256(join(first, name))]);
    },
    testMsMax,
  );

  test("have sums that sha256sum accepts", async () => {
    const { code, stdout } = await spawned(["sha256sum", "--check", "SHA256SUMS"], first);
    expect([code, stdout.trim().split("\n").sort()]).toEqual([
      0,
      readdirSync(first)
        .filter((name) => name !== "SHA256SUMS")
        .map((name) => `${name}: OK`)
        .sort(),
    ]);
  });

  test("have a bill of materials that is valid, and names packages, browser and runtime", async () => {
    const text = readFileSync(join(first, `assay-${oldVersion}-linux-x64.cdx.json`), "utf8");
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)).toBeNull();
    const bom: { readonly components: readonly { readonly name: string; readonly version?: string; readonly "bom-ref": string }[] } =
      JSON.parse(text);
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const versionOf = (name: string) => bom.components.find((component) => component.name === name)?.version;
    for (const name of ["bun", "elysia", "lmdb", "puppeteer-core"]) expect([name, versionOf(name)]).toEqual([name, dependencies[name]]);
    expect(Object.keys(devDependencies).filter((name) => versionOf(name) !== undefined)).toEqual([]);
    expect(versionOf("Chromium and V8")).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    browserVersion = versionOf("Chromium and V8") ?? "";
    expect(new Set(bom.components.map((component) => component["bom-ref"])).size).toBe(bom.components.length);
  });

  test("have an archive whose program names its version and prints the licence of each component", async () => {
    await finished(["tar", "--extract", "--gzip", "--file", join(first, `assay-${oldVersion}-linux-x64.tar.gz`), "--directory", folder]);
    const archive = join(folder, `assay-${oldVersion}-linux-x64`);
    expect(await finished([join(archive, "assay"), "--version"])).toMatch(/^7\.1\.0-rc\.1( \(commit [0-9a-f]{12}(, modified)?\))?\n$/);
    const licences = await finished([join(archive, "assay"), "licences"]);
    expect(licences).toContain(readFileSync(join(archive, "LICENSE"), "utf8").trim());
    expect(licences).toContain(readFileSync(join(archive, "THIRD-PARTY-NOTICES"), "utf8").trim());
    const { components } = JSON.parse(readFileSync(join(archive, "assay.cdx.json"), "utf8"));
    expect(components.filter(({ name }: { readonly name: string }) => !licences.includes(name))).toEqual([]);
    for (const words of ["Apache License", "Mozilla Public License", "GNU LESSER GENERAL PUBLIC LICENSE", "SIL OPEN FONT LICENSE"])
      expect(licences.toLowerCase()).toContain(words.toLowerCase());
    expect(readdirSync(archive)).toEqual(expect.arrayContaining(["Containerfile", "assay.service", "assay.toml", "docs", "seccomp.json"]));
  });

  test.skipIf(!isFull)(`have no fault that lintian finds${isFull ? "" : fullNote}`, async () => {
    const { stdout } = await spawned(["lintian", "--allow-root", "--tag-display-limit", "0", join(newer, newDeb)]);
    expect(stdout.split("\n").filter((line) => /^[EW]:/.test(line))).toEqual([]);
  });
});

describe.skipIf(missing !== null)(`the Debian package${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
  const port = portWithoutListener();
  const url = `http://127.0.0.1:${port}`;
  let machine: DebianMachine;
  let site: TestServer;
  let client: ApiClient;
  let token = "";

  beforeAll(async () => {
    machine = await bootDebian();
    site = await startHttp({ "*": { body: "<!doctype html><title>site</title><script>document.title += 1</script>" } });
    // The machine shares the network, where the usual port may be taken.
    mkdirSync(machine.path("/etc/systemd/system/assay.service.d"), { recursive: true });
    writeFileSync(machine.path("/etc/systemd/system/assay.service.d/port.conf"), `[Service]\nEnvironment=ASSAY_LISTEN=127.0.0.1:${port}\n`);
    machine.copy(join(first, oldDeb), "/old.deb");
    machine.copy(join(newer, newDeb), "/new.deb");
  }, testMsMax);

  afterAll(async () => {
    await machine?.stop();
    await site?.stop();
  });

  const log = () => machine.ok("journalctl", "--unit=assay", "--no-pager");

  async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (const end = Date.now() + waitMsMax; !(await holds()); await Bun.sleep(pollMs)) {
      if (Date.now() > end) throw new Error(`no ${what}: ${await log()}`);
    }
  }

  const ready = () => until("readiness", async () => (await fetch(`${url}/readyz`).catch(() => null))?.status === 200);
  const asAssay = (...args: readonly string[]) => machine.ok("runuser", "-u", "assay", "--", "assay", ...args, "--data", data);
  const mainPid = () => machine.ok("systemctl", "show", "--property=MainPID", "--value", "assay");
  const security = () => client.get<SecurityResult>(`/api/v1/scans/${token}/security`);

  test(
    "starts its unit as a user of its own, without rights",
    async () => {
      await machine.ok("dpkg", "--install", "/old.deb");
      await ready();
      expect(await machine.ok("systemctl", "is-enabled", "assay")).toBe("enabled");
      expect(await machine.ok("getent", "passwd", "assay")).toMatch(/^assay:x:\d+:\d+:[^:]*:\/var\/lib\/assay:\/usr\/sbin\/nologin$/);
      expect(await machine.ok("stat", "--format=%U %a", data)).toBe("assay 700");
      const status = await machine.ok("cat", `/proc/${await mainPid()}/status`);
      for (const line of ["CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"])
        expect(status).toContain(line);
      expect(status).not.toMatch(/^Uid:\t0/m);
    },
    testMsMax,
  );

  test(
    "reads /etc/assay/assay.toml, and scans a page with the browser in its sandbox",
    async () => {
      writeFileSync(machine.path("/etc/assay/assay.toml"), `profile = "internal"\n`, { flag: "a" });
      await machine.ok("systemctl", "restart", "assay");
      await ready();
      await asAssay("user", "create", "first@assay.test");
      client = apiClient(url, await asAssay("token", "create", "--user", "first@assay.test", "--name", "test", "--quiet"));
      token = (await client.start(`http://127.0.0.1:${site.port}/`)) ?? "";
      expect(await client.ended(token, scanMsMax)).toMatchObject({ status: "finished", security: { measured: true } });
      expect(await log()).toContain(`HeadlessChrome/${browserVersion}"`);
      const namespaces = async (pid: string) =>
        (await machine.ok("readlink", ...["user", "pid", "net"].map((kind) => `/proc/${pid}/ns/${kind}`))).split("\n");
      const [renderer = ""] =
        (await machine.ok("sh", "-c", "grep --files-with-matches --text 'type=rendere[r]' /proc/[0-9]*/cmdline")).match(/\d+/) ?? [];
      const [own, sandboxed] = [await namespaces(await mainPid()), await namespaces(renderer)];
      expect(sandboxed.filter((namespace) => own.includes(namespace))).toEqual([]);
      const filters = async (pid: string) => Number(/^Seccomp_filters:\t(\d+)/m.exec(await machine.ok("cat", `/proc/${pid}/status`))?.[1]);
      expect(await filters(renderer)).toBeGreaterThan(await filters(await mainPid()));
    },
    testMsMax,
  );

  test(
    "restarts after an upgrade, and keeps data and settings",
    async () => {
      const [before, oldPid, settings] = [await security(), await mainPid(), readFileSync(machine.path("/etc/assay/assay.toml"), "utf8")];
      await machine.ok("dpkg", "--install", "/new.deb");
      await ready();
      expect(await machine.ok("assay", "--version")).toMatch(/^7\.1\.0( |$)/);
      expect(await mainPid()).not.toBe(oldPid);
      expect(await machine.ok("readlink", `/proc/${await mainPid()}/exe`)).toBe("/usr/bin/assay");
      expect(before.status).toBe(200);
      expect(await security()).toEqual(before);
      expect(readFileSync(machine.path("/etc/assay/assay.toml"), "utf8")).toBe(settings);
      await machine.ok("systemctl", "reload", "assay");
      await until("checks reloaded in the log", async () => (await log()).includes("checks reloaded"));
    },
    testMsMax,
  );

  test(
    "stays off after an upgrade if the administrator disabled it",
    async () => {
      await machine.ok("systemctl", "disable", "--now", "--quiet", "assay");
      await machine.ok("dpkg", "--install", "/new.deb");
      expect((await machine.run("systemctl", "is-active", "assay")).stdout.trim()).toBe("inactive");
      expect((await machine.run("systemctl", "is-enabled", "assay")).stdout.trim()).toBe("disabled");
      await machine.ok("systemctl", "enable", "--now", "--quiet", "assay");
      await ready();
    },
    testMsMax,
  );

  test(
    "keeps its data when it is removed, and has them again when it is installed",
    async () => {
      const before = await security();
      await machine.ok("dpkg", "--remove", "assay");
      expect((await machine.run("systemctl", "is-active", "assay")).stdout.trim()).toBe("inactive");
      expect(existsSync(machine.path("/usr/bin/assay"))).toBe(false);
      expect(statSync(machine.path(`${data}/store/data.mdb`)).size).toBeGreaterThan(0);
      expect(existsSync(machine.path("/etc/assay/assay.toml"))).toBe(true);
      await machine.ok("dpkg", "--install", "/new.deb");
      await ready();
      expect(await security()).toEqual(before);
    },
    testMsMax,
  );

  test("has a unit that systemd finds right and little exposed", async () => {
    expect(await machine.run("systemd-analyze", "verify", unit)).toEqual({ code: 0, stdout: "", stderr: "" });
    const { code, stdout } = await machine.run(
      "systemd-analyze",
      "security",
      "--offline=true",
      `--threshold=${exposureMax}`,
      "--no-pager",
      unit,
    );
    expect([code, stdout.split("\n").at(-2)]).toEqual([0, expect.stringContaining("Overall exposure level")]);
  });

  test(
    "leaves nothing but its user when it is purged",
    async () => {
      await machine.ok("dpkg", "--purge", "assay");
      const left = await machine.ok(
        "find",
        "/etc",
        "/usr",
        "/var",
        "-name",
        "*assay*",
        "-not",
        "-path",
        "/var/log/*",
        "-not",
        "-path",
        "/etc/systemd/system/assay.service.d*",
      );
      expect(left).toBe("");
      expect(await machine.ok("getent", "passwd", "assay")).toContain("/var/lib/assay");
    },
    testMsMax,
  );
});

async function sha256(file: string): Promise<string> {
  return (await finished(["sha256sum", file])).split(" ")[0] ?? "";
}
