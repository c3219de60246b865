/** Lines to paste somewhere, with a button that copies them. */

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useWords } from "../context.ts";
import { untranslated } from "./foreign.tsx";

interface LinesProps {
  /** Where they are pasted, or what they are: `nginx`, `DNS`, a file's name. */
  readonly label: string;
  readonly children: ComponentChildren;
}

/** Nothing in it is translated: it is for a machine. */
export function Lines({ label, children }: LinesProps) {
  const words = useWords();
  const id = useId();
  return (
    <figure class="lines">
      <figcaption>
        <span {...untranslated}>{label}</span>
        <button type="button" data-copy={`#${id}`} data-copied={words.say("lines.copied")} hidden>
          {words.say("lines.copy", { label })}
        </button>
      </figcaption>
      <pre {...untranslated}>
        <code id={id}>{children}</code>
      </pre>
    </figure>
  );
}
