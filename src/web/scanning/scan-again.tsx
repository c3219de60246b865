/** The button that scans a known URL once more. */
import type { ComponentProps } from "preact";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { Form } from "../form.tsx";
import { mayScan } from "./may-scan.ts";

interface ScanAgainProps extends Omit<ComponentProps<typeof SubmitButton>, "name" | "value"> {
  readonly url: string;
}

/** Nothing for those who may not scan: they would be sent to sign in. */
export function ScanAgain({ url, ...button }: ScanAgainProps) {
  if (!mayScan(useVisit())) return null;
  return (
    <Form action="/scans">
      <input type="hidden" name="url" value={url} />
      <SubmitButton {...button} />
    </Form>
  );
}
