/** The head of a page: where it stands, its one heading, what it is for, and what can be done. */
import type { ComponentChildren } from "preact";
import { useI18n } from "../context.ts";

interface Crumb {
  readonly href: string;
  readonly text: string;
}

interface PageHeadProps {
  readonly title: ComponentChildren;
  /** A sentence or two below the heading. */
  readonly lead?: ComponentChildren;
  /** The pages above this one, from the outermost. */
  readonly trail?: readonly Crumb[];
  /** For the page that people see first. */
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
