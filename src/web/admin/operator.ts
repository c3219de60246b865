/** Data for the administration pages that only the composition root has. */
import type { BackupState } from "../../backup/backup-folder.ts";
import type { CatalogHolder } from "../../catalog/catalog-holder.ts";
import type { DoctorRun } from "../../doctor/background-run.ts";
import type { FleetState } from "../../fleet/worker-operations.ts";
import type { Activity } from "../../store/activity.ts";
import type { Actor } from "../../store/audit.ts";

/** Effective setting and its source. */
export interface ShownSetting {
  readonly key: string;
  /** As the operator would write it; null if unset. */
  readonly value: string | null;
  readonly origin: "flag" | "variable" | "file" | "default";
  /** Flag, variable or file path that set it; null for a default. */
  readonly originName: string | null;
  /** Environment variable that would set it. */
  readonly variable: string;
}

export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface Operator {
  readonly settings: readonly ShownSetting[];
  /** First peer that sent forwarding headers without being a trusted proxy; null without one. */
  untrustedForwarder(): string | null;
  /** Reason why the browser runs without its sandbox, in English; null if it has one or does not run. */
  unsandboxedBecause(): string | null;
  /** Disk of the data directory; null where the system does not report it. */
  diskSpace(): DiskSpace | null;
  /** Size of the store's file; null if it cannot be read. */
  storeBytes(): number | null;
  lastDay(): Activity;
  readonly startedAt: Date;
  /** `chromium` is null before the first browser has started; `schema` is the schema of the store. */
  versions(): { readonly assay: string; readonly bun: string; readonly chromium: string | null; readonly schema: number };
  readonly examination: DoctorRun;
  /** Servers of `nats.url`, separated by ", "; null without. */
  readonly natsServers: string | null;
  /** Null without `nats.url`, and until the fleet is open. */
  fleet(): FleetState | null;
  /** `nextAt` is null without a schedule. */
  backups(): BackupState & { readonly nextAt: Date | null };
  readonly checks: Pick<CatalogHolder, "lastReload"> & {
    /** Reloads the checks, and notes it in the audit log. */
    reload(by: Actor): Promise<unknown>;
  };
}
