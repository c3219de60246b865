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
    </a>
  );
}
