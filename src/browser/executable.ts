/** Finds the browser to run: the operator's own, or the embedded one, unpacked once. */
import { accessSync, constants, createWriteStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { brotliDecompressSync, createBrotliDecompress } from "node:zlib";
import { type EmbeddedBrowser, embedded } from "./embedded.ts";

/** A browser that can be started. */
export interface Executable {
  readonly path: string;
  /** What its process needs in the environment besides the usual. */
  readonly environment: Readonly<Record<string, string>>;
}

/** No browser can be run. The message is one sentence that says what to do. */
export class BrowserError extends Error {
  override readonly name = "BrowserError";
}

export interface ExecutableOptions {
  /** The operator's browser (`browser.path`), or null for the embedded one. */
  readonly path: string | null;
  /** Where the embedded one is unpacked; kept between starts. */
  readonly dir: string;
}

/** @throws BrowserError */
export async function findExecutable({ path, dir }: ExecutableOptions): Promise<Executable> {
  if (path !== null) {
    if (!isExecutable(path)) throw new BrowserError(`browser.path names ${path}, which is not an executable file`);
    return { path, environment: {} };
  }
  if (embedded === null) throw new BrowserError("this assay carries no browser: name a Chromium by browser.path or ASSAY_BROWSER_PATH");
  const home = join(dir, embedded.version);
  if (!existsSync(home)) await unpack(embedded, dir, home);
  const executable = join(home, "chromium");
  if (!isExecutable(executable))
    throw new BrowserError(`${executable} cannot be executed: put browser.dir on a file system that allows programs to run (no noexec)`);
  return { path: executable, environment: { LD_LIBRARY_PATH: join(home, "lib"), FONTCONFIG_PATH: home } };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Unpacks beside and renames into place, so that a folder of this name is always whole, whoever else unpacks at the same time. */
async function unpack(packs: EmbeddedBrowser, dir: string, home: string): Promise<void> {
  let draft: string | null = null;
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    draft = mkdtempSync(join(dir, ".unpacking-"));
    // Of the readers of files, only Bun's own know those inside a compiled binary.
    await pipeline(
      Bun.file(packs.chromium).stream(),
      createBrotliDecompress(),
      createWriteStream(join(draft, "chromium"), { mode: 0o700, flush: true }),
    );
    for (const pack of [packs.libraries, packs.fonts]) {
      await new Bun.Archive(brotliDecompressSync(await Bun.file(pack).bytes())).extract(draft);
    }
    // The one in the pack looks only in folders of the system that it was made for.
    writeFileSync(join(draft, "fonts.conf"), fontsConf(home));
    renameSync(draft, home);
  } catch (error) {
    if (draft !== null) rmSync(draft, { recursive: true, force: true });
    if (existsSync(home)) return;
    throw new BrowserError(
      `the browser cannot be unpacked into ${dir} (${(error as Error).message}): free about 220 MB there, or set browser.dir`,
    );
  }
}

function fontsConf(home: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${home}/fonts</dir>
  <cachedir>${home}/fonts-cache</cachedir>
</fontconfig>
`;
}
