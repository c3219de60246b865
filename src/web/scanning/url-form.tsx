/** One-field form that starts a scan. */
import { scanUrlCharsMax } from "../../parse/scan-url.ts";
import { Field } from "../components/field.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { Form } from "../form.tsx";

interface UrlFormProps {
  /** Value of the field. */
  readonly typed: string;
  readonly error?: string | undefined;
  readonly label: string;
  readonly hint?: string;
  readonly button: string;
}

export function UrlForm({ typed, button, ...field }: UrlFormProps) {
  return (
    <Form action="/scans" class="scan-form">
      <Field name="url" value={typed} inputMode="url" autocomplete="url" maxLength={scanUrlCharsMax} verbatim {...field} />
      <SubmitButton>{button}</SubmitButton>
    </Form>
  );
}
