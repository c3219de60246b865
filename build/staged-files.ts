/** Folders that become archives, with fixed rights and dates, so that the same source gives the same bytes. */
import { chmodSync, copyFileSync, lutimesSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Level of libdeflate. The largest part, the packed browser, gets no smaller at higher levels. */
const compressionLevel = 6;
const folderMode = 0o755;
const fileMode = 0o644;
export const programMode = 0o755;

/** File to be packed: its path in the archive, with a content or a file to copy. */
export type StagedFile = { readonly path: string; readonly mode?: number } & (
  | { readonly from: string }
  | { readonly content: string | Uint8Array }
);

/** Writes the files below the folder, which must not exist yet; dates are in seconds since 1970. */
export function stage(folder: string, files: readonly StagedFile[], epochS: number): void {
  mkdirSync(folder);
  for (const file of files) {
    const path = join(folder, file.path);
    mkdirSync(dirname(path), { recursive: true });
    if ("from" in file) copyFileSync(file.from, path);
    else writeFileSync(path, file.content);
    chmodSync(path, file.mode ?? fileMode);
  }
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((found) => found.isDirectory())) chmodSync(join(entry.parentPath, entry.name), folderMode);
  chmodSync(folder, folderMode);
  for (const entry of entries) lutimesSync(join(entry.parentPath, entry.name), epochS, epochS);
  lutimesSync(folder, epochS, epochS);
}

/** Packs one entry of a folder, or "." for all of it, as .tar.gz. The bytes depend on names, contents, rights and dates alone. */
export async function tarGz(folder: string, entry: string): Promise<Uint8Array<ArrayBuffer>> {
  const tar = await output("tar", [
    ...["--create", "--format=gnu", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"],
    ...["--directory", folder, entry],
  ]);
  return Bun.gzipSync(tar, { library: "libdeflate", level: compressionLevel });
}

/** Runs a program to its end. @throws Error with its messages if it fails or is missing */
export async function output(program: string, args: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
  if (Bun.which(program) === null) throw new Error(`${program} is not installed`);
  const child = Bun.spawn([program, ...args], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, code] = await Promise.all([new Response(child.stdout).bytes(), new Response(child.stderr).text(), child.exited]);
  if (code !== 0) throw new Error(`${program} ${args[0] ?? ""} failed with exit code ${code}: ${stderr.trim()}`);
  return stdout;
}
