/** Refusals of header and cookie files: exit 2 before anything is started, without a word of their content. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runInProcess } from "../../support/program.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-credential-files-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (text: string | Uint8Array, mode = 0o600) => {
  const path = join(folder, `file-${Math.random().toString(36).slice(2)}`);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};
const good = () => file("X-Gate: hush-hush\n");

async function refusalOf(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runInProcess(["scan", "--data", join(folder, "data"), ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).not.toContain("hush");
  return stderr;
}

describe("assay scan refuses", () => {
  test.each([0o640, 0o604, 0o620, 0o666])("a file of mode %o", async (mode) => {
    const path = file("X-Gate: hush", mode);
    expect(await refusalOf("https://site.test/", "--header-file", path)).toContain(`chmod 600 ${path}`);
    expect(await refusalOf("https://site.test/", "--cookie-file", path)).toContain(`chmod 600 ${path}`);
  });

  test("files that are missing, folders, too large or not text", async () => {
    expect(await refusalOf("https://site.test/", "--header-file", join(folder, "none"))).toContain("does not exist");
    expect(await refusalOf("https://site.test/", "--cookie-file", folder)).toContain("is a folder");
    expect(await refusalOf("https://site.test/", "--cookie-file", file(Buffer.alloc(4 * 1024 ** 2 + 1, "#")))).toContain(
      "larger than 4 MiB",
    );
    expect(await refusalOf("https://site.test/", "--header-file", file(Uint8Array.of(0xff, 0xfe)))).toContain("is not UTF-8 text");
  });

  test("faulty lines, by their number", async () => {
    const headers = file("# c\nX-Gate hush\n");
    expect(await refusalOf("https://site.test/", "--header-file", headers)).toContain(`${headers}, line 2: `);
    const cookies = file("# c\n\nhush\n");
    expect(await refusalOf("https://site.test/", "--cookie-file", cookies)).toContain(`${cookies}, line 3: `);
  });

  test("plain http, and headers for several origins", async () => {
    expect(await refusalOf("http://site.test/", "--header-file", good())).toContain("http://site.test is plain http");
    expect(await refusalOf("https://a.test/", "http://b.test/", "--cookie-file", file(""))).toContain("http://b.test is plain http");
    expect(await refusalOf("https://a.test/", "https://a.test:8443/", "--header-file", good())).toContain("the URLs have 2");
  });

  test("nothing, but warns, where no cookie is of a target", async () => {
    const cookies = file("other.test\tFALSE\t/\tTRUE\t0\tid\thush\nsite.test\tFALSE\t/\tTRUE\t1\told\thush\n");
    // The folder of checks does not exist, so the call ends before a scan.
    const stderr = await refusalOf("https://site.test/", "--cookie-file", cookies, "--checks-dir", join(folder, "none"));
    expect(stderr).toContain(`${cookies} has no cookie for https://site.test: all are of other hosts, or have expired`);
  });

  test("to overwrite the file", async () => {
    const path = good();
    expect(await refusalOf("https://a.test/", "--header-file", path, "-o", `json=${path}`)).toContain("would be overwritten");
  });
});
