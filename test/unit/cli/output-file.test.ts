/** Output files on a real disk: tried without a trace, replaced as a whole, and removed. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { exitCodes } from "../../../src/cli/exit.ts";
import { fileIdentity, openOutputFile } from "../../../src/cli/output-file.ts";
import { rootIsMissing } from "../../support/missing.ts";

const root = mkdtempSync(join(tmpdir(), "assay-output-"));
afterAll(() => rmSync(root, { recursive: true }));
let folder = root;
beforeEach(() => {
  folder = mkdtempSync(join(root, "folder-"));
});
const at = (name: string) => join(folder, name);

describe("before the work", () => {
  test("a new file is not created", () => {
    openOutputFile(at("new.json"));
    expect(readdirSync(folder)).toEqual([]);
  });

  test("an existing file keeps its content", () => {
    writeFileSync(at("old.json"), "old");
    openOutputFile(at("old.json"));
    expect([readdirSync(folder), readFileSync(at("old.json"), "utf8")]).toEqual([["old.json"], "old"]);
  });

  test.each([
    ["a missing folder", "none/x.json", "its folder does not exist"],
    ["a folder that is a file", "file/x.json", "its folder is a file"],
    ["a folder", "sub", "it is a folder"],
    ["a new name with a slash", "new/", "it is a folder"],
    ["a long name", "x".repeat(300), "its name is too long"],
    ["a link that leads to itself", "loop", "its links lead back to it"],
  ])("%s is exit 2", (_words, name, reason) => {
    writeFileSync(at("file"), "");
    mkdirSync(at("sub"));
    symlinkSync("loop", at("loop"));
    const before = readdirSync(folder);
    const error = (() => {
      try {
        return openOutputFile(`${folder}/${name}`);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toMatchObject({ exitCode: exitCodes.usage, message: expect.stringContaining(reason) });
    expect(readdirSync(folder)).toEqual(before);
  });

  test("one file has one identity, by every path", () => {
    writeFileSync(at("a"), "");
    linkSync(at("a"), at("hard"));
    symlinkSync("a", at("soft"));
    const same = ["a", "hard", "soft", `../${folder.split("/").at(-1)}/a`].map((name) => fileIdentity(at(name)));
    expect(new Set(same).size).toBe(1);
    expect(fileIdentity(at("new"))).toBe(fileIdentity(at("./x/../new")));
    expect(fileIdentity(at("new"))).not.toBe(fileIdentity(at("other")));
  });
});

describe("after the work", () => {
  test("a file is created, or replaced with its permissions, and nothing else is left", async () => {
    await openOutputFile(at("new.json")).write("new");
    writeFileSync(at("old.json"), "a longer old text");
    chmodSync(at("old.json"), 0o640);
    const inode = statSync(at("old.json")).ino;
    await openOutputFile(at("old.json")).write("new");
    expect(readdirSync(folder).sort()).toEqual(["new.json", "old.json"]);
    expect([readFileSync(at("new.json"), "utf8"), readFileSync(at("old.json"), "utf8")]).toEqual(["new", "new"]);
    expect(statSync(at("old.json")).mode & 0o777).toBe(0o640);
    expect(statSync(at("old.json")).ino).not.toBe(inode);
  });

  // Only root can give a file away.
  test.skipIf(rootIsMissing())("a file of another user stays theirs", async () => {
    writeFileSync(at("theirs.json"), "old and longer");
    chownSync(at("theirs.json"), 12_345, 12_345);
    await openOutputFile(at("theirs.json")).write("new");
    const { uid, gid } = statSync(at("theirs.json"));
    expect([uid, gid, readFileSync(at("theirs.json"), "utf8"), readdirSync(folder)]).toEqual([12_345, 12_345, "new", ["theirs.json"]]);
  });

  test("a link stays, and its target is written", async () => {
    symlinkSync("target.json", at("link.json"));
    await openOutputFile(at("link.json")).write("new");
    expect(lstatSync(at("link.json")).isSymbolicLink()).toBe(true);
    expect(readFileSync(at("target.json"), "utf8")).toBe("new");
  });

  test("a pipe is written, and stays", async () => {
    spawnSync("mkfifo", [at("pipe")]);
    const output = openOutputFile(at("pipe"));
    const [, text] = await Promise.all([output.write("through"), Bun.file(at("pipe")).text()]);
    expect([text, statSync(at("pipe")).isFIFO()]).toEqual(["through", true]);
    expect(await output.remove()).toBe(false);
  });

  test("the file of an open descriptor is continued", async () => {
    writeFileSync(at("log"), "before ");
    const descriptor = openSync(at("log"), "a");
    await openOutputFile(`/proc/self/fd/${descriptor}`).write("after");
    expect(readFileSync(at("log"), "utf8")).toBe("before after");
  });

  test("a device takes everything", async () => {
    await openOutputFile("/dev/null").write("x");
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
  });

  test("an earlier file is removed", async () => {
    writeFileSync(at("old.sarif"), "old");
    expect(await openOutputFile(at("old.sarif")).remove()).toBe(true);
    expect(existsSync(at("old.sarif"))).toBe(false);
    expect(await openOutputFile(at("old.sarif")).remove()).toBe(false);
  });

  test("a folder that went away is exit 4", async () => {
    mkdirSync(at("sub"));
    const output = openOutputFile(at("sub/x.json"));
    rmSync(at("sub"), { recursive: true });
    await expect(output.write("x")).rejects.toMatchObject({
      exitCode: exitCodes.internal,
      message: expect.stringContaining("could not be written"),
    });
  });
});
