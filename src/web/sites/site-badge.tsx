/** Badge of a watched site, with the code that shows it on another page. */
import { localLocation } from "../../parse/location.ts";
import type { Site } from "../../store/sites.ts";
import { CopyField } from "../components/copy-field.tsx";
import { useVisit } from "../context.ts";
import { scanHost } from "../scans/host-name.ts";
import { publicOrigin } from "../visit.ts";

export function SiteBadge({ site }: { readonly site: Site }) {
  const visit = useVisit();
  const { i18n, settings } = visit;
  const host = scanHost(site);
  const name = encodeURIComponent(host);
  const origin = publicOrigin(visit);
  const alt = Bun.escapeHTML(i18n.t("sites.badge.alt", { host }));
  const query = site.location === localLocation ? "" : `?${new URLSearchParams({ location: site.location })}`;
  const image = `/badge/${name}.svg${query}`;
  const code = `<a href="${origin}/hosts/${name}${query}"><img src="${origin}${image}" alt="${alt}"></a>`;
  return (
    <section aria-labelledby="badge">
      <h2 id="badge">{i18n.t("sites.badge.title")}</h2>
      <p class="muted">{i18n.t(settings.config.readers === "everybody" ? "sites.badge.what" : "sites.badge.closed")}</p>
      {settings.config.readers === "everybody" && (
        <p>
          <img src={image} alt={i18n.t("sites.badge.alt", { host })} />
        </p>
      )}
      <CopyField
        id="badge-code"
        label={i18n.t("sites.badge.code")}
        value={code}
        copy={i18n.t("sites.badge.copy")}
        copied={i18n.t("sites.badge.copied")}
      />
    </section>
  );
}
