/** List of the names and addresses of watched sites. */
import { HostUrl, UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { Site } from "../../store/sites.ts";

/** Sites that are named one by one. */
const namedMax = 100;

export function SiteNames({ sites }: { readonly sites: readonly Site[] }) {
  const i18n = useI18n();
  const more = sites.length - namedMax;
  return (
    <ul>
      {sites.slice(0, namedMax).map(({ id, name, url }) => (
        <li key={id}>
          <UntrustedText>{name}</UntrustedText>{" "}
          <span class="muted">
            <HostUrl url={url} short />
          </span>
        </li>
      ))}
      {more > 0 && <li>{i18n.count("sites.deletion.more", more)}</li>}
    </ul>
  );
}
