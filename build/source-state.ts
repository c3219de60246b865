/** Version, commit and date of the source that is built. */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { version } from "../package.json" with { type: "json" };

// reads: package.json
const root = resolve(import.meta.dirname, "..");
/** Characters of a commit's hash: long enough to stay unique. */
const commitChars = 12;

export interface SourceState {
  readonly version: string;
  /** Hash, with ", modified" after it if tracked files differ from it; null outside a git checkout of its own. */
  readonly commit: string | null;
  /** Date of every file in the packages, in seconds since 1970: `SOURCE_DATE_EPOCH`, else the commit's, else now. */
  readonly epochS: number;
}

/** @throws Error for a SOURCE_DATE_EPOCH that is no whole number */
export function sourceState(): SourceState {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given !== undefined && !/^\d{1,11}$/.test(given)) throw new Error(`SOURCE_DATE_EPOCH is no number of seconds: ${given}`);
  // A checkout around an unpacked source archive is another project's.
  const top = git("rev-parse", "--show-toplevel");
  const isOwn = top !== null && realpathSync(top) === realpathSync(root);
  const hash = isOwn ? git("rev-parse", `--short=${commitChars}`, "HEAD") : null;
  const committedS = hash === null ? null : Number(git("log", "-1", "--format=%ct"));
  const modified = git("status", "--porcelain", "--untracked-files=no") === "" ? "" : ", modified";
  return {
    version,
    commit: hash === null ? null : `${hash}${modified}`,
    epochS: given !== undefined ? Number(given) : (committedS ?? Math.floor(Date.now() / 1000)),
  };
}

/** Output of the command without the line's end; null if git is missing or fails. */
function git(...args: readonly string[]): string | null {
  if (Bun.which("git") === null) return null;
  const { success, stdout } = Bun.spawnSync(["git", ...args], { cwd: root, stderr: "ignore" });
  return success ? stdout.toString().trimEnd() : null;
}
