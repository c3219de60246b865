/** Location of a scan: where its evidence is gathered. */
import { localLocation } from "../parse/location.ts";
import type { ScanRecord } from "./scan-record.ts";

/** `local`, or the name that an operator gave. */
export function scanLocationOf({ location }: Pick<ScanRecord, "location">): string {
  return location ?? localLocation;
}

/** Member of the stored scan: absent for the location of the server itself. */
export function storedLocation(location: string): Pick<ScanRecord, "location"> {
  return location === localLocation ? {} : { location };
}
