/** Proofs in the slots of scans, on real pages: beside scans and each other, cancelled, and after the end of a process. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ProofPlan, type ProofStep, proofPictures } from "../../../src/evidence/proof.ts";
import { openStore } from "../../../src/store/store.ts";
import { type DnsServerHandle, startDnsServer } from "../../support/dns-server.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { egressTo, startHttp, type TestServer } from "../../support/servers.ts";
import { type Engine, type EngineOptions, startEngine } from "./engine.ts";

const testMs = 120_000;
/** First bytes of a JPEG file. */
const jpegMark = [0xff, 0xd8];
const folder = mkdtempSync(join(tmpdir(), "assay-proof-"));
const page = { headers: { "content-type": "text/html" }, body: "<title>Blog</title><h1>Blog</h1><script>window.value = 1</script>" };
const ownPolicy: ProofPlan = { policy: "default-src 'self'; script-src 'unsafe-inline'", draft: null, headers: [] };
const draft: ProofPlan = { policy: null, draft: "strict-hash", headers: [] };

let site: TestServer;
let dns: DnsServerHandle;
let options: EngineOptions;
let engine: Engine;
/** Answers to `/held` that wait for the test. */
let heldAnswers: (() => void)[] = [];
/** Requests to `/slow`, which has no answer while it is slow. */
let requests = 0;
let isSlow = true;

