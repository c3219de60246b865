/** Row of the list of watched sites. */
import { renderToString } from "preact-render-to-string";
import { Instant } from "../../report/components/labels.tsx";
import { HostUrl, plainUntrustedText, UntrustedText } from "../../report/components/untrusted-text.tsx";
import { DocumentContext, useI18n } from "../../report/context.ts";
import { pageDocument } from "../context.ts";
import type { Visit } from "../visit.ts";
import { type RowSource, rowSource } from "./row-cache.ts";
import { clientPath, mayEdit, type SiteAccess, sitePath } from "./site-access.ts";
import { bandOf, type ListedSite, type SiteSort, searchTextOf, sortValueOf } from "./site-query.ts";
import { CertificateDays, SiteMarkChip, SiteScore, TagChips, waitingText } from "./site-sections.tsx";

/** Form of the bulk actions. */
export const bulkFormId = "bulk";
/** Repeated field with the ids of the chosen sites. */
export const pickedField = "site[]";
const dayChars = 10;

interface RowProps {
  readonly listed: ListedSite;
  readonly access: SiteAccess;
  readonly now: Date;
  readonly checked: boolean;
}

/** Cached row. Must not contain relative times, except whole days. */
export function siteRow(visit: Visit, { listed, access, checked }: Omit<RowProps, "now">): RowSource {
  const { site, marks, waiting } = listed;
  const { now, i18n } = visit;
  // The path of a client has the owner in it, for members.
  const state = JSON.stringify([now.toISOString().slice(0, dayChars), marks, waiting, access.role, access.owner.id, site]);
  return rowSource(`${i18n.locale} ${access.role} ${site.id} ${checked}`, state, () =>
    renderToString(
      <DocumentContext.Provider value={pageDocument(visit)}>
        <SiteRow listed={listed} access={access} now={startOfDay(now)} checked={checked} />
      </DocumentContext.Provider>,
    ),
  );
}

function startOfDay(now: Date): Date {
  return new Date(now.toISOString().slice(0, dayChars));
}

function SiteRow({ listed: { site, marks, waiting }, access, now, checked }: RowProps) {
  const i18n = useI18n();
  const { id, name, url, client, tags, reading, lastRunAt, nextRunAt } = site;
  const value = (sort: SiteSort) => ({ "data-value": sortValueOf(site, sort, now) ?? undefined });
  return (
    <tr
      id={`site-${id}`}
      data-site={id}
      data-text={searchTextOf(site)}
      data-band={bandOf(site)}
      data-client={client ?? ""}
      data-tags={tags.join("\n")}
      data-state={marks.join("\n")}
    >
      {mayEdit(access) && (
        <td class="pick">
          <input
            type="checkbox"
            name={pickedField}
            value={id}
            form={bulkFormId}
            checked={checked}
            aria-label={i18n.t("sites.list.pick", { name: plainUntrustedText(name) })}
          />
        </td>
      )}
      <th scope="row" {...value("name")}>
        <a href={sitePath(site)}>
          <UntrustedText>{name}</UntrustedText>
        </a>
        <span class="small site-url">
          <HostUrl url={url} short />
        </span>
        {marks.map((mark) => (
          <SiteMarkChip key={mark} mark={mark} />
        ))}
        <TagChips tags={tags} />
      </th>
      <td data-label={i18n.t("sites.columns.client")} {...value("client")}>
        {client !== null && (
          <a href={clientPath(client, access)}>
            <UntrustedText>{client}</UntrustedText>
          </a>
        )}
      </td>
      <td data-label={i18n.t("sites.columns.score")} {...value("score")}>
        <div>
          <SiteScore site={site} />
        </div>
      </td>
      <td class="num" data-label={i18n.t("sites.columns.open")} {...value("open")}>
        {reading !== null && <div>{i18n.number(reading.open)}</div>}
      </td>
      <td data-label={i18n.t("sites.columns.certificate")} {...value("certificate")}>
        <CertificateDays site={site} now={now} />
      </td>
      <td data-label={i18n.t("sites.columns.last")} {...value("last")}>
        {lastRunAt === null ? <span class="muted">{i18n.t("sites.list.never")}</span> : <Instant at={lastRunAt} relative={false} />}
      </td>
      <td data-label={i18n.t("sites.columns.next")} {...value("next")}>
        {waiting !== null ? (
          <span class="muted">{waitingText(i18n, waiting.place)}</span>
        ) : (
          nextRunAt !== null && <Instant at={nextRunAt} relative={false} />
        )}
      </td>
    </tr>
  );
}
