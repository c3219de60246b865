/** Choice of the location to scan from; remembered for the session. */
import { localLocation } from "../../parse/location.ts";
import type { I18n } from "../../text/translator.ts";
import { type Option, SelectField } from "../components/field.tsx";
import { useVisit } from "../context.ts";
import { cookieOf, setCookie } from "../cookies.ts";
import type { SharedVisit, Visit } from "../visit.ts";

/** Hidden field of forms whose choice is remembered. */
const rememberField = "remember";

interface LocationFieldProps {
  readonly chosen: string;
  readonly error?: string | undefined;
}

/** Null if there is nothing to choose. */
export function LocationField({ chosen, error }: LocationFieldProps) {
  const visit = useVisit();
  const options = locationChoice(visit, error);
  return options === null ? null : (
    <>
      <input type="hidden" name={rememberField} value="location" />
      <SelectField name="location" label={visit.i18n.t("location.label")} options={options} value={chosen} error={error} />
    </>
  );
}

/** Null if there is nothing to choose and no error to show. `kept`: stays a choice, even without workers. */
export function locationChoice(visit: SharedVisit, error: string | undefined, kept = ""): readonly Option[] | null {
  const options = locationOptions(visit, kept);
  return options.length > 1 || error !== undefined ? options : null;
}

/** The appliance itself, then the others; `kept` is last if it has no workers. */
export function locationOptions({ i18n, settings }: SharedVisit, kept = ""): readonly Option[] {
  const known = [localLocation, ...settings.scanning.locations.names()];
  const names = kept === "" || known.includes(kept) ? known : [...known, kept];
  return names.map((name) => ({ value: name, text: locationText(i18n, name) }));
}

export function locationText(i18n: I18n, location: string): string {
  return location === localLocation ? i18n.t("location.local") : location;
}

/** Hidden field that keeps the location of a scan. */
export function KeptLocation({ location }: { readonly location: string }) {
  return location === localLocation ? null : <input type="hidden" name="location" value={location} />;
}

/** Null for an unknown location. "" is the appliance itself: the field of a form that has none. */
export function knownLocation({ settings: { scanning } }: Pick<Visit, "settings">, typed: string): string | null {
  return [localLocation, ...scanning.locations.names()].find((name) => name === (typed || localLocation)) ?? null;
}

/** Last choice of the visitor; the appliance itself before any. */
export function rememberedLocation(visit: Visit): string {
  const remembered = cookieOf(visit.request, "location", visit.server.https) ?? localLocation;
  return knownLocation(visit, remembered) ?? localLocation;
}

/** Remembers the location of a form that offered the choice, until the browser is closed. */
export function rememberLocation(visit: Visit, fields: { text(name: string): string }, location: string): void {
  if (fields.text(rememberField) !== "location" || location === rememberedLocation(visit)) return;
  visit.setCookies.push(setCookie("location", location, visit.server.https, null));
}
