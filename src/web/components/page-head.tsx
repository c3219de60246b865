/** Page head: breadcrumbs, the only `h1`, lead and actions. */
import type { ComponentChildren } from "preact";
import { useI18n } from "../context.ts";

interface Crumb {
  readonly href: string;
  readonly text: string;
}

interface PageHeadProps {
  readonly title: ComponentChildren;
  /** Short text below the heading. */
  readonly lead?: ComponentChildren;
  /** Ancestor pages, outermost first. */
  readonly trail?: readonly Crumb[];
  /** For the home page. */
  readonly large?: boolean;
  /** Buttons and links. */
  readonly children?: ComponentChildren;
}

export function PageHead({ title, lead, trail = [], large = false, children }: PageHeadProps) {
  return (
    <>
      {trail.length > 0 && <Breadcrumb trail={trail} />}
      <div class={large ? "page-head large" : "page-head"}>
        <div>
          <h1>{title}</h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        {children !== undefined && <div class="actions">{children}</div>}
      </div>
    </>
  );
}

function Breadcrumb({ trail }: { readonly trail: readonly Crumb[] }) {
  return (
    <nav class="breadcrumb" aria-label={useI18n().t("components.breadcrumb")}>
      <ol>
        {trail.map(({ href, text }) => (
          <li key={href}>
            <a href={href}>{text}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
