/** Row of the list of watched sites. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { renderToString } from "preact-render-to-string";
import { createLruCache } from "../../base/lru-cache.ts";
import { Instant } from "../../report/components/labels.tsx";
import { SmallScore } from "../../report/components/score-ring.tsx";
import { HostUrl, plainUntrustedText, UntrustedText } from "../../report/components/untrusted-text.tsx";
import { DocumentContext, useI18n } from "../../report/context.ts";
import { courseLineOf } from "../../store/sites.ts";
import type { I18n } from "../../text/translator.ts";
import { Sparkline } from "../components/score-chart.tsx";
import { pageDocument } from "../context.ts";
import type { SharedVisit } from "../visit.ts";
import { type CachedRow, cachedRow, rowsMax } from "./row-cache.ts";
import { clientPath, mayEdit, type SiteAccess, sitePath } from "./site-access.ts";
import type { ListedSite } from "./site-query.ts";
import { CertificateDays, SiteMarks } from "./site-sections.tsx";

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
  /** The choice is beyond this page, so that a single site cannot be left out. */
  readonly fixed: boolean;
}

/** Cached row. Must not contain relative times, except whole days. */
export function siteRow(visit: SharedVisit, { listed, access, checked, fixed }: Omit<RowProps, "now">): CachedRow {
  const { site, marks, place } = listed;
  const { now, i18n } = visit;
  // The path of a client has the owner in it, for members.
  const state = JSON.stringify([now.toISOString().slice(0, dayChars), marks, place, access.role, access.owner.id, site]);
  return cachedRow(`${i18n.locale} ${access.role} ${site.id} ${checked} ${fixed}`, state, () =>
    renderToString(
      <DocumentContext.Provider value={pageDocument(visit)}>
        <SiteRow listed={listed} access={access} now={startOfDay(now)} checked={checked} fixed={fixed} />
      </DocumentContext.Provider>,
    ),
  );
}

/** Rows of one turn of the event loop: about a millisecond, so that requests go on in between. */
const aheadAtOnce = 5;
/** Lists whose rows were rendered ahead. */
const listsAhead = createLruCache<true>(1_000);

/**
 * Renders the rows of a list that no page has shown yet, between requests, so that another order or page finds them. Once a day for each
 * list, and after sites were added: a row that changes later is rendered when it is shown.
 */
export async function renderRowsAhead(visit: SharedVisit, listed: readonly ListedSite[], access: SiteAccess): Promise<void> {
  const key = [visit.now.toISOString().slice(0, dayChars), visit.i18n.locale, access.role, access.owner.id, listed.length].join(" ");
  if (listsAhead.get(key) !== undefined) return;
  listsAhead.set(key, true);
  for (const [at, one] of listed.slice(0, rowsMax).entries()) {
    if (at % aheadAtOnce === 0) await nextTurn();
    siteRow(visit, { listed: one, access, checked: false, fixed: false });
  }
}

function startOfDay(now: Date): Date {
  return new Date(now.toISOString().slice(0, dayChars));
}

function SiteRow({ listed, access, now, checked, fixed }: RowProps) {
  const i18n = useI18n();
  const { site } = listed;
  const { id, name, client, reading, lastRunAt, nextRunAt } = site;
  return (
    <tr id={`site-${id}`}>
      {mayEdit(access) && (
        <td class="pick">
          <input
            type="checkbox"
            name={pickedField}
            value={id}
            form={bulkFormId}
            checked={checked}
            disabled={fixed}
            aria-label={i18n.t("sites.list.pick", { name: plainUntrustedText(name) })}
          />
        </td>
      )}
      <th scope="row">
        <a href={sitePath(site)}>
          <UntrustedText>{name}</UntrustedText>
        </a>
        <SiteDetails site={site} />
      </th>
      <td class="side client" data-label={i18n.t("sites.columns.client")}>
        {client !== null && (
          <a href={clientPath(client, access)}>
            <UntrustedText>{client}</UntrustedText>
          </a>
        )}
      </td>
      <td data-label={i18n.t("sites.columns.score")}>
        <SmallScore score={reading?.score ?? null} />
      </td>
      <td class="spark-cell" data-label={i18n.t("sites.columns.change")}>
        <SiteCourse listed={listed} now={now} />
      </td>
      <td class="num side" data-label={i18n.t("sites.columns.open")}>
        {reading !== null && i18n.number(reading.open)}
      </td>
      <td data-label={i18n.t("sites.columns.certificate")}>
        <CertificateDays site={site} now={now} />
      </td>
      <td class="marks" data-label={i18n.t("sites.columns.state")}>
        <div>
          <SiteMarks listed={listed} />
          {listed.marks.length === 0 && (
            <span class="muted">{i18n.t(reading === null ? "sites.marks.fresh" : "sites.marks.measured")}</span>
          )}
        </div>
      </td>
      <td class="side" data-label={i18n.t("sites.columns.last")}>
        {lastRunAt === null ? <span class="muted">{i18n.t("sites.list.never")}</span> : <Instant at={lastRunAt} relative={false} />}
      </td>
      <td class="side" data-label={i18n.t("sites.columns.next")}>
        {/* The time of a run that waits is past. */}
        {nextRunAt !== null && !listed.marks.includes("waiting") && <Instant at={nextRunAt} relative={false} />}
      </td>
    </tr>
  );
}

/** Address, unless the name says the same, and tags. */
function SiteDetails({ site: { name, url, tags } }: Pick<ListedSite, "site">) {
  const isNamedAlike = url === `https://${name}/`;
  if (isNamedAlike && tags.length === 0) return null;
  return (
    <span class="site-details">
      {!isNamedAlike && <HostUrl url={url} short />}
      {tags.map((tag) => (
        <span key={tag} class="tag-text">
          <UntrustedText>{tag}</UntrustedText>
        </span>
      ))}
    </span>
  );
}

/** Line and change of the last `courseDays` days. */
function SiteCourse({ listed: { site, courseChange }, now }: Pick<RowProps, "listed" | "now">) {
  const i18n = useI18n();
  if (courseChange === null) return null;
  return (
    <div>
      <Sparkline {...courseLineOf(site, now)} />
      <span class={courseChange === 0 ? "muted" : courseChange > 0 ? "good" : "poor"}>{signed(i18n, courseChange)}</span>
    </div>
  );
}

function signed({ number }: I18n, change: number): string {
  return `${change === 0 ? "\u00b1" : change > 0 ? "+" : "\u2212"}${number(Math.abs(change))}`;
}
