/** `assay worker` as a process with the real browser, and the head played with the raw client of NATS. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeIdentity } from "../../../src/fleet/identity.ts";
import { browserDir, skippedNote } from "../../support/binary.ts";
import { siteIdentity } from "../../support/certificates.ts";
import { type NatsServer, natsIsMissing, startNats } from "../../support/nats.ts";
import { processesMentioning, programUnderTest } from "../../support/program.ts";
import { eventually, openRawHead, type RawHead, rawLocation, rawWorkers, startRawNats } from "../../support/raw-head.ts";
import { startHttp, type TestServer } from "../../support/servers.ts";

const [first, second] = rawWorkers;
const readyMsMax = 60_000;
const testMsMax = 120_000;

interface WorkerProcess {
  readonly url: string;
  readonly dataDir: string;
  log(): string;
  end(signal: NodeJS.Signals): Promise<number | null>;
}

describe.skipIf(natsIsMissing())(`assay worker${skippedNote}`, () => {
  const stack: AsyncDisposable[] = [];
  let folder: string;
  let site: TestServer;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "assay-worker-"));
    site = await startHttp({
      "/": { body: "<!doctype html><title>inside</title><p>inside" },
      "/slow": (_request, response) => void setTimeout(() => response.end("<title>slow</title>"), 3_000),
      "/never": () => {},
      "*": { status: 404, body: "not found" },
    });
  });

  afterEach(async () => {
    for (const one of stack.splice(0).reverse()) await one[Symbol.asyncDispose]();
    await site.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function keep(starting: Promise<NatsServer>): Promise<NatsServer> {
    const server = await starting;
    stack.push(server);
    return server;
  }

  async function startWorker(servers: string, seed: string, args: readonly string[] = []): Promise<WorkerProcess> {
    const dataDir = mkdtempSync(join(folder, "data-"));
    const seedFile = join(dataDir, "worker.nk");
    writeFileSync(seedFile, `${seed}\n`);
    const fixed = ["--nats", servers, "--location", rawLocation, "--nats-credentials", seedFile, "--data", dataDir];
    const targets = ["--health", "127.0.0.1:0", "--profile", "internal", "--dns", "127.0.0.1:9", "--concurrency", "2"];
    const child = Bun.spawn([...programUnderTest, "worker", ...fixed, ...targets, ...args], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
      env: { ...process.env, ASSAY_BROWSER_DIR: browserDir },
    });
    let output = "";
    void (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of child.stderr) output += decoder.decode(chunk, { stream: true });
    })();
    stack.push({
      [Symbol.asyncDispose]: async () => {
        child.kill("SIGKILL");
        await child.exited;
      },
    });
    const url = await eventually(() => /metrics on (http:\S+)/.exec(output)?.[1] ?? null, "the address of the probes", readyMsMax);
    return {
      url,
      dataDir,
      log: () => output,
      end: async (signal) => {
        child.kill(signal);
        await child.exited;
        return child.exitCode;
      },
    };
  }

  async function accepted(worker: WorkerProcess): Promise<WorkerProcess> {
    await eventually(async () => (await fetch(`${worker.url}/readyz`)).status === 200, `readiness: ${worker.log()}`, readyMsMax);
    return worker;
  }

  async function pair(): Promise<{ readonly server: NatsServer; readonly head: RawHead; readonly worker: WorkerProcess }> {
    const server = await keep(startRawNats());
    const head = await openRawHead(server.url);
    stack.push(head);
    return { server, head, worker: await accepted(await startWorker(server.url, first.seed)) };
  }

  const target = (path: string) => `http://127.0.0.1:${site.port}${path}`;

  test(
    "scans with the real browser, and shows health and metrics",
    async () => {
      const { head, worker } = await pair();
      await head.publish({ token: "page", url: target("/"), screenshot: true });
      const result = await head.result("page", readyMsMax);
      if ("fault" in result || typeof result.gathered === "string") throw new Error(JSON.stringify(result));
      expect(result.gathered.evidence.page.status).toBe("read");
      expect([...(result.gathered.screenshot ?? []).slice(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
      expect(new Set(head.progress.map(({ stage }) => stage))).toContain("browsing");
      await eventually(async () => (await head.jobsLeft()) === 0, "an empty queue");
      expect(await (await fetch(`${worker.url}/healthz`)).json()).toEqual({ status: "ok" });
      expect((await fetch(`${worker.url}/other`)).status).toBe(404);
      const metrics = await (await fetch(`${worker.url}/metrics`)).text();
      expect(metrics).toContain('assay_scans_total{outcome="finished",location="berlin"} 1');
      expect(metrics).toContain('assay_readings_total{reading="page",result="read"} 1');
      expect(metrics).toMatch(/^assay_scan_duration_seconds_count 1$/m);
      expect(metrics).toMatch(/^process_resident_memory_bytes \d+$/m);
      expect(metrics).not.toContain("127.0.0.1");
      expect(await worker.end("SIGTERM")).toBe(0);
      expect(await processesMentioning(worker.dataDir)).toEqual([]);
    },
    testMsMax,
  );

  test(
    "reaches neither its own probes nor nats-server by a scan",
    async () => {
      const { server, head, worker } = await pair();
      await head.publish({ token: "probes", url: `${worker.url}/metrics` });
      await head.publish({ token: "nats", url: `http://127.0.0.1:${server.port}/` });
      for (const token of ["probes", "nats"]) {
        const result = await head.result(token, readyMsMax);
        if ("fault" in result || typeof result.gathered === "string") throw new Error(JSON.stringify(result));
        expect(result.gathered.unreachable).toBe("blocked");
      }
    },
    testMsMax,
  );

  test(
    "continues a scan whose browser is killed",
    async () => {
      const { head, worker } = await pair();
      await head.publish({ token: "killed", url: target("/slow") });
      await eventually(() => site.requests.length > 0, "the request", readyMsMax);
      const pid = Number(/browser started.*pid"?[=:](\d+)/.exec(worker.log())?.[1]);
      process.kill(pid, "SIGKILL");
      const result = await head.result("killed", readyMsMax);
      if ("fault" in result || typeof result.gathered === "string") throw new Error(JSON.stringify(result));
      expect(result.gathered.evidence.page.status).toBe("read");
      expect(worker.log()).toContain("browser broke while gathering");
    },
    testMsMax,
  );

  test(
    "gives a running scan back at SIGTERM, and ends with 0",
    async () => {
      const { server, head, worker } = await pair();
      await head.publish({ token: "never", url: target("/never") });
      await eventually(() => site.requests.length > 0, "the request", readyMsMax);
      const other = await accepted(await startWorker(server.url, second.seed));
      expect(await worker.end("SIGTERM")).toBe(0);
      expect(worker.log()).toContain("scan given back");
      await eventually(() => /scan started.*never/.test(other.log()), "the second worker", readyMsMax);
    },
    testMsMax,
  );

  test(
    "waits for nats-server and its permission, says why, and can be stopped meanwhile",
    async () => {
      const server = await keep(startRawNats());
      const worker = await startWorker(server.url, makeIdentity().seed);
      const answer = () => fetch(`${worker.url}/readyz`);
      await eventually(async () => (await (await answer()).text()).includes("refuses the credentials"), "the refusal", readyMsMax);
      expect((await answer()).status).toBe(503);
      await server.stop();
      await eventually(async () => /REFUSED|not connected yet: /.test(await (await answer()).text()), "the loss", readyMsMax);
      expect(await worker.end("SIGTERM")).toBe(0);
    },
    testMsMax,
  );

  test(
    "connects over TLS with the named certificates only",
    async () => {
      const identity = siteIdentity("nats.test");
      const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
      writeFileSync(cert, identity.certificateChainPem);
      writeFileSync(key, identity.privateKeyPem);
      const server = await keep(startNats({ configuration: `tls { cert_file: "${cert}", key_file: "${key}" }` }));
      const worker = await startWorker(server.url, first.seed);
      await eventually(async () => /certificate/.test(await (await fetch(`${worker.url}/readyz`)).text()), "the reason", readyMsMax);
    },
    testMsMax,
  );
});
