/** Standards of a check; RFCs are linked. */
import { ExternalLink, untranslated } from "../../report/components/untrusted-text.tsx";

const rfcForm = /^RFC (\d{1,5})(?: section (\d+(?:\.\d+)*))?$/;

export function Standards({ names }: { readonly names: readonly string[] }) {
  return (
    <ul>
      {names.map((name) => (
        <li key={name} {...untranslated}>
          <Standard name={name} />
        </li>
      ))}
    </ul>
  );
}

function Standard({ name }: { readonly name: string }) {
  const [, number, section] = rfcForm.exec(name) ?? [];
  if (number === undefined) return <>{name}</>;
  const place = section === undefined ? "" : `#section-${section}`;
  return <ExternalLink href={`https://www.rfc-editor.org/rfc/rfc${number}${place}`}>{name}</ExternalLink>;
}
