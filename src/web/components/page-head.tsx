/** Page head: breadcrumbs, the only `h1`, lead and actions. */
import type { ComponentChildren } from "preact";
import { useI18n } from "../../report/context.ts";

interface Crumb {
  readonly href: string;
  readonly text: string;
}

interface PageHeadProps {
  readonly title: ComponentChildren;
  /** Short text below the heading. */
  readonly lead?: ComponentChildren;
  /** Ancestor pages, outermost first. */
  readonly breadcrumbs?: readonly Crumb[];
  /** For the home page. */
  readonly large?: boolean;
  readonly children?: ComponentChildren;
}

export function PageHead({ title, lead, breadcrumbs = [], large = false, children }: PageHeadProps) {
  return (
    <>
      {breadcrumbs.length > 0 && <Breadcrumb breadcrumbs={breadcrumbs} />}
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

function Breadcrumb({ breadcrumbs }: { readonly breadcrumbs: readonly Crumb[] }) {
  return (
    <nav class="breadcrumb" aria-label={useI18n().t("components.breadcrumb")}>
      <ol>
        {breadcrumbs.map(({ href, text }) => (
          <li key={href}>
            <a href={href}>{text}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
