/** `/sites/{id}`: a watched site with its scores, events, findings, schedule, notifications and badge. */

import { localLocation } from "../../parse/location.ts";
import { Instant } from "../../report/components/labels.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { ScoreRing, scoreText } from "../../report/components/score-ring.tsx";
import { HostUrl, plainUntrustedText, UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { SiteHistoryEntry, SiteRun } from "../../store/site-runs.ts";
import type { Site } from "../../store/sites.ts";
import { ScoreChart } from "../components/score-chart.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { Form } from "../form.tsx";
import type { GetFor } from "../guards.ts";
import { locationText } from "../scans/form.tsx";
import type { Visit } from "../visit.ts";
import { AcceptedFindings, OpenFindings, type TypedAcceptance } from "./accepted-findings.tsx";
import { clientPath, mayEdit, type SharedSite, sitePath } from "./site-access.ts";
import { listedSite } from "./site-query.ts";
import { CertificateDays, SiteBadge, SiteDeliveries, SiteMarkChip, SiteScheduleSection, SiteTimeline, TagChips } from "./site-sections.tsx";
import { sitesPage } from "./sites-frame.tsx";

/** Events of the timeline, and those by which deliveries are found. */
const eventsShown = 50;
const eventsReadMax = 300;
/** Newest points of the chart. */
const pointsMax = 120;

/** Confirmations, named by the query parameter `done`. */
const confirmations = ["added", "changed", "scan", "paused", "resumed", "accepted", "withdrawn"] as const;
/** Refusals of a scan, named by the same parameter. */
const refusals = ["busy", "full"] as const;
export type SiteOutcome = (typeof confirmations)[number] | (typeof refusals)[number];

export const getSite: GetFor<"siteMembers"> = (visit, shared) => sitePage(visit, shared);

/** `typed`: an acceptance that was refused. */
export function sitePage(visit: Visit, { site, access }: SharedSite, typed: TypedAcceptance | null = null): Response {
  const { i18n, settings, url } = visit;
  const { store } = settings;
  const state = store.siteRuns.state(site.id);
  const run = store.siteRuns.find(site.id);
  const events = store.events.listOfSite(site.accountId, site.id, eventsReadMax);
  const editable = mayEdit(access);
  const done = confirmations.find((one) => one === url.searchParams.get("done"));
  const refused = refusals.find((one) => one === url.searchParams.get("done"));
  const { marks } = listedSite(site, new Set(run === undefined ? [] : [site.id]));
  return sitesPage(visit, {
    title: plainUntrustedText(site.name),
    heading: <UntrustedText>{site.name}</UntrustedText>,
    lead: <HostUrl url={site.url} short />,
    access,
    status: typed === null ? 200 : 400,
    done: typed === null && done !== undefined ? i18n.t(`sites.site.done.${done}`) : null,
    actions: editable ? <SiteActions site={site} running={run !== undefined} /> : undefined,
    children: (
      <>
        {refused !== undefined && (
          <Notice kind="warn" alert>
            <p>{i18n.t(`sites.site.refused.${refused}`)}</p>
          </Notice>
        )}
        <p class="chips">
          {marks.map((mark) => (
            <SiteMarkChip key={mark} mark={mark} />
          ))}
          <TagChips tags={site.tags} />
        </p>
        {run !== undefined && <RunNotice run={run} />}
        {site.failingSince !== null && <FailingNotice since={site.failingSince} />}
        <SiteSummary shared={{ site, access }} />
        <SiteScores entries={store.siteRuns.history(site.id)} />
        <OpenFindings site={site} state={state} />
        <AcceptedFindings site={site} state={state} editable={editable} typed={typed} />
        <SiteTimeline events={events.slice(0, eventsShown)} />
        <SiteScheduleSection site={site} />
        <SitePages site={site} />
        <SiteDeliveries access={access} events={events} />
        <SiteBadge site={site} />
      </>
    ),
  });
}

function SiteActions({ site, running }: { readonly site: Site; readonly running: boolean }) {
  const i18n = useI18n();
  return (
    <>
      {!running && <ActionButton site={site} action="scan" primary />}
      <ActionButton site={site} action={site.paused ? "resume" : "pause"} />
      <a class="button" href={sitePath(site, "/edit")}>
        {i18n.t("sites.site.edit")}
      </a>
      <ActionButton site={site} action="delete" />
    </>
  );
}

interface ActionProps {
  readonly site: Site;
  readonly action: "scan" | "pause" | "resume" | "delete";
  readonly primary?: boolean;
}

function ActionButton({ site, action, primary = false }: ActionProps) {
  const i18n = useI18n();
  return (
    <Form action={sitePath(site)}>
      <input type="hidden" name="do" value={action} />
      <SubmitButton kind={primary ? "primary" : action === "delete" ? "danger" : "plain"}>
        {i18n.t(`sites.site.actions.${action}`)}
      </SubmitButton>
    </Form>
  );
}

function RunNotice({ run }: { readonly run: SiteRun }) {
  const i18n = useI18n();
  const [first] = run.scans;
  return (
    <Notice>
      <p>
        {i18n.count("sites.site.running", run.scans.length, { since: i18n.dateTime(run.startedAt) })}{" "}
        {first !== undefined && <a href={`/scans/${first.token}`}>{i18n.t("sites.site.follow")}</a>}
      </p>
    </Notice>
  );
}

function FailingNotice({ since }: { readonly since: string }) {
  const i18n = useI18n();
  return (
    <Notice kind="poor">
      <p>{i18n.t("sites.site.failing", { since: i18n.dateTime(since) })}</p>
    </Notice>
  );
}

function SiteSummary({ shared: { site, access } }: { readonly shared: SharedSite }) {
  const { i18n, now } = useVisit();
  const { reading, client } = site;
  return (
    <div class="verdict">
      <ScoreRing score={reading?.score ?? null} band={reading?.band ?? "unknown"} rank={reading?.rank ?? "unknown"} />
      <div>
        <dl class="facts">
          <dt>{i18n.t("sites.site.facts.score")}</dt>
          <dd>
            {reading === null ? (
              i18n.t("sites.site.notYet")
            ) : (
              <>
                {scoreText(i18n, reading)}, <Instant at={reading.at} />{" "}
                <a href={`/scans/${reading.token}`}>{i18n.t("sites.events.report")}</a>
              </>
            )}
          </dd>
          {reading !== null && (
            <>
              <dt>{i18n.t("sites.columns.open")}</dt>
              <dd>{i18n.number(reading.open)}</dd>
              <dt>{i18n.t("sites.columns.certificate")}</dt>
              <dd>
                {reading.certificateExpiresAt === null ? (
                  i18n.t("sites.certificate.unread")
                ) : (
                  <>
                    <CertificateDays site={site} now={now} /> <Instant at={reading.certificateExpiresAt} day relative={false} />
                  </>
                )}
              </dd>
            </>
          )}
          {client !== null && (
            <>
              <dt>{i18n.t("sites.columns.client")}</dt>
              <dd>
                <a href={clientPath(client, access)}>
                  <UntrustedText>{client}</UntrustedText>
                </a>
              </dd>
            </>
          )}
          {site.location !== localLocation && (
            <>
              <dt>{i18n.t("location.label")}</dt>
              <dd>{locationText(i18n, site.location)}</dd>
            </>
          )}
          <dt>{i18n.t("sites.site.facts.since")}</dt>
          <dd>
            <Instant at={site.createdAt} day relative={false} />
          </dd>
        </dl>
      </div>
    </div>
  );
}

/** Null without two points to join. */
function SiteScores({ entries }: { readonly entries: readonly SiteHistoryEntry[] }) {
  const i18n = useI18n();
  const shown = entries.slice(-pointsMax);
  const [oldest, newest] = [shown[0], shown.at(-1)];
  if (oldest === undefined || newest === undefined || shown.length < 2) return null;
  const label = i18n.count("sites.site.chart", shown.length, { since: i18n.date(oldest.at), latest: i18n.number(newest.score) });
  const points = shown.map(({ at, score, rank, token }) => ({
    atMs: Date.parse(at),
    score,
    href: `/scans/${token}`,
    label: `${i18n.dateTime(at)}: ${scoreText(i18n, { score, rank })}`,
  }));
  return (
    <section aria-labelledby="scores">
      <h2 id="scores">{i18n.t("sites.site.scores")}</h2>
      <figure class="history">
        <ScoreChart series={[{ key: "site", sign: null, points }]} changes={[]} label={label} />
        <figcaption class="small muted">
          {label} {i18n.t("host.chart.zone")}
        </figcaption>
      </figure>
    </section>
  );
}

/** Null for a site of one address. */
function SitePages({ site: { url, pages } }: { readonly site: Site }) {
  const i18n = useI18n();
  if (pages.length === 0) return null;
  return (
    <section aria-labelledby="pages">
      <h2 id="pages">{i18n.t("sites.site.pages")}</h2>
      <p class="muted">{i18n.t("sites.site.pagesMean")}</p>
      <ul>
        {[url, ...pages].map((page) => (
          <li key={page}>
            <HostUrl url={page} />
          </li>
        ))}
      </ul>
    </section>
  );
}
