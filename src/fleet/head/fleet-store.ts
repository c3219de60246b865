/** What the fleet needs of the store. */
import type { Store } from "../../store/store.ts";

export interface FleetStore {
  readonly instance: Store["instance"];
  readonly scans: Pick<Store["scans"], "findByToken">;
  readonly workers: Pick<Store["workers"], "find" | "list" | "locations" | "noteSeen" | "noteScan" | "noteFault">;
}
