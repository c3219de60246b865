/** `.ci/run` and `.ci/full`: runs the suites of a tier, keeps their results, and prints seconds and cases of each. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { type Ended, runCommand } from "./run-command.ts";
import { failuresIn } from "./test-summary.ts";

// reads: dist/

const root = resolve(import.meta.dirname, "..");

interface TierSuite {
  readonly name: string;
  readonly command: readonly string[];
  /** Starts when no other suite runs, and none starts before it has ended. */
  readonly alone?: true;
}

/** Suites that run at the same time. Each waits for servers and browsers for nearly half of its time on two cores. */
const suitesAtOnce = 2;

function npmSuite(name: string): TierSuite {
  return { name, command: ["npm", "run", "--silent", `test:${name}`] };
}

function fuzz(extent: string): TierSuite {
  return { name: "fuzz", command: ["npm", "run", "--silent", "fuzz", "--", extent] };
}

const compile: TierSuite = { name: "compile", command: ["npm", "run", "--silent", "compile"], alone: true };

/** In the order in which they start: the longest first. A suite that compares times is alone. */
const tiers: Readonly<Record<string, readonly TierSuite[]>> = {
  run: [
    { name: "npm-test", command: ["env", "TEST_FULL=1", "npm", "test", "--silent", "--", "--randomize"], alone: true },
    compile,
    npmSuite("browser"),
    npmSuite("lab"),
    npmSuite("slow"),
    fuzz("--short"),
    npmSuite("simulation"),
    npmSuite("binary"),
    { ...npmSuite("hostile"), alone: true },
  ],
  full: [
    npmSuite("isolated"),
    npmSuite("vitest"),
    compile,
    npmSuite("places"),
    npmSuite("peers"),
    { name: "hostile-proofs", command: ["env", "HOSTILE_PAGES=proofs", "npm", "run", "--silent", "test:hostile"], alone: true },
    npmSuite("sites"),
    npmSuite("fleet"),
    npmSuite("kill"),
    npmSuite("operate"),
    fuzz("--inputs=5000"),
    { name: "simulation", command: ["env", "TEST_FULL=1", "npm", "run", "--silent", "test:simulation"] },
    npmSuite("proofs"),
  ],
};

/** Outcome of a suite. `passed` and the others count cases; null for a command without cases. */
interface SuiteResult {
  readonly code: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly passed: number | null;
  readonly failed: number | null;
  readonly skipped: number | null;
}

interface TierRecord {
  /** Commit of the sources, with "+" if files differ from it. */
  readonly commit: string;
  readonly suites: Readonly<Record<string, SuiteResult>>;
}

const usage = `Usage: .ci/run [options]
       .ci/full [options]

Options:
  --only NAME[,NAME]  only these suites; their results join those of earlier calls for the same commit
  --resume            only suites that have not passed for this commit
  --help              prints this text

${Object.entries(tiers)
  .map(([tier, suites]) => `Suites of .ci/${tier}: ${suites.map(({ name }) => name).join(", ")}`)
  .join("\n")}`;

function commitOfSources(): string {
  const git = (...args: readonly string[]) => spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout.trim();
  return `${git("rev-parse", "--short=12", "HEAD")}${git("status", "--porcelain") === "" ? "" : "+"}`;
}

/** Counts of the last closing lines, of `build/test.ts`, `bun test` or vitest. */
function resultOf({ code, output, cpuSeconds }: Ended, seconds: number): SuiteResult {
  const text = stripVTControlCharacters(output);
  const count = (word: string) =>
    Number(
      text
        .matchAll(new RegExp(`(?:^|[ ,])(\\d+) ${word}(?:ed)?(?=$|[ ,])`, "gm"))
        .toArray()
        .at(-1)?.[1] ?? Number.NaN,
    );
  const orNull = (number: number) => (Number.isNaN(number) ? null : number);
  return {
    code,
    seconds: Math.round(seconds),
    cpuSeconds: Math.round(cpuSeconds),
    passed: orNull(count("pass")),
    failed: orNull(count("fail")),
    skipped: orNull(count("skipp?")),
  };
}

