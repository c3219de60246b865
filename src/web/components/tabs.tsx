/** Tabs between related pages; the current one is marked. */

interface TabLink {
  readonly href: string;
  readonly text: string;
  readonly isCurrent: boolean;
}

export function Tabs({ label, links }: { readonly label: string; readonly links: readonly TabLink[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {links.map(({ href, text, isCurrent }) => (
          <li key={href}>
            <a href={href} aria-current={isCurrent ? "page" : undefined}>
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
