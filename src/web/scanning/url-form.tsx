/** Form that starts a scan: the address and, with a fleet, the location. */
import { scanUrlCharsMax } from "../../parse/scan-url.ts";
import { Field } from "../components/field.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { Form } from "../form.tsx";
import { LocationField } from "./location-field.tsx";

interface UrlFormProps {
  /** Value of the field. */
  readonly typed: string;
  readonly error?: string | undefined;
  readonly location: string;
  readonly locationError?: string | undefined;
  readonly label: string;
  readonly hint?: string;
  readonly button: string;
}

export function UrlForm({ typed, location, locationError, button, ...field }: UrlFormProps) {
  return (
    <Form action="/scans" class="scan-form">
      <Field name="url" value={typed} inputMode="url" autocomplete="url" maxLength={scanUrlCharsMax} verbatim {...field} />
      <LocationField chosen={location} error={locationError} />
      <SubmitButton>{button}</SubmitButton>
    </Form>
  );
}
