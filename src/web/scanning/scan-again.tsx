/** Button that repeats a scan: the same URL from the same location. */
import type { ComponentProps } from "preact";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { Form } from "../form.tsx";
import { mayScan } from "../visit.ts";
import { KeptLocation } from "./location-field.tsx";

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
