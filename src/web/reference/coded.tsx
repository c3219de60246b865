/** Text with identifiers between backticks as code. */
import { untranslated } from "../../report/components/untrusted-text.tsx";

export function TextWithCode({ text }: { readonly text: string }) {
  // Odd pieces were between backticks.
  return text.split("`").map((piece, at) =>
    at % 2 === 0 ? (
      piece
    ) : (
      <code key={piece} {...untranslated}>
        {piece}
      </code>
    ),
  );
}
