/** Lead of the pages of a scan without report: address and location. */

import { LocationFact } from "../../report/components/labels.tsx";
import { HostUrl } from "../../report/components/untrusted-text.tsx";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanRecord } from "../../store/scans.ts";

export function ScanAddress({ scan }: { readonly scan: ScanRecord }) {
  return (
    <>
      <HostUrl url={scan.url} />
      <LocationFact location={scanLocationOf(scan)} />
    </>
  );
}
