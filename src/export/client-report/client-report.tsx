/** Content of the client report: figures and a table of all sites, then a section for each. */
import { Sentence } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import { quoted } from "../../text/display.ts";
import { ClientFigures } from "./client-figures.tsx";
import type { ReportedClient } from "./collect.ts";
import { SiteSection } from "./site-section.tsx";
import { SiteTable } from "./site-table.tsx";

export function ClientReport({ client, now, sites }: ReportedClient) {
  const i18n = useI18n();
  return (
    <>
      <div class="page-head">
        <div>
          <h1>
            <Sentence text={i18n.t("sites.clientReport.title", { client: quoted(client) })} />
          </h1>
          <p class="lead">{i18n.count("sites.clientPage.lead", sites.length, { day: i18n.date(now.toISOString()) })}</p>
        </div>
      </div>
      <ClientFigures sites={sites.map(({ site, open, accepted }) => ({ site, open: open.length, accepted: accepted.length }))} now={now} />
      <SiteTable sites={sites} />
      {sites.map((reported) =>
        reported.details === null ? null : <SiteSection key={reported.site.id} reported={reported} details={reported.details} />,
      )}
    </>
  );
}
