/** Choice of the location: in a search form, and as tabs of a host. */
import { localLocation } from "../../parse/location.ts";
import { useI18n } from "../../report/context.ts";
import type { Option } from "../components/field.tsx";
import { locationOptions, locationText } from "../scanning/location-field.tsx";
import type { SharedVisit } from "../visit.ts";
import { hostPath } from "./host-name.ts";

/** Null without other locations. Scans of a location outlive its workers, so that the chosen one stays in the list. */
export function locationFilterOptions(visit: SharedVisit, chosen: string): readonly Option[] | null {
  const options = locationOptions(visit, chosen);
  return options.length === 1 && chosen === "" ? null : [{ value: "", text: visit.i18n.t("location.all") }, ...options];
}

interface LocationTabsProps {
  readonly host: string;
  /** With scans of the host. */
  readonly locations: readonly string[];
  readonly chosen: string;
}

/** Null if all scans are from the server itself, as most are. */
export function LocationTabs({ host, locations, chosen }: LocationTabsProps) {
  const i18n = useI18n();
  if (locations.every((location) => location === localLocation) && chosen === localLocation) return null;
  return (
    <nav class="tabs" aria-label={i18n.t("location.label")}>
      <ul>
        {locations.map((location) => (
          <li key={location}>
            <a href={hostPath(host, { location })} aria-current={location === chosen ? "page" : undefined}>
              {locationText(i18n, location)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
