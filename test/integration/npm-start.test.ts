/** The server that `npm start` starts, as supervisors and terminals stop it: by a signal to npm. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { scripts } from "../../package.json" with { type: "json" };
import { lockDataDir } from "../../src/store/lock.ts";
import { processesMentioning, startServer } from "../support/program.ts";

// reaches: src/main.ts
// reads: package.json, build/setup.sh

const root = resolve(import.meta.dirname, "../..");
let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "assay-npm-"));
});
afterEach(async () => {
  // A test that fails may leave the server, which npm started.
  for (const pid of await processesMentioning(dataDir)) process.kill(pid, "SIGKILL");
  rmSync(dataDir, { recursive: true });
});

const commandLine = () => ["npm", "start", "--", "--listen", "127.0.0.1:0", "--data", dataDir, "--browser-path", "/nonexistent"];

/** Whether the last server has ended in order. @throws DataDirError while one runs */
function isLeftInOrder(): boolean {
  const lock = lockDataDir(dataDir);
  lock.release();
  return lock.endedInOrder;
}

describe("npm start", () => {
  test("ends with its server at SIGTERM: port and data directory are free", async () => {
    const server = await startServer(commandLine(), { cwd: root });
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(await server.end("SIGTERM")).toBe(0);
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
    expect(isLeftInOrder()).toBe(true);
  });

  test("ends in order at Ctrl+C, of which the server hears twice", async () => {
    const shown: string[] = [];
    const running = Promise.withResolvers<void>();
    const child = Bun.spawn(commandLine(), {
      cwd: root,
      terminal: {
        data: (_terminal, bytes) => {
          shown.push(Buffer.from(bytes).toString());
          if (shown.join("").includes("Ctrl+C stops it.")) running.resolve();
        },
      },
    });
    await Promise.race([running.promise, child.exited]);
    child.terminal?.write("\x03");
    expect(await child.exited).toBe(0);
    child.terminal?.close();
    const [before, after] = shown.join("").split("assay listens on ");
    // Words for people come first, then lines of the log.
    expect(before).not.toMatch(/ (info|warn|error) /);
    expect(after).toMatch(/^http:\S+\s+There is no account yet/);
    expect(isLeftInOrder()).toBe(true);
  });
});

test.each(["start", "assay", "dev"] as const)("the program replaces the shell of the script %s, and takes the signals of npm", (name) => {
  expect(scripts[name]).toMatch(/&& exec bun [^&|;]+$/);
});

test("the last command of every script replaces its shell", () => {
  const steps = Object.entries(scripts).filter(([, script]) => script.includes("&&"));
  const last = steps.map(([name, script]) => `${name}: ${script.split("&& ").at(-1)}`);
  expect(last.filter((step) => !/: (\w+=\S+ )*exec /.test(step))).toEqual([]);
});
