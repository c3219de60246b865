/** Manifests of archives: what one may claim. */
import { describe, expect, test } from "vitest";
import { BackupError, filesMax, parseManifest } from "../../../src/backup/archive.ts";

const sha256 = "0".repeat(64);
const store = { name: "store/data.mdb", bytes: 8_192, sha256 };
const valid = {
  format: "assay-backup",
  formatVersion: 1,
  assay: "0.1.0",
  createdAt: "2026-11-22T03:30:00.000Z",
  schema: 6,
  tables: [{ table: "scans", rows: 2, lost: 0, sha256 }],
  files: [store],
  outside: { config: null, checks: null },
};

function parsed(manifest: unknown) {
  return parseManifest(Buffer.from(typeof manifest === "string" ? manifest : JSON.stringify(manifest)), "a.tar.zst");
}

function named(name: string) {
  return () => parsed({ ...valid, files: [store, { name, bytes: 1, sha256 }] });
}

describe("a manifest", () => {
  test("may have members that a later release adds", () => {
    expect(parsed({ ...valid, more: 1 })).toMatchObject(valid);
  });

  test.each(["assay.toml", "nats-head.nk", "checks/a.ts", "checks/lib/\u00e4 b.ts", "outside/assay.toml", "outside/checks/a.ts"])(
    "may name %s",
    (name) => {
      expect(named(name)().files[1]?.name).toBe(name);
    },
  );

  test.each([
    "../assay.toml",
    "/etc/passwd",
    "checks",
    "checks/",
    "checks//a.ts",
    "checks/../assay.toml",
    "checks/./a.ts",
    "checks/a\0.ts",
    "outside/checks/../../a.ts",
    "outside/store/data.mdb",
    "outside",
    "outside/nats-head.nk",
    "store/lock.mdb",
    "lock",
    "assay.toml/a",
    ".assay-restore-x/a",
    "",
    `checks/${"a".repeat(256)}`,
    "store/data.mdb",
  ])("names nothing else, as %j", (name) => {
    expect(named(name)).toThrow(BackupError);
  });

  test.each([
    "",
    "null",
    "[]",
    "{",
    { ...valid, format: "zip" },
    { ...valid, files: [] },
    { ...valid, files: [{ ...store, name: "assay.toml" }] },
    { ...valid, files: [{ ...store, bytes: -1 }] },
    { ...valid, files: [{ ...store, bytes: 1e300 }] },
    { ...valid, files: [{ ...store, sha256: "0" }] },
    { ...valid, files: Array.from({ length: filesMax + 1 }, (_, at) => ({ ...store, name: `checks/${at}.ts` })) },
    { ...valid, schema: 0 },
    { ...valid, tables: [{ table: "scans", rows: 0.5, lost: 0, sha256 }] },
    { ...valid, createdAt: "yesterday" },
  ])("is refused out of form: %j", (manifest) => {
    expect(() => parsed(manifest)).toThrow(/a\.tar\.zst/);
  });

  test("of a newer format names that", () => {
    expect(() => parsed({ formatVersion: 2 })).toThrow("made by a newer assay (format 2");
  });
});
