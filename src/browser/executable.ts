/** Finds the browser executable: the operator's own, or the embedded one, unpacked once. */
import { accessSync, constants, createWriteStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { brotliDecompressSync, createBrotliDecompress } from "node:zlib";
// The package does not export these files. Relative paths reach them, and make the bundler include them.
import libraries from "../../node_modules/@sparticuz/chromium/bin/al2023.tar.br" with { type: "file" };
import chromium from "../../node_modules/@sparticuz/chromium/bin/chromium.br" with { type: "file" };
import fonts from "../../node_modules/@sparticuz/chromium/bin/fonts.tar.br" with { type: "file" };
import about from "../../node_modules/@sparticuz/chromium/package.json" with { type: "json" };

/** Only platform of the embedded programs. */
const runsHere = process.platform === "linux" && process.arch === "x64";

/**
 * The embedded browser: paths of Brotli files, which hold the headless shell itself, a tar of `lib/` and a tar of `fonts/`. Null on other
 * platforms, and in a slim binary, whose build omits the archives.
 */
export const embeddedBrowser =
  runsHere && (chromium as string | null) !== null ? { version: about.version, chromium, libraries, fonts } : null;

export interface Executable {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The browser cannot run. The message is one sentence with the remedy. */
export class BrowserError extends Error {
  override readonly name = "BrowserError";
}

export interface ExecutableOptions {
  /** The operator's browser (`browser.path`), or null for the embedded one. */
  readonly path: string | null;
  /** Folder for the unpacked embedded browser; kept between starts. */
  readonly dir: string;
}

/** @throws BrowserError */
export async function findExecutable({ path, dir }: ExecutableOptions): Promise<Executable> {
  if (path !== null) {
    if (!isExecutable(path)) throw new BrowserError(`browser.path names ${path}, which is not an executable file`);
    return { path, environment: {} };
  }
  if (embeddedBrowser === null)
    throw new BrowserError("this program contains no browser for this platform: set browser.path or ASSAY_BROWSER_PATH to a Chromium");
  const home = join(dir, embeddedBrowser.version);
  if (!existsSync(home)) await unpack(embeddedBrowser, dir, home);
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

/** Unpacks into a temporary folder and renames it: concurrent processes never see an incomplete folder. */
async function unpack(archives: NonNullable<typeof embeddedBrowser>, dir: string, home: string): Promise<void> {
  let temporary: string | null = null;
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    temporary = mkdtempSync(join(dir, ".unpacking-"));
    // Only Bun.file can read files inside a compiled binary.
    await pipeline(
      Bun.file(archives.chromium).stream(),
      createBrotliDecompress(),
      createWriteStream(join(temporary, "chromium"), { mode: 0o700, flush: true }),
    );
    for (const archive of [archives.libraries, archives.fonts]) {
      await new Bun.Archive(brotliDecompressSync(await Bun.file(archive).bytes())).extract(temporary);
    }
    // The archive's own fonts.conf names folders of another system.
    writeFileSync(join(temporary, "fonts.conf"), fontsConf(home));
    renameSync(temporary, home);
  } catch (error) {
    if (temporary !== null) rmSync(temporary, { recursive: true, force: true });
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
