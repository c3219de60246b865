/** Observer of scans for tests that do not look at what it gets. */
import type { ScanObserver } from "../../src/scan/progress.ts";

export const silentObserver: ScanObserver = {
  claimed: () => {},
  begin: () => ({ stage: () => {}, end: () => {} }),
  ended: () => {},
};
