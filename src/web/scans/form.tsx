/** Forms that start a scan, and the choice of the location to scan from or to filter by. */
import type { ComponentProps } from "preact";
import { localLocation } from "../../parse/location.ts";
import { scanUrlCharsMax } from "../../parse/scan-url.ts";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanRecord } from "../../store/scans.ts";
import type { I18n, TextPath } from "../../text/translator.ts";
import { ActionForm, FormFields, type Option } from "../components/forms.tsx";
import { useVisit } from "../context.ts";
import { cookieOf, setCookie } from "../cookies.ts";
import { mayScan, type SharedVisit, type Visit } from "../visit.ts";

interface UrlFormProps {
  readonly values: { readonly url: string; readonly location: string };
  readonly errors?: ReadonlyMap<string, string> | null;
  readonly label: TextPath;
  readonly hint?: TextPath;
  readonly submit: TextPath;
}

/** Form that starts a scan: the address and, if there is a choice, the location. */
export function UrlForm({ values, errors, submit, ...texts }: UrlFormProps) {
  const visit = useVisit();
  const url = { ...texts, inputMode: "url", autocomplete: "url", maxLength: scanUrlCharsMax, verbatim: true } as const;
  const options = locationChoice(visit, errors?.get("location"));
  return (
    <ActionForm action="/scans" class="scan-form" submit={submit}>
      <FormFields form={{ url }} values={values} errors={errors} />
      {options !== null && <input type="hidden" name={rememberField} value="location" />}
      <FormFields
        form={{ location: { control: "select", label: "location.label", options: () => options } }}
        values={values}
        errors={errors}
      />
    </ActionForm>
  );
}

interface ScanAgainProps extends Omit<ComponentProps<typeof ActionForm>, "action" | "hidden"> {
  readonly scan: ScanRecord;
}

/** Button that repeats a scan. Null for visitors who may not scan: they would only reach the sign-in page. */
export function ScanAgain({ scan, ...button }: ScanAgainProps) {
  const hidden = { url: scan.url, ...keptLocation(scanLocationOf(scan)) };
  return mayScan(useVisit()) ? <ActionForm action="/scans" hidden={hidden} {...button} /> : null;
}

/** Hidden field of forms whose choice is remembered. */
const rememberField = "remember";

/** Null if there is nothing to choose and no error to show. `kept`: stays a choice, even without workers. */
export function locationChoice(visit: SharedVisit, error: string | undefined, kept = ""): readonly Option[] | null {
  const options = locationOptions(visit, kept);
  return options.length > 1 || error !== undefined ? options : null;
}

/** The appliance itself, then the others; `kept` is last if it has no workers. */
function locationOptions({ i18n, settings }: SharedVisit, kept = ""): readonly Option[] {
  const known = [localLocation, ...settings.scanning.locations.names()];
  const names = kept === "" || known.includes(kept) ? known : [...known, kept];
  return names.map((name) => ({ value: name, text: locationText(i18n, name) }));
}

export function locationText(i18n: I18n, location: string): string {
  return location === localLocation ? i18n.t("location.local") : location;
}

/** Hidden field that keeps the location of a scan. */
export function keptLocation(location: string): Readonly<Record<string, string>> {
  return location === localLocation ? {} : { location };
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

/** Null without other locations. Scans of a location outlive its workers, so that the chosen one stays in the list. */
export function locationFilterOptions(visit: SharedVisit, chosen: string): readonly Option[] | null {
  const options = locationOptions(visit, chosen);
  return options.length === 1 && chosen === "" ? null : [{ value: "", text: visit.i18n.t("location.all") }, ...options];
}
