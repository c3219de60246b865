/** Schedule of backups: forms of the setting, and when the next one is due. */
import { describe, expect, test } from "vitest";
import { type BackupState, nextBackupAt } from "../../../src/backup/backup-folder.ts";
import { parseSchedule } from "../../../src/settings/settings.ts";

const since = new Date("2026-03-10T12:00:00");
const never: BackupState = { lastSuccess: null, lastFailure: null };

/** Local time, as the schedule has it. */
function at(text: string): string {
  return new Date(text).toISOString();
}

function succeeded(text: string): BackupState["lastSuccess"] {
  return { at: at(text), archive: "/backups/a.tar.zst", bytes: 1 };
}

function failed(text: string): BackupState["lastFailure"] {
  return { at: at(text), because: "the disk is full" };
}

function next(schedule: string, state: BackupState, now = "2026-03-20T12:00:00"): string {
  const parsed = parseSchedule(schedule);
  if (parsed === null) throw new Error(`${schedule} is no schedule`);
  return nextBackupAt(parsed, state, { since, now: new Date(now) }).toISOString();
}

describe("backup.schedule", () => {
  test("is a time of day or an interval", () => {
    expect(parseSchedule("03:30")).toEqual({ hour: 3, minute: 30 });
    expect(parseSchedule("168h")).toEqual({ everyHours: 168 });
    for (const text of ["off", "", "3:30", "24:00", "03:60", "0h", "169h", "1.5h", "6", "-1h", "06h", "03:30 "])
      expect([text, parseSchedule(text)]).toEqual([text, null]);
  });
});

describe("the next backup", () => {
  test("comes at the time of day after the start, and after the last one", () => {
    expect(next("13:00", never)).toBe(at("2026-03-10T13:00:00"));
    expect(next("11:00", never)).toBe(at("2026-03-11T11:00:00"));
    expect(next("03:30", { ...never, lastSuccess: succeeded("2026-03-14T03:30:07") })).toBe(at("2026-03-15T03:30:00"));
    expect(next("03:30", { ...never, lastSuccess: succeeded("2026-03-14T02:00:00") })).toBe(at("2026-03-14T03:30:00"));
  });

  test("comes an interval after the last one, and at once without one", () => {
    expect(next("6h", never)).toBe(since.toISOString());
    expect(next("6h", { ...never, lastSuccess: succeeded("2026-03-14T03:00:00") })).toBe(at("2026-03-14T09:00:00"));
  });

  test("is repeated an hour after a failure, or earlier by schedule", () => {
    const state = { lastSuccess: succeeded("2026-03-14T03:30:07"), lastFailure: failed("2026-03-15T03:31:00") };
    expect(next("03:30", state)).toBe(at("2026-03-15T04:31:00"));
    expect(next("04:00", state)).toBe(at("2026-03-15T04:00:00"));
    expect(next("03:30", { ...state, lastSuccess: succeeded("2026-03-15T04:32:00") })).toBe(at("2026-03-16T03:30:00"));
  });

  test("does not depend on times of a clock that was ahead", () => {
    const state = { lastSuccess: succeeded("2031-01-01T00:00:00"), lastFailure: failed("2026-03-15T03:31:00") };
    expect(next("6h", state)).toBe(at("2026-03-15T04:31:00"));
    expect(next("6h", { ...state, lastFailure: null })).toBe(since.toISOString());
  });
});
