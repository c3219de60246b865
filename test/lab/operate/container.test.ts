/** The image, built from the archive on a Debian of this machine. Podman runs it with the seccomp profile and without rights. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiClient } from "../../support/api-client.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { startHttp, type TestServer } from "../../support/servers.ts";
import { type CommandEnd, debianRoot, finished, machineIsMissing, spawned } from "./debian-machine.ts";

// reaches: build/package.ts
const root = resolve(import.meta.dirname, "../../..");
const testMsMax = 300_000;
const scanMsMax = 60_000;
const readyMsMax = 60_000;
const pollMs = 100;
const version = "7.1.0";
const image = "assay";

const missing =
  process.env.OPERATE_FULL !== "1"
    ? "OPERATE_FULL is not 1"
    : Bun.which("podman") === null
      ? "podman is not installed"
      : machineIsMissing();

/** The network of the machine reaches the page of the test, and the limits stay below the limits of the machine. */
const machine = ["--network=host", "--ulimit=nofile=20000:20000", "--ulimit=nproc=4096:4096"];

describe.skipIf(missing !== null)(`the image${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-container-"));
  const archive = join(folder, `assay-${version}-linux-x64`);
  /** Rights of the container, as in docs/operate.md. */
  const rights = ["--cap-drop=all", "--security-opt=no-new-privileges", `--security-opt=seccomp=${archive}/seccomp.json`, "--read-only"];
  const port = portWithoutListener();
  const url = `http://127.0.0.1:${port}`;
  let site: TestServer;

  /** Podman with a store of its own. Its runtime refuses control groups in hybrid mode, so that hierarchy is hidden from it. */
  function podman(...args: readonly string[]): Promise<CommandEnd> {
    const own = ["podman", `--root=${folder}/storage`, `--runroot=${folder}/run`, `--tmpdir=${folder}/tmp`];
    const hidden = `if [ -d /sys/fs/cgroup/unified ]; then umount /sys/fs/cgroup/unified; fi; exec "$@"`;
    return spawned(["unshare", "--mount", "sh", "-c", hidden, "--", ...own, ...args]);
  }

  const inside = (...command: readonly string[]) => podman("run", "--rm", ...rights, "--tmpfs=/tmp:exec", ...machine, image, ...command);

  beforeAll(async () => {
    site = await startHttp({ "*": { body: "<!doctype html><title>site</title>" } });
    await finished([process.execPath, "build/package.ts", "--arch", "x64", "--version", version, "--out", folder], root);
    await finished(["tar", "--extract", "--gzip", "--file", `${archive}.tar.gz`, "--directory", folder]);
    expect(await podman("import", debianRoot, "debian:bookworm-slim")).toMatchObject({ code: 0 });
    expect(await podman("build", "--isolation=chroot", "--tag", image, archive)).toMatchObject({ code: 0 });
  }, testMsMax);

  afterAll(async () => {
    await podman("rm", "--force", "--all");
    await podman("rmi", "--force", "--all");
    await site?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("runs the program as an ordinary user", async () => {
    expect(await inside("--version")).toMatchObject({ code: 0, stdout: expect.stringMatching(/^7\.1\.0( |\n)/) });
    const { stdout } = await podman("image", "inspect", "--format={{.Config.User}}", image);
    expect(stdout.trim()).toBe("10001:10001");
  });

  test(
    "scans a page with the browser in its sandbox",
    async () => {
      const settings = [`--env=ASSAY_LISTEN=127.0.0.1:${port}`, "--env=ASSAY_PROFILE=internal", "--volume=assay-data:/var/lib/assay"];
      const started = await podman("run", "--detach", "--name=server", "--tmpfs=/tmp:exec", ...rights, ...machine, ...settings, image);
      expect(started).toMatchObject({ code: 0 });
      for (const until = Date.now() + readyMsMax; ; await Bun.sleep(pollMs)) {
        const response = await fetch(`${url}/readyz`).catch(() => null);
        if (response?.status === 200) break;
        if (Date.now() > until) throw new Error(JSON.stringify(await podman("logs", "server")));
      }
      const command = (...args: readonly string[]) => podman("exec", "server", "assay", ...args);
      await command("user", "create", "first@assay.test");
      const token = await command("token", "create", "--user", "first@assay.test", "--name", "test");
      const client = apiClient(url, token.stdout.trim());
      const scan = (await client.start(`http://127.0.0.1:${site.port}/`)) ?? "";
      expect(await client.ended(scan, scanMsMax)).toMatchObject({ status: "finished", security: { measured: true } });
      expect((await command("doctor")).stdout).toMatch(/^ok +browser .*sandbox: on$/m);
      expect(await podman("stop", "server")).toMatchObject({ code: 0 });
      expect((await podman("inspect", "--format={{.State.ExitCode}}", "server")).stdout.trim()).toBe("0");
    },
    testMsMax,
  );
});
