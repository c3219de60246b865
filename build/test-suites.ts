/** The test suites: which files each one runs, how, and what it needs. `npm run test:NAME` and the CI scripts read them from here. */

/** Runs before the first test or beside all of them. Its failure fails the suite. */
export interface Step {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Suite {
  readonly about: string;
  /** Globs of test files. */
  readonly files: readonly string[];
  /** Globs of files that other suites run. */
  readonly without?: readonly string[];
  /** Processes that run test files side by side; one for each core by default. */
  readonly workers?: number;
  /** Files that take longest, which start first. At the end, one of them would keep one core busy alone. */
  readonly longest?: readonly string[];
  /** Two processes for each core: half of their time they wait for answers. */
  readonly waits?: boolean;
  /** Evaluates all modules again for each file. Only to find files that depend on leftovers of others. */
  readonly isolated?: boolean;
  /** Limit for one test that does not end. */
  readonly timeoutMs?: number;
  /** Sets TEST_FULL: all random runs, languages and widths instead of a part. */
  readonly full?: boolean;
  /**
   * Runs with `dist/assay`, which is compiled first if a source is newer. `whole`: only if all files of the suite run.
   * A few processes start faster from source than the program is compiled.
   */
  readonly binary?: "always" | "whole";
  /** Needs the servers that `test/lab/install.sh` installs, or also its Debian system. */
  readonly servers?: "installed" | "with machine";
  readonly beside?: readonly Step[];
}

/** Files that cost several seconds of processor time; not in `npm test`. */
const slowFiles = "test/{unit,integration}/**/*.slow.test.{ts,tsx}";
/** Files that start `dist/assay`. */
const binaryFiles = "test/**/*.binary.test.ts";
const unitFiles = "test/unit/**/*.test.{ts,tsx}";
const integrationFiles = "test/integration/**/*.test.{ts,tsx}";
const journeyFile = "test/browser/web/journey.test.ts";
const singleSignOnFile = "test/browser/web/single-sign-on.test.ts";
const peersFile = "test/lab/tls-peers.test.ts";
const staticChecks: readonly Step[] = [
  // With one thread and fewer collections of garbage it takes half the processor time of the default, beside the tests.
  // Files that are unchanged since the last run, and import nothing that has changed, are not checked again.
  {
    name: "type check",
    command: ["tsc", "-p", ".", "--singleThreaded", "--incremental", "--tsBuildInfoFile", "node_modules/.cache/tsc.tsbuildinfo"],
    env: { GOGC: "400" },
  },
  { name: "lint", command: ["biome", "check", "--error-on-warnings", "."] },
];
const minutesMs = 60_000;

export const suites = {
  all: {
    about: "what every change needs: type check, lint, unit and integration tests, and one journey in the browser",
    files: [unitFiles, integrationFiles, journeyFile],
    without: [slowFiles, binaryFiles],
    waits: true,
    binary: "whole",
    longest: [journeyFile, "test/integration/channels/mail.test.ts", "test/integration/app/readiness.test.ts"],
    beside: staticChecks,
  },
  unit: { about: "pure tests", files: [unitFiles], without: [slowFiles] },
  isolated: { about: "pure tests, each file with modules of its own", files: [unitFiles], without: [slowFiles], isolated: true },
  integration: {
    about: "processes, store and network on loopback",
    files: [integrationFiles],
    without: [slowFiles, binaryFiles],
    waits: true,
    binary: "whole",
  },
  slow: {
    about: "long random runs, compilers and other costly files",
    files: [slowFiles],
    full: true,
    binary: "whole",
    longest: ["sites/import", "scan/stopped-gathering", "scan/scanner", "store/damage"].map(
      (name) => `test/integration/${name}.slow.test.ts`,
    ),
  },
  browser: {
    about: "pages and probes in the real browser",
    workers: 3,
    binary: "always",
    files: ["test/browser/**/*.test.ts"],
    // `npm test` runs the journey, and the suite `binary` the other file.
    without: ["test/browser/hostile/**", journeyFile, singleSignOnFile],
    longest: [
      ...["cli/prove", "web/every-page", "probe/hostile-scripts", "probe/canaries", "web/hostile", "scan/engine", "web/keyboard"],
      ...["probe/hostile-answers", "scan/determinism", "cli/pipelines", "cli/scan-files"],
    ].map((name) => `test/browser/${name}.test.ts`),
  },
  places: {
    about: "every page and file in every language and at every width, and other browser tests in their full extent",
    files: ["web/every-page", "web/keyboard", "export/html-file", "cli/pipelines", "scan/determinism"].map(
      (name) => `test/browser/${name}.test.ts`,
    ),
    full: true,
    binary: "always",
  },
  binary: { about: "the compiled program", files: [binaryFiles, singleSignOnFile], full: true, binary: "always" },
  hostile: {
    about: "hostile pages beside ordinary scans, by the compiled program, and a page that needs the machine alone",
    files: ["test/browser/hostile/*.test.ts", "test/lab/alone/*.test.ts"],
    workers: 1,
    binary: "always",
    servers: "installed",
  },
  lab: {
    about: "real servers, resolvers and applications from Debian",
    files: ["test/lab/*.test.ts", "test/lab/lab.ts"],
    workers: 3,
    longest: [peersFile, "test/lab/lab.ts"],
    binary: "always",
    servers: "installed",
  },
  peers: {
    about: "TLS rows beside testssl.sh and sslscan, on all configurations",
    files: [peersFile],
    full: true,
    servers: "installed",
  },
  fleet: {
    about: "head, workers and nats-server as processes",
    files: ["test/lab/fleet/*.test.ts"],
    workers: 3,
    timeoutMs: 15 * minutesMs,
    binary: "always",
    servers: "installed",
  },
  operate: {
    about: "backups, disks, packages and days without internet",
    files: ["test/lab/operate/*.test.ts"],
    workers: 2,
    timeoutMs: 15 * minutesMs,
    binary: "always",
    servers: "with machine",
  },
  kill: {
    about: "SIGKILL at random instants of writes, imports, backups, restores and work on the store",
    files: ["test/lab/kill/*.test.ts"],
    // Two processes would change the instants of the kills.
    workers: 1,
    timeoutMs: 15 * minutesMs,
    binary: "always",
  },
  sites: {
    about: "watched sites from the first day on, with a moved clock",
    files: ["test/lab/sites/*.test.ts"],
    workers: 1,
    timeoutMs: 15 * minutesMs,
    binary: "always",
    servers: "installed",
  },
  simulation: {
    about: "days of the server from many seeds: queue, sites and deliveries under faults",
    files: ["test/simulation/*.test.ts"],
    workers: 1,
  },
  proofs: {
    about: "policies that are proven on applications from Debian, and sent by nginx",
    files: ["test/lab/prove/*.test.ts"],
    workers: 1,
    timeoutMs: 15 * minutesMs,
    servers: "installed",
  },
} satisfies Readonly<Record<string, Suite>>;
