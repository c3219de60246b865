/** The operator's public suffix list: forms, date, limits, and the messages for a broken file. */
import { mkdtempSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { hostPartsIn } from "../../../src/parse/host-lists.ts";
import { loadConfig } from "../../../src/settings/config.ts";
import { configuredPublicSuffixes } from "../../../src/settings/files.ts";
import { publicSuffixFile } from "../../support/embedded-public-suffixes.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-suffixes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const now = new Date("2026-11-22T08:00:00Z");
const lines = publicSuffixFile(["com", "intra.corp"]);

function loaded(name: string, content: string | Uint8Array = lines) {
  writeFileSync(join(folder, name), content);
  return read(name);
}

function read(name: string) {
  const config = loadConfig({ flags: { data: folder, "public_suffixes.file": join(folder, name) }, env: {}, configFile: null });
  return configuredPublicSuffixes(config, now);
}

test("without the setting there is none", () => {
  expect(configuredPublicSuffixes(loadConfig({ flags: { data: folder }, env: {}, configFile: null }), now)).toBeNull();
});

test.each([
  ["plain.dat", lines],
  ["packed.dat.gz", gzipSync(lines)],
])("%s is read into memory that threads share", (name, content) => {
  const list = loaded(name, content);
  expect(list === null ? null : hostPartsIn(list, "a.shop.intra.corp", true).domain).toBe("shop.intra.corp");
  expect(list?.bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
});

test("is dated by its version line, else by its name, else by its last change, but never in the future", () => {
  const version = (day: string) => `// VERSION: ${day}_08-46-59_UTC\n${lines}`;
  expect(loaded("list-2026-01-01.dat", version("2026-11-13"))?.date).toBe("2026-11-13");
  expect(loaded("list-2026-01-01.dat")?.date).toBe("2026-01-01");
  loaded("undated.dat");
  utimesSync(join(folder, "undated.dat"), now, new Date("2026-03-04T23:00:00Z"));
  expect(read("undated.dat")?.date).toBe("2026-03-04");
  expect(() => loaded("later.dat", version("2027-11-13"))).toThrow("the date in it, 2027-11-13, is in the future");
  expect(() => loaded("list-2027-01-01.dat")).toThrow("the date in its name, 2027-01-01, is in the future");
});

test("a file that is no list is refused with file and reason", () => {
  const because = (reason: string, name: string) => `public_suffixes.file: ${join(folder, name)} is no public suffix list: ${reason}`;
  expect(() => loaded("page.html", "<!doctype html>")).toThrow(because("line 1 is no rule", "page.html"));
  expect(() => loaded("damaged.gz", gzipSync(lines).subarray(0, 20))).toThrow("its gzip data is damaged");
  expect(() => loaded("bomb.gz", gzipSync(Buffer.alloc(5 * 1024 ** 2)))).toThrow("more than 4194304 bytes when unpacked");
  writeFileSync(join(folder, "large.dat"), lines);
  truncateSync(join(folder, "large.dat"), 4 * 1024 ** 2 + 1);
  expect(() => read("large.dat")).toThrow("it has more than 4194304 bytes");
  expect(() => read("absent.dat")).toThrow(`${join(folder, "absent.dat")} cannot be read (ENOENT)`);
});
