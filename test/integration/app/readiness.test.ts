/** The readiness probe of a real server: several reasons at once, and a disk that fills up for a while. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { NotReadyReason } from "../../../src/api/health.ts";
import { endServers, fromSource, run, serve } from "../../support/program.ts";

const dataDir = mkdtempSync(join(tmpdir(), "assay-ready-"));
/** More requests than a store takes without growing. */
const requestsMax = 50;
const recoveryMsMax = 60_000;

afterAll(async () => {
  await endServers();
  rmSync(dataDir, { recursive: true });
});

describe("/readyz", () => {
  test("names every reason, and a full disk until there is room again", async () => {
    // A write beyond the process's limit fails, as on a full disk.
    const command = ["bash", "-c", "trap '' XFSZ; exec \"$@\"", "bash", ...fromSource];
    const options = { command, env: { ASSAY_BROWSER_PATH: "/nonexistent/browser" } };
    const server = await serve(["--data", dataDir], options);
    const reasons = async () => {
      const response = await fetch(`${server.url}/readyz`);
      const body = (await response.json()) as { errorMessage: string; reasons: readonly NotReadyReason[] };
      return { status: response.status, message: body.errorMessage, sources: body.reasons.map(({ source }) => source) };
    };
    await run(["user", "create", "first@site.example", "--data", dataDir]);
    const { stdout } = await run(["token", "create", "--user", "first@site.example", "--name", "x", "--data", dataDir]);
    const start = async () => {
      const body = JSON.stringify({ url: "https://site.example/" });
      const headers = { authorization: `Bearer ${stdout.trim()}`, "content-type": "application/json" };
      return (await fetch(`${server.url}/api/v1/scans`, { method: "POST", headers, body })).status;
    };
    while ((await reasons()).message.includes("is starting")) await Bun.sleep(50);
    expect(await reasons()).toEqual({ status: 503, message: "Not ready: the browser does not start.", sources: ["browser"] });

    await limitFiles(server.pid, String(statSync(join(dataDir, "store", "data.mdb")).size));
    let status = 202;
    for (let request = 0; request < requestsMax && status !== 503; request++) status = await start();
    expect(status).toBe(503);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    expect(await reasons()).toMatchObject({
      message: "Not ready: the browser does not start; the disk is full.",
      sources: ["browser", "disk"],
    });

    await limitFiles(server.pid, "unlimited");
    const deadline = Date.now() + recoveryMsMax;
    while ((await reasons()).sources.includes("disk") && Date.now() < deadline) await Bun.sleep(200);
    expect((await reasons()).sources).toEqual(["browser"]);
    expect(await start()).toBe(202);
    expect(server.stderr()).toMatch(/^assay listens on http:/);
    expect(server.stderr()).toContain(`"kill ${server.pid}" stops it.`);
    expect(server.stderr()).toMatch(/^\S+Z info ready again/m);
    expect(await server.end("SIGTERM")).toBe(0);
  });
});

/** Sets the soft limit of the length of files that a running process writes. */
async function limitFiles(pid: number, bytes: string): Promise<void> {
  expect(await Bun.spawn(["prlimit", `--pid=${pid}`, `--fsize=${bytes}:`]).exited).toBe(0);
}
