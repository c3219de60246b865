/** What an ended browser leaves behind: neither zombies nor profiles, nor a slot that cannot start another. */
import { dlopen } from "bun:ffi";
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { launchBrowser } from "../../../src/browser/launch.ts";
import { pidsBelow, readChildPids } from "../../../src/browser/processes.ts";
import { openProfilesDir } from "../../../src/browser/profiles.ts";
import { openBrowserSlot } from "../../../src/browser/slot.ts";
import { browserDir } from "../../support/binary.ts";
import { rootIsMissing } from "../../support/missing.ts";
import { commandLineOf } from "../../support/test-browser.ts";

/** prctl(2): PR_SET_CHILD_SUBREAPER. */
const setChildSubreaper = 36;
const { symbols: libc } = dlopen("libc.so.6", { prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" } });
const closes: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closes.splice(0).reverse()) await close();
});

function openHere() {
  const profilesDir = mkdtempSync(join(tmpdir(), "assay-profiles-"));
  const slot = openBrowserSlot({ path: null, dir: browserDir, sandbox: "auto", profilesDir });
  closes.push(
    () => rmSync(profilesDir, { recursive: true }),
    () => slot.stop(),
  );
  return { slot, profilesDir };
}

const isNetworkProcess = (pid: number) => commandLineOf(pid).includes("network.mojom.NetworkService");
const zombies = () =>
  (readChildPids().get(process.pid) ?? []).filter((pid) => /^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8")));

test.each(["stopped", "killed"])("a browser that was %s leaves no zombies to the init process of a container", async (how) => {
  // This process then inherits orphans, as process 1 does.
  libc.prctl(setChildSubreaper, 1, 0, 0, 0);
  closes.push(() => libc.prctl(setChildSubreaper, 0, 0, 0, 0));
  const { slot, profilesDir } = openHere();
  await slot.begin();
  slot.end();
  if (how === "killed") process.kill(slot.state()?.pid ?? 0, "SIGKILL");
  await slot.stop();
  expect(zombies()).toEqual([]);
  expect(readdirSync(profilesDir)).toEqual([]);
});

test("without a free file descriptor the process lives on, and says why no browser starts", () => {
  const profilesDir = mkdtempSync(join(tmpdir(), "assay-profiles-"));
  closes.push(() => rmSync(profilesDir, { recursive: true }));
  const script = join(import.meta.dirname, "exhausted-descriptors.ts");
  const command = ["sh", "-c", 'ulimit -n 60 && exec "$@"', "sh", process.execPath, script, profilesDir];
  const { stdout, exitCode } = Bun.spawnSync(command, { stderr: "inherit" });
  expect([stdout.toString(), exitCode]).toEqual([expect.stringMatching(/^BrowserError: the browser cannot be started \(EMFILE/), 0]);
});

test.each(["no-program", "missing"])("a browser that is %s leaves no profile", async (name) => {
  const profilesDir = mkdtempSync(join(tmpdir(), "assay-profiles-"));
  closes.push(() => rmSync(profilesDir, { recursive: true }));
  const path = join(mkdtempSync(join(profilesDir, "../assay-program-")), "chromium");
  if (name === "no-program") writeFileSync(path, "text", { mode: 0o700 });
  closes.push(() => rmSync(dirname(path), { recursive: true }));
  const started = launchBrowser({ executable: { path, environment: {} }, profilesDir, sandbox: "off", onProcess: () => {} });
  await expect(started).rejects.toThrow(/^the browser cannot be started/);
  expect(readdirSync(profilesDir)).toEqual([]);
});

test("a browser that has just started knows when its network process ends", async () => {
  for (let starts = 0; starts < 10; starts++) {
    const { slot } = openHere();
    const { lostNetwork } = await slot.begin();
    // Not before the process runs: a page could not load either.
    const networkPids = () => pidsBelow(slot.state()?.pid ?? 0, readChildPids()).filter(isNetworkProcess);
    while (networkPids().length === 0) await Bun.sleep(1);
    // A busy machine may answer late, which counts as lost.
    let isHeld = false;
    for (let polls = 0; polls < 20 && !isHeld; polls++) {
      await Bun.sleep(100);
      isHeld = !(await lostNetwork());
    }
    expect(isHeld).toBe(true);
    for (const pid of networkPids()) process.kill(pid, "SIGKILL");
    let lost = false;
    for (let polls = 0; polls < 100 && !lost; polls++) {
      await Bun.sleep(20);
      lost = await lostNetwork();
    }
    expect(lost).toBe(true);
    slot.end();
    await slot.stop();
  }
});

test.skipIf(rootIsMissing())("profiles of root do not keep another user from having some", () => {
  const dir = mkdtempSync(join(tmpdir(), "assay-profiles-"));
  closes.push(() => rmSync(dir, { recursive: true }));
  const nobody = 65_534;
  mkdirSync(join(dir, "profiles"));
  for (const path of [dir, join(dir, "profiles")]) chownSync(path, nobody, nobody);
  const ofRoot = openProfilesDir(dir);
  closes.push(ofRoot.close);
  process.seteuid?.(nobody);
  try {
    openProfilesDir(dir).close();
  } finally {
    process.seteuid?.(0);
  }
  expect(readdirSync(ofRoot.path)).toEqual(["lock"]);
});

test.skipIf(rootIsMissing())("a profile that cannot be deleted does not keep the slot from starting another browser", async () => {
  const { slot, profilesDir } = openHere();
  await slot.begin();
  slot.end();
  const [profile = ""] = readdirSync(profilesDir);
  const mountPoint = join(profilesDir, profile, "mounted");
  mkdirSync(mountPoint);
  expect(Bun.spawnSync(["mount", "--bind", mountPoint, mountPoint]).exitCode).toBe(0);
  closes.push(() => Bun.spawnSync(["umount", mountPoint]));
  const first = slot.state()?.pid ?? 0;
  process.kill(first, "SIGKILL");
  await slot.begin();
  slot.end();
  expect(slot.state()?.pid).not.toBe(first);
  expect(readdirSync(profilesDir)).toContain(profile);
});
