/** Schema of the settings of backups. */
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { parseSchedule } from "../backup/backup-folder.ts";
import { parsed, path, setting } from "./setting.ts";

const scheduleOff = "off";

export const settingsOfBackups = {
  "backup.dir": setting(path, {
    doc: "Folder of the backups. On a disk of its own, they outlive that of the data directory.",
    allowed: "a folder",
    fallback: (_env, { data = "" }) => join(data, "backups"),
    defaultDoc: "<data>/backups",
    isPath: true,
  }),
  "backup.schedule": setting(
    parsed((text) => (text === scheduleOff || parseSchedule(text) !== null ? text : null)),
    {
      doc: "When the server makes a backup: each day at a time of the server's time zone, or every so many hours.",
      allowed: "off, a time as in 03:30, or 1h to 168h",
      fallback: () => scheduleOff,
    },
  ),
  "backup.keep": setting(Type.Integer({ minimum: 1, maximum: 10_000 }), {
    doc: "Backups that stay in backup.dir after a scheduled one; older ones are removed.",
    allowed: "a whole number from 1 to 10000",
    fallback: () => 7,
  }),
} as const;
