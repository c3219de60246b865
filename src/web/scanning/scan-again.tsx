/** Button that scans a known URL again. */
import type { ComponentProps } from "preact";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { Form } from "../form.tsx";
import { mayScan } from "../visit.ts";

interface ScanAgainProps extends Omit<ComponentProps<typeof SubmitButton>, "name" | "value"> {
  readonly url: string;
}

/** Null for visitors who may not scan: they would only reach the sign-in page. */
export function ScanAgain({ url, ...button }: ScanAgainProps) {
  if (!mayScan(useVisit())) return null;
  return (
    <Form action="/scans">
      <input type="hidden" name="url" value={url} />
      <SubmitButton {...button} />
    </Form>
  );
}
