/** Link from a report to the page of a check. */
import type { ComponentChildren } from "preact";
import { useDocument } from "../context.ts";
import { UntrustedText } from "./untrusted-text.tsx";

interface CheckLinkProps {
  readonly checkKey: string;
  /** Finding code, for a place on the page. */
  readonly fragment?: string;
  readonly children: ComponentChildren;
}

/** The key for a check that left the catalog; plain text where no appliance is known. */
export function CheckLink({ checkKey, fragment, children }: CheckLinkProps) {
  const { checks, hrefOf } = useDocument();
  if (!checks.some(({ key }) => key === checkKey)) return <UntrustedText>{checkKey}</UntrustedText>;
  const href = hrefOf(`/checks/${checkKey}${fragment === undefined ? "" : `#${fragment}`}`);
  return href === null ? children : <a href={href}>{children}</a>;
}
