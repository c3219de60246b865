/** Tabs between related pages; the current one is marked. */

import type { TextPath } from "../../text/translator.ts";
import { useVisit } from "../context.ts";

/** Paths with their labels. */
export type TabLinks = readonly (readonly [path: string, text: TextPath])[];

export function Tabs({ label, links }: { readonly label: string; readonly links: TabLinks }) {
  const { i18n, url } = useVisit();
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {links.map(([path, text]) => (
          <li key={path}>
            <a href={path} aria-current={url.pathname === path ? "page" : undefined}>
              {i18n.t(text)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
