/** Clock of a process that a test moves forward: libfaketime changes the time of day, and timers go on as before. */
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Library of Debian's package faketime. */
const library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

export interface MovedClock {
  /** Variables of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** Instant of the process. */
  now(): Date;
  /** The process sees it within a second. @throws Error for negative minutes: time that goes back is another test. */
  forward(minutes: number): void;
  remove(): void;
}

/** @throws Error if libfaketime is not installed. */
export function movedClock(): MovedClock {
  if (!existsSync(library)) throw new Error("libfaketime is not installed; test/lab/install.sh installs it");
  const folder = mkdtempSync(join(tmpdir(), "assay-moved-clock-"));
  const file = join(folder, "offset");
  let offsetSeconds = 0;
  // In one step: the process may read the file at any time.
  const write = () => {
    writeFileSync(`${file}.new`, `+${offsetSeconds}`);
    renameSync(`${file}.new`, file);
  };
  write();
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      FAKETIME_FORCE_MONOTONIC_FIX: "0",
      FAKETIME_DISABLE_SHM: "1",
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: "1",
    },
    now: () => new Date(Date.now() + offsetSeconds * 1_000),
    forward: (minutes) => {
      if (minutes < 0) throw new Error(`the clock is moved back by ${-minutes} minutes`);
      offsetSeconds += Math.round(minutes * 60);
      write();
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
