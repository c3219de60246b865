/** Judging in real threads: with the catalog that a scan began with, whatever lies in the folder of checks by then. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import { workerFiles } from "../../../src/app/placement.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { createLog } from "../../../src/base/log.ts";
import { builtInCatalog } from "../../../src/catalog/catalog.ts";
import { loadCatalog } from "../../../src/catalog/load.ts";
import { performJudge } from "../../../src/scan/judge-task.ts";
import { type JudgedCatalog, openJudging } from "../../../src/scan/judging.ts";
import { createScanner } from "../../../src/scan/scanner.ts";
import { evidence } from "../../support/evidence.ts";
import { pluginSource } from "../../support/plugin-source.ts";
import { eventually } from "../../support/raw-head.ts";

const url = "https://site.test/";
let checksDir: string;
let logged: string[];

beforeEach(() => {
  checksDir = mkdtempSync(join(tmpdir(), "assay-judging-"));
  logged = [];
});
afterEach(() => rmSync(checksDir, { recursive: true, force: true }));

const neverAsked = () => Promise.reject(new Error("nothing is gathered here"));

function write(files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(checksDir, name), text, { mode: 0o600 });
  return loadCatalog({ checksDir, unknownKeys: "refuse", workerFile: workerFiles.catalog });
}

function judgingWith(catalog: JudgedCatalog, deadlineMs = 3_000) {
  const log = createLog({ level: "info", format: "json", write: (line) => void logged.push(line) });
  const onCheckFault = (key: string, fault: string) => void logged.push(`${key}: ${fault}`);
  const options = {
    workerFile: workerFiles.judge,
    threads: 2,
    deadlineMs,
    onIdleFault: () => {},
    onCheckFault,
    clock: systemClock,
    log,
  };
  return openJudging(options, catalog);
}

function rowsOf(result: unknown) {
  const { catalogVersion, ledger } = result as { catalogVersion: string; ledger: { key: string; state: string; weight: number }[] };
  const own = ledger.filter(({ key }) => key.startsWith("own-"));
  return { catalogVersion, own: own.map(({ key, state, weight }) => `${key} ${state} ${weight}`) };
}

test("a scan that runs across a reload ends with the catalog it began with, the next one has the new one", async () => {
  const former = await write({ "own-check.ts": pluginSource("own-check", { weight: "2" }) });
  const judging = judgingWith(former);
  const gathered = Promise.withResolvers<void>();
  const across = judging.withCurrent(async (judge) => {
    await gathered.promise;
    return judge({ fields: { url }, evidence: evidence() });
  });
  const next = await write({ "own-check.ts": pluginSource("own-check", { weight: "5" }) });
  expect(next.version).not.toBe(former.version);
  judging.replace(next);
  const after = await judging.withCurrent((judge) => judge({ fields: { url }, evidence: evidence() }));
  expect(rowsOf(after)).toEqual({ catalogVersion: next.version, own: ["own-check passed 5"] });
  gathered.resolve();
  expect(rowsOf(await across)).toEqual({ catalogVersion: former.version, own: ["own-check passed 2"] });
  await judging.close();
});

test("other code of a check has the same version, and is named in the result", async () => {
  const former = await write({ "own-check.ts": pluginSource("own-check", { judge: "return passed();" }) });
  const next = await write({ "own-check.ts": pluginSource("own-check", { judge: "/* other code */ return passed();" }) });
  expect(next.version).toBe(former.version);
  const judging = judgingWith(former);
  const basisNow = async () => {
    const result = await judging.withCurrent((judge) => judge({ fields: { url }, evidence: evidence() }));
    return typeof result === "string" ? result : result.basis?.plugins;
  };
  const before = await basisNow();
  judging.replace(next);
  expect(before).toEqual(former.snapshot?.digests);
  expect(await basisNow()).toEqual(next.snapshot?.digests);
  expect(before).not.toEqual(next.snapshot?.digests);
  await judging.close();
});

