/** A copy of the tree, in which faults are planted and tests run: never in the tree itself. */
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface TreeCopy {
  readonly folder: string;
  /** Folder for temporary files of the tests; emptied before each run. */
  readonly temporary: string;
  /** Has the text in place of the file during the action. */
  withText<T>(path: string, text: string, action: () => Promise<T>): Promise<T>;
  remove(): void;
}

/** Copies what git tracks or would track, and the packages. @throws Error if the tree is no git checkout */
export function copyTree(tree: string): TreeCopy {
  const { success, stdout, stderr } = Bun.spawnSync(["git", "ls-files", "-co", "--exclude-standard", "-z"], { cwd: tree });
  if (!success) throw new Error(`git cannot list the files of ${tree}: ${stderr.toString().trim()}`);
  // Short, because the paths of sockets below it are limited.
  const base = mkdtempSync(join(tmpdir(), "mutate-"));
  const [folder, temporary] = [join(base, "tree"), join(base, "tmp")];
  // Removed files are listed too, and so is a link to a folder.
  const isFile = (path: string) => statSync(join(tree, path), { throwIfNoEntry: false })?.isFile() === true;
  for (const path of stdout.toString().split("\0").filter(isFile)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    copyWithTime(join(tree, path), join(folder, path));
  }
  const packages = join(tree, "node_modules");
  if (existsSync(packages)) linkFolder(packages, join(folder, "node_modules"));
  return {
    folder,
    temporary,
    withText: async (path, text, action) => {
      const file = join(folder, path);
      const original = readFileSync(file);
      writeFileSync(file, text);
      try {
        return await action();
      } finally {
        writeFileSync(file, original);
      }
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** Copies the time too: `build/setup.sh` would install packages again for a newer package-lock.json. */
function copyWithTime(from: string, to: string): void {
  copyFileSync(from, to);
  const { atime, mtime } = statSync(from);
  utimesSync(to, atime, mtime);
}

/** A folder of its own with hard links to the files: tests may install packages, which removes all that are there. */
function linkFolder(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkFolder(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (entry.isFile()) linkOrCopy(source, target);
  }
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // Another file system, or one without hard links.
    copyWithTime(from, to);
  }
}