beforeAll(async () => {
  site = await startHttp({
    "/": page,
    "/held": (_request, response) => {
      heldAnswers.push(() => response.writeHead(200, page.headers).end(page.body));
    },
    "/slow": (_request, response) => {
      requests++;
      if (!isSlow) response.writeHead(200, page.headers).end(page.body);
    },
  });
  dns = await startDnsServer({ "site.test": { A: ["127.0.0.1"] } });
  const targets = { "site.test:80": site, "site.test:443": { port: portWithoutListener() } };
  const egress = egressTo(targets, { dnsServers: [dns.address] });
  options = { dataDir: join(folder, "data"), browserDir: join(folder, "browser"), egress, caPems: [] };
  engine = await startEngine(options);
});
afterAll(async () => {
  await engine.stop();
  await site.stop();
  dns.stop();
  rmSync(folder, { recursive: true });
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(5);
}

async function queued(plan: ProofPlan, path = "/", on = engine): Promise<string> {
  const proof = await on.store.proofs.queue({ accountId: 1, urls: [`http://site.test${path}`], plan, now: new Date() });
  if (proof === "full") throw new Error("the queue is full");
  on.dispatcher.wake();
  return proof.token;
}

async function ended(token: string, on = engine) {
  await until(() => on.store.proofs.find(token)?.endedAt !== null);
  return { proof: on.store.proofs.find(token), result: on.store.proofs.result(token) };
}

test(
  "two proofs and a scan of one page: the proofs run one after the other, beside the scan",
  async () => {
    const [first, second] = [await queued(draft), await queued(ownPolicy)];
    const scan = await engine.queue("http://site.test/");
    const { proof, result } = await ended(first);
    expect(result).toMatchObject({
      verdict: "works",
      proven: true,
      rung: "strict-hash",
      pages: [{ url: "http://site.test/" }],
      unvisited: [],
    });
    expect(result?.headers[0]?.value).toMatch(/script-src [^;]*'sha256-/);
    expect(result?.pages[0]?.canaries.find(({ name }) => name === "inline-script")).toEqual({ name: "inline-script", outcome: "stopped" });
    const pictures = proofPictures.map((name) => [...(engine.store.proofs.picture(first, name)?.slice(0, 2) ?? [])]);
    expect(pictures).toEqual([jpegMark, jpegMark]);
    const weak = await ended(second);
    expect(Date.parse(weak.proof?.startedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(proof?.endedAt ?? ""));
    expect(weak.result).toMatchObject({ verdict: "works", proven: false, rung: null });
    expect(weak.result?.pages[0]?.canaries).toContainEqual({ name: "inline-script", outcome: "runs" });
    await until(() => engine.store.scans.findByToken(scan)?.status === "finished");
    expect(engine.store.scans.listOfAccount(1, { limit: 9, cursor: null }).items.map(({ token }) => token)).toEqual([scan]);
  },
  testMs,
);

test(
  "a cancelled proof ends at once, and a page that cannot be reached fails as a scan does",
  async () => {
    const token = await queued(draft, "/slow");
    await until(() => requests > 0);
    expect(engine.store.proofs.find(token)).toMatchObject({ status: "running", step: "scan" });
    expect(await engine.dispatcher.cancel(token)).toBe("cancelled");
    expect((await ended(token)).proof).toMatchObject({ status: "failed", errorCode: "cancelled", step: null, attempts: 1 });
    expect(engine.dispatcher.running()).toBe(0);
    requests = 0;
    const proof = await engine.store.proofs.queue({ accountId: 1, urls: ["http://none.test/"], plan: draft, now: new Date() });
    engine.dispatcher.wake();
    expect((await ended(proof === "full" ? "" : proof.token)).proof).toMatchObject({ status: "failed", errorCode: "unresolved" });
  },
  testMs,
);

test(
  "with one slot, a scan starts before the next visit of a proof, and a proof in a visit is cancelled at once",
  async () => {
    const single = await startEngine({ ...options, dataDir: join(folder, "single"), concurrency: 1 });
    const token = await queued(ownPolicy, "/held", single);
    const proof = () => single.store.proofs.find(token);
    /** Answers requests until the proof is at this step, and one waits. */
    const untilStep = async (step: ProofStep) => {
      while (proof()?.step !== step || heldAnswers.length === 0) {
        if (proof()?.step !== step) for (const answer of heldAnswers.splice(0)) answer();
        await Bun.sleep(5);
      }
    };
    await untilStep("baseline");
    const scan = await single.queue("http://site.test/");
    const stored = () => single.store.scans.findByToken(scan);
    expect([stored()?.status, single.dispatcher.running()]).toEqual(["queued", 1]);
    for (const answer of heldAnswers.splice(0)) answer();
    await until(() => heldAnswers.length > 0);
    // The second baseline has begun, so that the scan is over.
    expect([stored()?.status, proof()?.status, proof()?.step]).toEqual(["finished", "running", "baseline"]);
    await untilStep("enforce");
    expect(await single.dispatcher.cancel(token)).toBe("cancelled");
    expect([proof()?.errorCode, single.dispatcher.running()]).toEqual(["cancelled", 0]);
    heldAnswers = [];
    const next = await queued(ownPolicy, "/", single);
    const beside = await single.queue("http://site.test/");
    const { proof: over, result } = await ended(next, single);
    expect(result).toMatchObject({ verdict: "works", rung: null });
    const { endedAt } = single.store.scans.findByToken(beside) ?? {};
    expect(Date.parse(endedAt ?? "")).toBeLessThan(Date.parse(over?.endedAt ?? ""));
    await single.stop();
  },
  testMs,
);

test(
  "a killed process: the next one begins the proof again, and a second kill ends it as interrupted",
  async () => {
    const dataDir = join(folder, "killed");
    const store = openStore(dataDir);
    const plan = { accountId: 1, plan: ownPolicy, now: new Date() };
    const tokens: string[] = [];
    for (const path of ["slow", "slow"]) {
      const proof = await store.proofs.queue({ ...plan, urls: [`http://site.test/${path}`] });
      tokens.push(proof === "full" ? "" : proof.token);
    }
    await store.close();
    const runKilled = async () => {
      requests = 0;
      const child = Bun.spawn(
        [process.execPath, join(import.meta.dirname, "engine-in-child.ts"), JSON.stringify({ ...options, dataDir })],
        {
          stdout: "ignore",
          stderr: "inherit",
        },
      );
      await until(() => requests > 0);
      child.kill("SIGKILL");
      await child.exited;
    };
    await runKilled();
    await runKilled();
    isSlow = false;
    const next = await startEngine({ ...options, dataDir });
    const [first, second] = [await ended(tokens[0] ?? "", next), await ended(tokens[1] ?? "", next)];
    expect(first.proof).toMatchObject({ status: "failed", errorCode: "interrupted", attempts: 2 });
    expect(first.result).toBeUndefined();
    expect(second.proof).toMatchObject({ status: "finished", attempts: 1 });
    expect(second.result).toMatchObject({ verdict: "works" });
    expect([next.store.scans.queueLength(), next.store.scans.runningCount()]).toEqual([0, 0]);
    await next.stop();
  },
  testMs,
);
