/** Forms that start a scan, and the choice of the location to scan from or to filter by. */
import type { ComponentProps } from "preact";
import { localLocation } from "../../parse/location.ts";
import { scanUrlCharsMax } from "../../parse/scan-url.ts";
import { useI18n } from "../../report/context.ts";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanRecord } from "../../store/scans.ts";
import type { I18n, TextPath } from "../../text/translator.ts";
import { type Option, SelectField } from "../components/field.tsx";
import { ActionForm, type FormDescription, FormFields } from "../components/forms.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { cookieOf, setCookie } from "../cookies.ts";
import { Form } from "../form.tsx";
import { mayScan, type SharedVisit, type Visit } from "../visit.ts";
import { hostPath } from "./host-name.ts";

interface UrlFormProps {
  /** Value of the field. */
  readonly typed: string;
  readonly error?: string | undefined;
  readonly location: string;
  readonly locationError?: string | undefined;
  readonly label: TextPath;
  readonly hint?: TextPath;
  readonly submit: TextPath;
}

export function UrlForm({ typed, error, location, locationError, submit, ...texts }: UrlFormProps) {
  const form = {
    url: { inputMode: "url", autocomplete: "url", maxLength: scanUrlCharsMax, verbatim: true, ...texts },
  } satisfies FormDescription;
  return (
    <ActionForm action="/scans" class="scan-form" submit={submit}>
      <FormFields form={form} values={{ url: typed }} errors={error === undefined ? null : new Map([["url", error]])} />
      <LocationField chosen={location} error={locationError} />
    </ActionForm>
  );
}

interface ScanAgainProps extends Omit<ComponentProps<typeof SubmitButton>, "name" | "value"> {
  readonly scan: ScanRecord;
}

/** Null for visitors who may not scan: they would only reach the sign-in page. */
export function ScanAgain({ scan, ...button }: ScanAgainProps) {
  if (!mayScan(useVisit())) return null;
  return (
    <Form action="/scans">
      <input type="hidden" name="url" value={scan.url} />
      <KeptLocation location={scanLocationOf(scan)} />
      <SubmitButton {...button} />
    </Form>
  );
}

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
