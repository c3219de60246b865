/** Outcome of the last backups, in a file of the data directory: it outlives the server, and no backup contains it. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { withFolderLock } from "../base/file-lock.ts";

const stateName = "backup-state.json";
const reasonCharsMax = 500;
const pathCharsMax = 4_096;

const instant = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$" });
const success = Type.Object({ at: instant, archive: Type.String({ maxLength: pathCharsMax }), bytes: Type.Integer({ minimum: 0 }) });
const failure = Type.Object({ at: instant, because: Type.String({ maxLength: reasonCharsMax }) });
const schema = Type.Object({
  lastSuccess: Type.Union([success, Type.Null()]),
  lastFailure: Type.Union([failure, Type.Null()]),
});

/** Times of the end, as in `2026-11-22T03:30:12.345Z`; `because` is one English sentence. */
export type BackupState = Static<typeof schema>;

const never: BackupState = { lastSuccess: null, lastFailure: null };

/** Nothing is known without the file, or if it is damaged. */
export function readBackupState(dataDir: string): BackupState {
  try {
    const state: unknown = JSON.parse(readFileSync(join(dataDir, stateName), "utf8"));
    return Value.Check(schema, state) ? state : never;
  } catch {
    return never;
  }
}

/** Keeps what it does not change. Readable for the server, whichever user writes it. @throws the error of the file system */
export function noteBackup(dataDir: string, change: Partial<BackupState>): void {
  withFolderLock(dataDir, () => {
    const file = join(dataDir, stateName);
    const draft = `${file}.new`;
    const state = { ...readBackupState(dataDir), ...change };
    const shortened = state.lastFailure && { ...state.lastFailure, because: state.lastFailure.because.slice(0, reasonCharsMax) };
    // A killed process of another user may have left one that cannot be written.
    rmSync(draft, { force: true });
    try {
      writeFileSync(draft, `${JSON.stringify({ ...state, lastFailure: shortened })}\n`, { mode: 0o644 });
      renameSync(draft, file);
    } finally {
      rmSync(draft, { force: true });
    }
  });
}
