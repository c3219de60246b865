/** Choice of the location to scan from; remembered for the session. */
import { localLocation } from "../../parse/location.ts";
import type { I18n } from "../../text/translator.ts";
import { SelectField } from "../components/field.tsx";
import { useVisit } from "../context.ts";
import { cookieOf, setCookie } from "../cookies.ts";
import type { Visit } from "../visit.ts";

/** Hidden field of forms whose choice is remembered. */
const rememberField = "remember";

interface LocationFieldProps {
  readonly chosen: string;
  readonly error?: string | undefined;
}

/** Null if there is nothing to choose. */
export function LocationField({ chosen, error }: LocationFieldProps) {
  const { i18n, settings } = useVisit();
  const names = settings.scanning.locations.names();
  if (names.length === 0 && error === undefined) return null;
  return (
    <>
      <input type="hidden" name={rememberField} value="location" />
      <SelectField name="location" label={i18n.t("location.label")} options={locationOptions(i18n, names)} value={chosen} error={error} />
    </>
  );
}

/** The appliance itself, then the others. */
export function locationOptions(i18n: I18n, names: readonly string[]): readonly { readonly value: string; readonly text: string }[] {
  return [localLocation, ...names].map((name) => ({ value: name, text: locationText(i18n, name) }));
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
