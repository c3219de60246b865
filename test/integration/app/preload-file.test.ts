/** The operator's HSTS preload list: forms, date, limits, and the messages for a broken file. */
import { mkdtempSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { preloadCoverage } from "../../../src/parse/host-lists.ts";
import type { PreloadList } from "../../../src/probe/browser/page-preload.ts";
import { loadConfig } from "../../../src/settings/config.ts";
import { configuredPreloadList } from "../../../src/settings/files.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-preload-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const now = new Date("2026-11-22T08:00:00Z");
const lines = "b.example\t0\na.example\t1\n";

function loaded(name: string, content: string | Uint8Array = lines): PreloadList | null {
  writeFileSync(join(folder, name), content);
  return read(name);
}

function read(name: string): PreloadList | null {
  const config = loadConfig({ flags: { data: folder, "hsts.preload_file": join(folder, name) }, env: {}, configFile: null });
  return configuredPreloadList(config, now);
}

test("without the setting there is none", () => {
  expect(configuredPreloadList(loadConfig({ flags: { data: folder }, env: {}, configFile: null }), now)).toBeNull();
});

describe("a list", () => {
  test.each([
    ["plain.tsv", lines],
    ["packed.tsv.gz", gzipSync(lines)],
    ["packed, whatever its name", gzipSync(lines)],
  ])("is read: %s", (name, content) => {
    const list = loaded(name, content);
    expect(list === null ? null : preloadCoverage(list, "www.a.example")).toEqual({ host: true, subdomains: true });
    expect(list?.bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  test("is dated by its name, else by its last change, but never in the future", () => {
    expect(loaded("hsts-2026-06-01-copy.tsv")?.date).toBe("2026-06-01");
    expect(loaded("hsts-2026-02-30.tsv")?.date).toBe("2026-11-22");
    loaded("undated.tsv");
    utimesSync(join(folder, "undated.tsv"), now, new Date("2026-03-04T23:00:00Z"));
    expect(read("undated.tsv")?.date).toBe("2026-03-04");
    utimesSync(join(folder, "undated.tsv"), now, new Date("2027-03-04T23:00:00Z"));
    expect(read("undated.tsv")?.date).toBe("2026-11-22");
    expect(() => loaded("hsts-2027-06-01.tsv")).toThrow("the date in its name, 2027-06-01, is in the future");
  });
});

describe("a file that is no list", () => {
  test.each([
    ["empty.tsv", "", "line 1 is not a lower-case name, a tab, and 0 or 1"],
    ["page.html", "<!doctype html>\n", "line 1 is not"],
    ["damaged.gz", gzipSync(lines).subarray(0, 20), "its gzip data is damaged"],
    ["bomb.gz", gzipSync(Buffer.alloc(17 * 1024 ** 2)), "more than 16777216 bytes when unpacked"],
  ])("%s is refused with file and reason", (name, content, reason) => {
    expect(() => loaded(name, content)).toThrow(`hsts.preload_file: ${join(folder, name)} is no preload list: `);
    expect(() => loaded(name, content)).toThrow(reason);
  });

  test("a large one is not read", () => {
    writeFileSync(join(folder, "large.tsv"), lines);
    truncateSync(join(folder, "large.tsv"), 16 * 1024 ** 2 + 1);
    expect(() => read("large.tsv")).toThrow("it has more than 16777216 bytes");
  });

  test("a missing one and a folder are named", () => {
    expect(() => read("absent.tsv")).toThrow(`${join(folder, "absent.tsv")} cannot be read (ENOENT)`);
    expect(() => read(".")).toThrow("cannot be read (EISDIR)");
  });
});
