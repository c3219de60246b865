/** Form that starts a scan: the address and, with a fleet, the location. */
import { scanUrlCharsMax } from "../../parse/scan-url.ts";
import type { TextPath } from "../../text/translator.ts";
import { ActionForm, type FormDescription, FormFields } from "../components/forms.tsx";
import { LocationField } from "./location-field.tsx";

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
