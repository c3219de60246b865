/** Section of a report; a landmark if the report is alone in its document. */
import type { ComponentChildren } from "preact";
import { useDocument } from "../context.ts";

interface ReportSectionProps {
  /** Id of its heading within the report. */
  readonly headingId: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function ReportSection({ headingId, children, ...rest }: ReportSectionProps) {
  const { alone, idOf } = useDocument();
  return (
    <section {...rest} {...(alone ? { "aria-labelledby": idOf(headingId) } : {})}>
      {children}
    </section>
  );
}
