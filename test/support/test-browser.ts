/** The real browser in the thread of a test: one action at a time, as in a scan slot. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer, { type Browser } from "puppeteer-core";
import { embeddedBrowser, findExecutable } from "../../src/browser/executable.ts";
import { chromiumFlags } from "../../src/browser/launch.ts";
import { pidsBelow, readChildPids } from "../../src/browser/processes.ts";
import { openProfilesDir } from "../../src/browser/profiles.ts";
import { openBrowserSlot, type ScanBrowser } from "../../src/browser/slot.ts";
import { browserDir } from "./binary.ts";

/** A Chromium of the system, which other platforms than linux-x64 need; null for the embedded one. */
export const browserPath: string | null = process.env.TEST_BROWSER_PATH ?? null;

/** Whether no test can use a browser on this machine. */
export const browserIsMissing = browserPath === null && embeddedBrowser === null;

/** Part of the suite's name, which shows the reason in the test output. */
export const browserNote = browserIsMissing ? " (skipped: TEST_BROWSER_PATH names no Chromium)" : "";

export interface TestBrowser {
  /** Runs the action with a healthy browser, after the actions before it. */
  use<T>(action: (browser: ScanBrowser) => Promise<T>): Promise<T>;
  /** A healthy browser until `stop`, instead of `use`. */
  hold(): Promise<ScanBrowser>;
  /** 0 without a running browser. */
  pid(): number;
  stop(): Promise<void>;
}

export function openTestBrowser(): TestBrowser {
  const profiles = openProfilesDir(browserDir);
  const slot = openBrowserSlot({ path: browserPath, dir: browserDir, sandbox: "auto", profilesDir: profiles.path });
  let last: Promise<unknown> = Promise.resolve();
  return {
    use: (action) => {
      const result = last.then(async () => {
        const browser = await slot.begin();
        return action(browser).finally(() => slot.end());
      });
      last = result.catch(() => {});
      return result;
    },
    hold: () => slot.begin(),
    pid: () => slot.state()?.pid ?? 0,
    stop: async () => {
      await slot.stop();
      profiles.close();
    },
  };
}

/** Command line of a process; empty if it has ended since it was listed. */
export function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** Pids of the processes of a browser that show pages. */
export function rendererPids(browserPid: number): readonly number[] {
  const isRenderer = (pid: number) => commandLineOf(pid).includes("--type=renderer");
  return pidsBelow(browserPid, readChildPids()).filter(isRenderer);
}

/** The same browser with the same flags, driven by puppeteer itself. */
export async function launchPlainBrowser(): Promise<Browser> {
  const profileDir = mkdtempSync(join(tmpdir(), "assay-plain-browser-"));
  const { path, environment } = await findExecutable({ path: browserPath, dir: browserDir });
  const browser = await puppeteer.launch({
    executablePath: path,
    pipe: true,
    ignoreDefaultArgs: true,
    args: [...chromiumFlags({ profileDir, sandbox: process.getuid?.() !== 0 })],
    env: { ...process.env, ...environment },
    acceptInsecureCerts: true,
  });
  browser.once("disconnected", () => rmSync(profileDir, { recursive: true, force: true, maxRetries: 3 }));
  return browser;
}
