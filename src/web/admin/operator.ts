/** What only the composition root knows, for the pages of whoever operates the appliance. */
import type { DoctorRun } from "../../doctor/background-run.ts";

/** A setting in force, and who named it. */
export interface ShownSetting {
  readonly key: string;
  /** As the operator would write it; null when it is not set. */
  readonly value: string | null;
  readonly origin: "flag" | "variable" | "file" | "default";
  /** The flag, the variable or the path of the file; null for a default. */
  readonly originName: string | null;
  /** The variable of the environment that would set it. */
  readonly variable: string;
}

export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface Operator {
  readonly settings: readonly ShownSetting[];
  /** The first peer that sent forwarding headers without being a trusted proxy; null while there was none. */
  untrustedForwarder(): string | null;
  /** Why the browser runs without its sandbox, in English; null while it has one, or does not run. */
  unsandboxedBecause(): string | null;
  /** Of the disk with the data directory; null where the system does not tell. */
  diskSpace(): DiskSpace | null;
  readonly examination: DoctorRun;
}
