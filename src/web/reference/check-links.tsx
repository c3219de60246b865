/** Text with links for the check keys in it. */
import { untranslated } from "../components/untrusted-text.tsx";
import { useVisit } from "../context.ts";

/** Only keys with a hyphen: a single word could be ordinary text. */
const keyed = /([a-z0-9]+(?:-[a-z0-9]+)+)/;

export function TextWithCheckLinks({ text }: { readonly text: string }) {
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
