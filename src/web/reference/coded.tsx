/** A text in which words between backticks are names that machines know. */
import { untranslated } from "../components/untrusted-text.tsx";

export function Coded({ text }: { readonly text: string }) {
  // Every second piece stands between two backticks.
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
