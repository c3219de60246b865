/** Identifiers as code. */
import { untranslated } from "../../report/components/untrusted-text.tsx";

export function Code({ text }: { readonly text: string }) {
  return <code {...untranslated}>{text}</code>;
}

/** Text with code between backticks. */
export function TextWithCode({ text }: { readonly text: string }) {
  // Odd pieces were between backticks.
  return text.split("`").map((piece, at) => (at % 2 === 0 ? piece : <Code key={piece} text={piece} />));
}