test("a check that runs during a reload is not disturbed, and the threads of its catalog end after the scan", async () => {
  const [begun, released] = [join(checksDir, "begun"), join(checksDir, "released")];
  const judge = `writeFileSync(${JSON.stringify(begun)}, ""); while (!existsSync(${JSON.stringify(released)})) Bun.sleepSync(1); return passed();`;
  const source = `import { existsSync, writeFileSync } from "node:fs";\n${pluginSource("own-check", { judge })}`;
  const former = await write({ "own-check.ts": source });
  const next = await write({ "own-check.ts": pluginSource("own-check", { weight: "5" }) });
  const started: Worker[] = [];
  const onWorker = (worker: Worker) => void started.push(worker);
  process.on("worker", onWorker);
  const judging = judgingWith(former);
  const across = judging.withCurrent((judge) => judge({ fields: { url }, evidence: evidence() }));
  await eventually(() => existsSync(begun), "a judgement");
  const ended = started.map((worker) => new Promise((resolve) => void worker.once("exit", resolve)));
  judging.replace(next);
  process.off("worker", onWorker);
  writeFileSync(released, "");
  expect(rowsOf(await across)).toEqual({ catalogVersion: former.version, own: ["own-check passed 2"] });
  expect(logged).toEqual([]);
  expect(ended).toHaveLength(1);
  await Promise.all(ended);
  await judging.close();
});

test("a thread that replaces a hung one judges with the same files, though they are changed, broken or gone", async () => {
  const shared = { "_shared.ts": "export const weight = 3;" };
  const sound = `import { weight } from "./_shared";\n${pluginSource("own-check", { weight: "weight" })}`;
  const catalog = await write({
    ...shared,
    "own-check.ts": sound,
    "own-hanging.ts": pluginSource("own-hanging", { judge: "for (;;) Bun.sleepSync(5);" }),
  });
  const judging = judgingWith(catalog, 300);
  writeFileSync(join(checksDir, "own-hanging.ts"), "const = 1;");
  for (const name of ["_shared.ts", "own-check.ts"]) rmSync(join(checksDir, name));
  for (let scans = 0; scans < 2; scans += 1) {
    const result = await judging.withCurrent((judge) => judge({ fields: { url }, evidence: evidence() }));
    expect(rowsOf(result)).toEqual({ catalogVersion: catalog.version, own: ["own-check passed 3", "own-hanging notChecked 2"] });
  }
  expect(logged.filter((line) => line.includes("worker lost while judging"))).toHaveLength(2);
  await judging.close();
});

test("threads have ended when judging is closed", async () => {
  const started: Worker[] = [];
  const onWorker = (worker: Worker) => void started.push(worker);
  process.on("worker", onWorker);
  const judging = judgingWith(builtInCatalog());
  await judging.withCurrent((judge) => judge({ fields: { url }, evidence: evidence() }));
  process.off("worker", onWorker);
  let ended = 0;
  for (const worker of started) worker.once("exit", () => ended++);
  await judging.close();
  expect([started.length > 0, ended]).toEqual([true, started.length]);
});

test("two readers at once get a score for their lines, the third gets none, and later ones get it again", async () => {
  const judging = judgingWith(builtInCatalog(), 30_000);
  const local = { gather: neverAsked, visit: neverAsked, startBrowser: neverAsked, close: async () => {} };
  const scanner = createScanner({ clock: systemClock, remote: null }, { judging, local });
  const { result } = performJudge({ evidence: evidence(), hung: [] }, builtInCatalog(), () => {});
  const ask = () => scanner.scoreOfLines({ evidence: evidence(), result, checks: builtInCatalog().checks, chosen: null });
  const scores = await Promise.all([ask(), ask(), ask()]);
  const [first] = scores;
  expect(first?.score).toBeGreaterThan(result.score ?? 0);
  expect(scores).toEqual([first, first, null]);
  expect(await Promise.all([ask(), ask()])).toEqual([first, first]);
  await scanner.close();
});
