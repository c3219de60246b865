/** Configuration lines with a copy button. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useDocument } from "../context.ts";
import { untranslated } from "./untrusted-text.tsx";

interface ConfigLinesProps {
  /** Target of the lines: `nginx`, `DNS`, a file name. */
  readonly label: string;
  readonly children: ComponentChildren;
}

/** Machine-readable, so never translated. */
export function ConfigLines({ label, children }: ConfigLinesProps) {
  const { i18n, live } = useDocument();
  const id = useId();
  return (
    <figure class="lines">
      <figcaption>
        <span {...untranslated}>{label}</span>
        {live && (
          <button type="button" data-copy={`#${id}`} data-copied={i18n.t("lines.copied")} hidden>
            {i18n.t("lines.copy", { label })}
          </button>
        )}
      </figcaption>
      <pre {...untranslated}>
        <code {...(live ? { id } : {})}>{children}</code>
      </pre>
    </figure>
  );
}
