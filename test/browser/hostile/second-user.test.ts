/** A second user of the machine, while a scan runs: no port of the browser, and no file of the server's user. */
import { chownSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { siteHost } from "../../bench/site.ts";
import { endServers } from "../../support/program.ts";
import { asUser, groupProcesses, type LimitedAppliance, serverUid, skipping, startLimitedAppliance } from "./limited-appliance.ts";
import { hostileHost } from "./page.ts";
import type { SecondUserInput, SecondUserReport } from "./second-user.ts";

/** The first start unpacks the browser. */
const startMsMax = 120_000;
const testMsMax = 120_000;
const secondUid = 65_533;
/** Answers after so many milliseconds, so that the scan runs until the second user is done. */
const slowUrl = `https://${hostileHost}/late?10000`;
const secret = "only for the user of the server";
const refusedTunnel = /^HTTP\/1\.1 502 /;

const suite = "a second user of the machine";
const { skipped, note } = skipping(suite);

/** Inodes of all sockets in /proc/net/tcp and tcp6 that listen. */
async function listeningInodes(): Promise<ReadonlySet<string>> {
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => Bun.file(`/proc/net/${name}`).text()));
  const rows = tables.flatMap((table) =>
    table
      .trim()
      .split("\n")
      .slice(1)
      .map((row) => row.trim().split(/\s+/)),
  );
  return new Set(rows.filter(([, , , state]) => state === "0A").map((row) => row[9] ?? ""));
}

function socketInodes(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []);
  } catch {
    return [];
  }
}

describe.skipIf(skipped)(suite + note, () => {
  let appliance: LimitedAppliance;
  let report: SecondUserReport;
  /** Listening sockets of the browser's processes during the scan, which only root can assign to processes. */
  let browserSockets: readonly string[];
  let browserProcesses = 0;
  /** The second user may have no access to this repository, so that its program is a file of its own. */
  const dir = mkdtempSync(join(tmpdir(), "assay-second-user-"));

  beforeAll(async () => {
    appliance = await startLimitedAppliance();
    const secretFile = join(appliance.dataDir, "secret.txt");
    writeFileSync(secretFile, secret, { mode: 0o600 });
    chownSync(secretFile, serverUid, serverUid);
    const program = join(dir, "second-user");
    const built = await Bun.build({
      entrypoints: [resolve(import.meta.dirname, "second-user.ts")],
      target: "bun",
      compile: { outfile: program },
    });
    expect(built.success).toBe(true);
    for (const path of [dir, program]) chownSync(path, secondUid, secondUid);

    // The first scan starts the browser. The second one is observed in the time that its page takes to load.
    await appliance.client.ended((await appliance.client.start(`https://${siteHost}/`)) ?? "", testMsMax);
    const token = (await appliance.client.start(slowUrl)) ?? "";
    const input: SecondUserInput = {
      ownerUid: serverUid,
      publicPort: Number(new URL(appliance.server.url).port),
      secretFile,
      scanned: `${hostileHost}:443`,
    };
    await Bun.sleep(1_000);
    const child = Bun.spawn([...asUser(secondUid), program, JSON.stringify(input)], { stdout: "pipe", stderr: "inherit", cwd: dir });
    const listening = await listeningInodes();
    const browsers = groupProcesses(appliance.group, "--user-data-dir=");
    browserProcesses = browsers.length;
    browserSockets = browsers.flatMap((pid) => socketInodes(pid).filter((inode) => listening.has(inode)));
    report = JSON.parse(await new Response(child.stdout).text());
    const { body } = await appliance.client.get<{ readonly status: string }>(`/api/v1/scans/${token}/security`);
    expect(body.status).toBe("running");
    await appliance.client.ended(token, testMsMax);
  }, startMsMax + testMsMax);

  afterAll(async () => {
    await appliance?.stop();
    await endServers();
    rmSync(dir, { recursive: true, force: true });
  }, startMsMax);

  test("finds no port of the browser", () => {
    expect(report.uid).toBe(secondUid);
    expect(browserProcesses).toBeGreaterThan(0);
    expect(browserSockets).toEqual([]);
    expect(report.answers.filter(({ answer }) => /DevTools|webSocketDebuggerUrl|HTTP\/1\.1 101/.test(answer))).toEqual([]);
  });

  test("finds the forward proxies of the scan, which refuse every target that the scan may not reach", () => {
    expect(report.reachesScanned).toBe(true);
    expect(report.answers.length).toBeGreaterThan(0);
    for (const { answer } of report.answers) expect(answer).toMatch(refusedTunnel);
  });

  test("reads no file of the server's user", () => {
    expect(report.secret).toBeNull();
  });
});
