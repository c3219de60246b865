/** A text that may speak of other checks by their keys, with a link to each. */
import { untranslated } from "../components/untrusted-text.tsx";
import { useVisit } from "../context.ts";

/** Keys of more than one word: a single word would be taken for the word that it is. */
const keyed = /([a-z0-9]+(?:-[a-z0-9]+)+)/;

export function WithCheckLinks({ text }: { readonly text: string }) {
  const { checks } = useVisit().settings.catalog;
  const isKey = (word: string) => checks.some(({ key }) => key === word);
  return text.split(keyed).map((piece, at) =>
    at % 2 === 1 && isKey(piece) ? (
      <a key={piece} href={`/checks/${piece}`}>
        <code {...untranslated}>{piece}</code>
      </a>
    ) : (
      piece
    ),
  );
}
