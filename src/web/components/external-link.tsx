/** A link to another site; it tells that site nothing about us, and search engines that we do not vouch for it. */
import type { ComponentChildren } from "preact";

interface ExternalLinkProps {
  /** May come from a scan or a visitor: what is neither http nor https becomes text. */
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
