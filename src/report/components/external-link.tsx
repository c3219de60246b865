/** Link to another site, without referrer and without endorsement for search engines. */
import type { ComponentChildren } from "preact";

interface ExternalLinkProps {
  /** Untrusted: a URL that is neither http nor https is rendered as text. */
  readonly href: string;
  readonly children: ComponentChildren;
}

export function ExternalLink({ href, children }: ExternalLinkProps) {
  const protocol = URL.parse(href)?.protocol;
  if (protocol !== "https:" && protocol !== "http:") return <span>{children}</span>;
  return (
    <a class="external" href={href} rel="nofollow noopener noreferrer">
      {children}
      {"\u2060"}
      <svg viewBox="0 0 12 12" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.25">
        <path d="M3.5 8.5 9 3M4.5 3H9v4.5" />
      </svg>
    </a>
  );
}
