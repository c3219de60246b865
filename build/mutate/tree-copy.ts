/** A copy of the tree, in which faults are planted and tests run: never in the tree itself. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
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

/** Copies what git tracks or would track, and links the packages. @throws Error if the tree is no git checkout */
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
    copyFileSync(join(tree, path), join(folder, path));
  }
  if (existsSync(join(tree, "node_modules"))) symlinkSync(join(tree, "node_modules"), join(folder, "node_modules"));
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
