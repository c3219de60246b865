/** Buttons of a proof for those who watch its page: the runs of the site try the headers again. */
import type { ProofBody } from "../../evidence/proof.ts";
import { localLocation } from "../../parse/location.ts";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { ProofRecord } from "../../store/proofs.ts";
import { scanLocationOf } from "../../store/scan-location.ts";
import { addressesOf, type Site } from "../../store/sites.ts";
import { ActionForm } from "../components/forms.tsx";
import { PageSection } from "../components/sections.tsx";
import { mayEdit, siteAccesses, sitePath } from "../sites/site-access.ts";
import type { Visit } from "../visit.ts";

/** Sites with buttons: one address may be watched by several owners. */
const sitesShownMax = 5;

/** Sites of this page that the visitor may change; none for headers that are not proven here. */
export function watchingSites(visit: Visit, proof: ProofRecord, body: ProofBody | undefined): readonly Site[] {
  const { account, settings } = visit;
  if (account === null || body === undefined || !body.proven || body.headers.length === 0) return [];
  // Runs try headers from the server itself, which may see another page.
  if (scanLocationOf(proof) !== localLocation) return [];
  const owners = siteAccesses(visit, account).filter(mayEdit);
  const sites = owners.flatMap(({ owner }) => settings.store.sites.list(owner.id));
  return sites.filter((site) => addressesOf(site).includes(proof.url)).slice(0, sitesShownMax);
}

interface WatchProps {
  readonly proof: ProofRecord;
  readonly sites: readonly Site[];
}

/** Null without a site. */
export function WatchPolicy({ proof, sites }: WatchProps) {
  const i18n = useI18n();
  if (sites.length === 0) return null;
  return (
    <PageSection id="watch" title="proofs.watch.title">
      <p>{i18n.t("proofs.watch.means")}</p>
      {sites.map((site) => (
        <div key={site.id}>
          <p>
            <a href={sitePath(site)}>
              <UntrustedText>{site.name}</UntrustedText>
            </a>
          </p>
          {site.policy?.proof === proof.token ? (
            <p>{i18n.t("proofs.watch.already")}</p>
          ) : (
            <ActionForm action={sitePath(site)} hidden={{ do: "watch", proof: proof.token }} submit="proofs.watch.submit" />
          )}
        </div>
      ))}
    </PageSection>
  );
}
