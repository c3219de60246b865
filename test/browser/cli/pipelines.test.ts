/** The pipelines of docs/ci.md: their shell lines run against a real server through the life of a baseline. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { portWithoutListener } from "../../support/ports.ts";
import { environment, programScript, sharedBrowser } from "../../support/program.ts";
import { isFullTest } from "../../support/random-runs.ts";

// reaches: src/main.ts
// reads: docs/ci.md
const root = resolve(import.meta.dirname, "../../..");
const guide = readFileSync(join(root, "docs/ci.md"), "utf8");
const temporary = mkdtempSync(join(tmpdir(), "assay-pipelines-"));
/** Several scans on a busy machine. */
const testMsMax = 300_000;
const lostHeader = "security.missing-header.x-content-type-options";

const checksum = new Bun.CryptoHasher("sha256").update(programScript).digest("hex");

interface Site {
  readonly url: string;
  /** The server stops sending a header. */
  regressed: boolean;
}

const servers: { stop(closeConnections: boolean): unknown }[] = [];
let binaryUrl = "";

beforeAll(() => {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(programScript) });
  servers.push(server);
  binaryUrl = server.url.href;
});

afterAll(() => {
  for (const server of servers) server.stop(true);
  rmSync(temporary, { recursive: true, force: true });
});

function startSite(): Site {
  const site = { url: "", regressed: false };
  const headers = () => ({ "content-type": "text/html", ...(site.regressed ? {} : { "x-content-type-options": "nosniff" }) });
  const fetch = () => new Response("<!doctype html><title>A page</title>", { headers: headers() });
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
  servers.push(server);
  site.url = server.url.href;
  return site;
}

/** Code blocks of a language below a heading, without the indentation of a list. */
function blocks(heading: string, language: string): readonly string[] {
  const section = guide.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(new RegExp(`^( *)\`\`\`${language}\n([\\s\\S]*?)^ *\`\`\``, "gm"))].map(([, indentation = "", text = ""]) =>
    text.replaceAll(new RegExp(`^${indentation}`, "gm"), ""),
  );
}

function block(heading: string, language: string): string {
  const [first, ...others] = blocks(heading, language);
  if (first === undefined || others.length > 0) throw new Error(`${heading}: ${others.length + 1} blocks of ${language}`);
  return first;
}

interface GithubWorkflow {
  readonly jobs: { readonly scan: { readonly steps: readonly { readonly run?: string }[] } };
}

interface GitlabJobs {
  readonly security: { readonly script: readonly string[] };
}

/** Shell of each pipeline as its runner starts it, and the files that it leaves. */
const pipelines = [
  { name: "shell", shell: ["sh"], script: block("Shell", "sh"), files: ["assay.junit.xml", "assay.html"] },
  {
    name: "GitHub Actions",
    shell: ["bash", "-e"],
    script: (Bun.YAML.parse(block("GitHub Actions", "yaml")) as GithubWorkflow).jobs.scan.steps.map(({ run }) => run ?? "").join("\n"),
    files: ["assay.sarif", "summary.md"],
  },
  {
    name: "GitLab CI",
    shell: ["bash", "-eo", "pipefail"],
    script: (Bun.YAML.parse(block("GitLab CI", "yaml")) as GitlabJobs).security.script.join("\n"),
    files: ["gl-code-quality.json", "assay.junit.xml", "assay.html"],
  },
  {
    name: "Jenkins",
    shell: ["sh", "-xe"],
    script: [...block("Jenkins", "groovy").matchAll(/sh '''([\s\S]*?)'''/g)].map(([, lines]) => lines).join("\n"),
    files: ["assay.junit.xml", "assay.html"],
  },
] as const;

const [firstPolicy = "", baselinePolicy = "", acceptFile = "", acceptPolicy = ""] = blocks("The first build", "toml");
const writeBaseline = block("The first build", "sh");