function tableOf(suites: TierRecord["suites"]): string {
  const rows = Object.entries(suites).map(([name, { code, seconds, cpuSeconds, passed, failed, skipped }]) => [
    name,
    code === 0 ? "ok" : `FAILED (${code})`,
    `${seconds} s`,
    `${cpuSeconds} CPU s`,
    passed === null ? "" : `${passed} passed, ${failed ?? 0} failed, ${skipped ?? 0} skipped`,
  ]);
  return rows
    .map(
      ([name = "", state = "", wall = "", cpu = "", cases = ""]) =>
        `${name.padEnd(10)} ${state.padEnd(11)} ${wall.padStart(7)} ${cpu.padStart(11)}  ${cases}`,
    )
    .join("\n");
}

async function runTier(name: string, chosen: readonly TierSuite[], former: TierRecord["suites"]): Promise<number> {
  const commit = commitOfSources();
  const suites: Record<string, SuiteResult> = { ...former };
  const file = recordFile(name);
  const run = async ({ name: suite, command }: TierSuite, isShown: boolean) => {
    console.log(`\n== ${suite}: ${command.join(" ")}`);
    const beganMs = performance.now();
    // Two suites at once would mix their lines.
    const ended = await runCommand(command, isShown ? { show: (text) => process.stdout.write(text) } : {});
    if (!isShown) console.log(`\n== ${suite}, which ran beside others:\n${ended.output}`);
    suites[suite] = resultOf(ended, (performance.now() - beganMs) / 1000);
    if (ended.code !== 0)
      failures.push(...failuresIn(stripVTControlCharacters(ended.output)).map((text) => `== failed in ${suite}: ${text}`));
    mkdirSync(join(root, "dist"), { recursive: true });
    writeFileSync(file, `${JSON.stringify({ commit, suites } satisfies TierRecord, null, 2)}\n`);
  };
  const failures: string[] = [];
  const running = new Map<TierSuite, Promise<unknown>>();
  let shown: TierSuite | null = null;
  for (const suite of chosen) {
    while (running.size >= (suite.alone ? 1 : suitesAtOnce)) await Promise.race(running.values());
    shown = shown !== null && running.has(shown) ? shown : suite;
    const ends = run(suite, shown === suite).finally(() => running.delete(suite));
    running.set(suite, ends);
    if (suite.alone) await ends;
  }
  await Promise.all(running.values());
  const results = Object.values(suites);
  const sum = (pick: (result: SuiteResult) => number | null) => results.reduce((total, result) => total + (pick(result) ?? 0), 0);
  const failed = results.filter(({ code }) => code !== 0).length;
  // Repeated at the end, since a reader of a long log may see only its end.
  for (const failure of failures) console.log(`\n${failure}`);
  console.log(`\n.ci/${name} of ${commit}\n${tableOf(suites)}`);
  // A failed command counts as a failed case: its cases may not have been counted.
  console.log(
    `${sum(({ passed }) => passed)} passed, ${Math.max(
      failed,
      sum(({ failed }) => failed),
    )} failed, ${sum(({ skipped }) => skipped)} skipped`,
  );
  return failed === 0 ? 0 : 1;
}

function recordFile(tier: string): string {
  return join(root, `dist/ci-${tier}.json`);
}

/** Results of earlier calls for the same sources. */
function formerResults(tier: string): TierRecord["suites"] {
  const file = recordFile(tier);
  if (!existsSync(file)) return {};
  const { commit, suites }: TierRecord = JSON.parse(readFileSync(file, "utf8"));
  return commit === commitOfSources() && !commit.endsWith("+") ? suites : {};
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string" }, resume: { type: "boolean", default: false }, help: { type: "boolean", short: "h", default: false } },
});
const [tier = ""] = positionals;
const all = tiers[tier] ?? [];
const only = values.only?.split(",") ?? null;
const unknown = only?.find((name) => !all.some((suite) => suite.name === name));
if (values.help || all.length === 0) console.log(usage);
else if (unknown !== undefined) {
  console.error(`.ci/${tier}: there is no suite "${unknown}"; choose from ${all.map(({ name }) => name).join(", ")}`);
  process.exitCode = 2;
} else {
  const former = values.resume || only !== null ? formerResults(tier) : {};
  const chosen = all.filter(({ name }) => (only === null ? !values.resume || former[name]?.code !== 0 : only.includes(name)));
  process.exitCode = await runTier(tier, chosen, former);
}
