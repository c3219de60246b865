/** Seeds and names of workers, and the file with the seed of the head. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  headIdentity,
  headSeedFile,
  isPublicUserKey,
  isWorkerName,
  makeIdentity,
  readIdentity,
  SeedFileError,
  seedFileMode,
} from "../../../src/fleet/identity.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-identity-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the seed of the head", () => {
  test("is made once, complete, for its owner alone", () => {
    const made = headIdentity(folder);
    expect(headIdentity(folder)).toEqual(made);
    expect(made.seed).toMatch(/^SU[A-Z2-7]{56}$/);
    expect(statSync(headSeedFile(folder)).mode & 0o777).toBe(seedFileMode);
    expect(readdirSync(folder)).toEqual(["nats-head.nk"]);
  });

  test.each([["", "SU", makeIdentity().id, makeIdentity().seed.replace(/.$/, "1"), "SAAG"]].flat())(
    "%j is refused without its content",
    (text) => {
      const path = join(folder, "other.nk");
      writeFileSync(path, text);
      expect(() => readIdentity(path)).toThrow(new SeedFileError(`${path} holds no nkey seed of a user, which begins with SU`));
    },
  );
});

describe("public keys", () => {
  test("have a valid checksum", () => {
    const { id, seed } = makeIdentity();
    expect(isPublicUserKey(id)).toBe(true);
    const wrong = [seed, id.toLowerCase(), `${id} `, `A${id.slice(1)}`, id.slice(0, -1), `U${"A".repeat(55)}`, ""];
    expect(wrong.filter(isPublicUserKey)).toEqual([]);
  });
});

describe("names of workers", () => {
  test.each(["a", "berlin-1", "scan-01.berlin.example", "A_b", "x".repeat(64)])("%s", (name) => {
    expect(isWorkerName(name)).toBe(true);
  });
  test.each(["", " a", "a b", "a\n}", "-a", "a.", "\u00fc", "a#b", "x".repeat(65)])("%j is refused", (name) => {
    expect(isWorkerName(name)).toBe(false);
  });
});