/** Folder of a checked-out repository. */
function repository() {
  const folder = mkdtempSync(join(temporary, "repository-"));
  writeFileSync(join(folder, "summary.md"), "");
  const path = (name: string) => join(folder, name);
  return {
    path,
    write: (name: string, text: string) => writeFileSync(path(name), text),
    run: async (shell: readonly string[], script: string, variables: Readonly<Record<string, string>>) => {
      const child = Bun.spawn([...shell, "-c", script], {
        cwd: folder,
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
        env: environment({
          ...sharedBrowser,
          PATH: `${join(folder, ".assay")}:${process.env.PATH}`,
          BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
          ASSAY_PROFILE: "internal",
          ASSAY_DATA: join(temporary, "data"),
          BINARY_URL: binaryUrl,
          BINARY_SHA256: checksum,
          GITHUB_STEP_SUMMARY: path("summary.md"),
          ...variables,
        }),
      });
      const [stdout, stderr, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ]);
      return { code, stdout, stderr };
    },
  };
}

describe.each(pipelines)("$name", ({ name, shell, script, files }) => {
  test(
    "fails at first, passes with a baseline, and fails again for exactly what got worse, unless that is accepted",
    async () => {
      const site = startSite();
      const repo = repository();
      const variables = { TARGET_URL: site.url };
      const build = () => repo.run(shell, script, variables);

      repo.write("assay.toml", firstPolicy);
      const first = await build();
      expect([first.code, first.stderr]).toEqual([1, expect.stringContaining("findings that are medium or worse: ")]);
      for (const file of files) expect(readFileSync(repo.path(file), "utf8").length).toBeGreaterThan(100);

      expect((await repo.run(["sh", "-e"], writeBaseline, variables)).code).toBe(0);
      repo.write("assay.toml", baselinePolicy);
      expect((await build()).code).toBe(0);

      site.regressed = true;
      const worse = await build();
      expect(worse.code).toBe(1);
      const told = worse.stderr.split("\n").filter((line) => line.includes("new findings"));
      expect(told).toEqual([`assay: ${site.url}: new findings that are medium or worse: 1 (--baseline, --fail-on): ${lostHeader}`]);

      // The policy of accepted findings is the same file for every pipeline.
      if (!isFullTest && name !== "shell") return;
      repo.write("assay.toml", acceptPolicy);
      const acceptedUntil = (day: string) => acceptFile.replace("www.example.org", "127.0.0.1").replace("2027-03-01", day);
      const nextYear = new Date().getUTCFullYear() + 1;
      repo.write("assay-accept.toml", acceptedUntil(`${nextYear}-03-01`));
      expect((await build()).code).toBe(0);
      repo.write("assay-accept.toml", acceptedUntil("2020-03-01"));
      const expired = await build();
      expect([expired.code, expired.stderr]).toEqual([
        1,
        expect.stringContaining(`${lostHeader} counts again, because it was accepted until 2020-03-01`),
      ]);
    },
    testMsMax,
  );

  test(
    "exits 3 for a site that is down, and leaves no SARIF file",
    async () => {
      const repo = repository();
      repo.write("assay.toml", firstPolicy);
      repo.write("assay.sarif", "of an earlier build");
      const { code } = await repo.run(shell, script, { TARGET_URL: `http://127.0.0.1:${portWithoutListener()}/` });
      expect(code).toBe(3);
      if (script.includes("assay.sarif")) expect(existsSync(repo.path("assay.sarif"))).toBe(false);
    },
    testMsMax,
  );

  test("runs no program whose checksum is another", async () => {
    const repo = repository();
    repo.write("assay.toml", firstPolicy);
    const { code, stderr } = await repo.run(shell, script, { TARGET_URL: "https://site.example/", BINARY_SHA256: "0".repeat(64) });
    expect([code === 0, stderr.includes("assay: ")]).toEqual([false, false]);
  });
});

test("a cached program is not downloaded again", async () => {
  const repo = repository();
  const [{ shell, script }] = pipelines;
  const variables = { TARGET_URL: "nonsense://" };
  expect((await repo.run(shell, script, variables)).code).toBe(2);
  const unreachable = `http://127.0.0.1:${portWithoutListener()}/`;
  expect((await repo.run(shell, script, { ...variables, BINARY_URL: unreachable })).code).toBe(2);
});
