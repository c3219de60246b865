/** Planned headers of a watched site, which its runs try again. */
import { localLocation } from "../../parse/location.ts";
import { Instant } from "../../report/components/labels.tsx";
import { FactRow } from "../../report/components/layout.tsx";
import { ConfigLines } from "../../report/components/remediation.tsx";
import { HostUrl } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { Site, WatchedPolicy } from "../../store/sites.ts";
import type { I18n } from "../../text/translator.ts";
import { ActionForm } from "../components/forms.tsx";
import { PageSection } from "../components/sections.tsx";
import { sitePath } from "./site-access.ts";
import { BlockedList } from "./site-sections.tsx";

interface PlannedHeadersProps {
  readonly site: Site;
  readonly editable: boolean;
}

/** Null for a site without them. */
export function PlannedHeaders({ site, editable }: PlannedHeadersProps) {
  const i18n = useI18n();
  const { policy = null } = site;
  if (policy === null) return null;
  const { url, headers, proof, savedAt, triedAt, blocked } = policy;
  return (
    <PageSection id="planned-headers" title="sites.policy.title">
      <p>{i18n.t(site.location === localLocation ? "sites.policy.lead" : "sites.policy.elsewhere")}</p>
      <dl class="facts">
        <FactRow name={i18n.t("sites.policy.page")}>
          <HostUrl url={url} short />
        </FactRow>
        <FactRow name={i18n.t("sites.policy.saved")}>
          <Instant at={savedAt} /> <a href={`/proofs/${proof}`}>{i18n.t("sites.policy.proof")}</a>
        </FactRow>
        <FactRow name={i18n.t("sites.policy.tried")}>
          {triedAt === null ? i18n.t("sites.policy.untried") : <Instant at={triedAt} />}
        </FactRow>
        {triedAt !== null && <FactRow name={i18n.t("sites.policy.state")}>{stateText(i18n, policy)}</FactRow>}
      </dl>
      <BlockedList blocked={blocked} blockedDropped={0} />
      <ConfigLines label="HTTP">
        {headers.flatMap(({ name, value }) => (value === null ? [] : [`${name}: ${value}`])).join("\n")}
      </ConfigLines>
      {editable && <ActionForm action={sitePath(site)} hidden={{ do: "unwatch" }} kind="plain" submit="sites.policy.remove" />}
    </PageSection>
  );
}

function stateText(i18n: I18n, { brokenSince, reported }: WatchedPolicy): string {
  if (brokenSince === null) return i18n.t("sites.policy.works");
  return i18n.t(reported ? "sites.policy.broken" : "sites.policy.doubt", { since: i18n.dateTime(brokenSince) });
}
