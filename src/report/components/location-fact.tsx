/** Location of a scan, where it is not that of the server itself. */
import { localLocation } from "../../parse/location.ts";
import { useI18n } from "../context.ts";

interface LocationProps {
  readonly location: string;
}

/** Continues a line of facts with a separator. */
export function LocationFact({ location }: LocationProps) {
  return location === localLocation ? null : (
    <>
      {" \u00b7 "}
      <Location location={location} />
    </>
  );
}

/** Line of its own in a list. */
export function LocationMark({ location }: LocationProps) {
  return location === localLocation ? null : (
    <span class="location small muted">
      <Location location={location} />
    </span>
  );
}

function Location({ location }: LocationProps) {
  return <>{useI18n().t("location.of", { location })}</>;
}
