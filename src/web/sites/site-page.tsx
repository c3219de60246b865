/** `/sites/{id}`: a watched site with its scores, events, findings, schedule, notifications and badge. */
import type { ComponentChildren } from "preact";
import { localLocation } from "../../parse/location.ts";
import { Instant, Unconfirmed } from "../../report/components/labels.tsx";
import { FactRow } from "../../report/components/layout.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { ScoreRing, scoreText } from "../../report/components/score-ring.tsx";
import { HostUrl, plainUntrustedText, UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { SiteHistoryEntry, SiteRun } from "../../store/site-runs.ts";
import { addressesOf, type Site } from "../../store/sites.ts";
import type { TextPath } from "../../text/translator.ts";
import { ActionForm, LinkButton } from "../components/forms.tsx";
import { OutcomeNotice, outcomesOf } from "../components/outcome.tsx";
import { ScoreChart } from "../components/score-chart.tsx";
import { PageSection } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import type { GetFor } from "../guards.ts";
import { locationText } from "../scans/form.tsx";
import { rulesChangesOf } from "../scans/score-history.tsx";
import type { Visit } from "../visit.ts";
import { AcceptedFindings, OpenFindings, type TypedAcceptance } from "./accepted-findings.tsx";
import { PlannedHeaders } from "./planned-headers.tsx";
import { clientPath, mayEdit, type SharedSite, sitePath } from "./site-access.ts";
import { listedSite } from "./site-query.ts";
import { CertificateDays, SiteBadge, SiteDeliveries, SiteMarks, SiteScheduleSection, SiteTimeline, TagChips } from "./site-sections.tsx";
import { sitesPage } from "./sites-frame.tsx";

/** Events of the timeline, and those by which deliveries are found. */
const eventsShown = 50;
const eventsReadMax = 300;
/** Newest points of the chart. */
const pointsMax = 120;

/** `busy` and `full` refuse a scan. */
export const siteOutcomes = outcomesOf(
  "/sites",
  ["added", "changed", "scan", "paused", "resumed", "accepted", "withdrawn", "watched", "unwatched", "busy", "full", "unproven", "long"],
  (outcome) =>
    outcome === "busy" || outcome === "full" || outcome === "unproven" || outcome === "long"
      ? `sites.site.refused.${outcome}`
      : `sites.site.done.${outcome}`,
  ["busy", "full", "unproven", "long"],
);

export const getSite: GetFor<"siteMembers"> = (visit, shared) => sitePage(visit, shared);

/** `typed`: an acceptance that was refused. */
export function sitePage(visit: Visit, { site, access }: SharedSite, typed: TypedAcceptance | null = null): Response {
  const { i18n, settings } = visit;
  const { store } = settings;
  const state = store.siteRuns.state(site.id);
  const run = store.siteRuns.find(site.id);
  const events = store.events.listOfSite(site.accountId, site.id, eventsReadMax);
  const editable = mayEdit(access);
  const listed = listedSite(site, new Set(run === undefined ? [] : [site.id]), {
    runs: visit.settings.sites.waitingRuns(),
    now: visit.now,
  });
  return sitesPage(visit, {
    title: plainUntrustedText(site.name),
    heading: <UntrustedText>{site.name}</UntrustedText>,
    lead: <HostUrl url={site.url} short />,
    access,
    status: typed === null ? 200 : 400,
    actions: editable ? <SiteActions site={site} running={run !== undefined} /> : undefined,
    children: (
      <>
        {typed === null && <OutcomeNotice of={siteOutcomes} />}
        <p class="chips">
          <SiteMarks listed={listed} without={["waiting", "unconfirmed"]} />
          <TagChips tags={site.tags} />
        </p>
        {run !== undefined && <RunNotice run={run} />}
        {site.failingSince !== null && (
          <Notice kind="poor" text={i18n.t("sites.site.failing", { since: i18n.dateTime(site.failingSince) })} />
        )}
        <SiteSummary site={site} access={access} />
        <SiteScores entries={store.siteRuns.history(site.id)} />
        <OpenFindings site={site} state={state} />
        <AcceptedFindings site={site} state={state} editable={editable} typed={typed} />
        <PlannedHeaders site={site} editable={editable} />
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
  const path = sitePath(site);
  const pause = site.paused ? "resume" : "pause";
  return (
    <>
      {!running && <ActionForm action={path} hidden={{ do: "scan" }} submit="sites.site.actions.scan" />}
      <ActionForm action={path} hidden={{ do: pause }} kind="plain" submit={`sites.site.actions.${pause}`} />
      <LinkButton href={sitePath(site, "/edit")} text="sites.site.edit" />
      <ActionForm action={path} hidden={{ do: "delete" }} kind="danger" submit="sites.site.actions.delete" />
    </>
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

function SiteSummary({ site, access }: SharedSite) {
  const { i18n, now } = useVisit();
  const { reading, client } = site;
  const score = reading !== null && (
    <>
      {scoreText(i18n, reading)}, <Instant at={reading.at} /> <a href={`/scans/${reading.token}`}>{i18n.t("sites.events.report")}</a>
    </>
  );
  const open = reading !== null && (
    <>
      {i18n.number(reading.open)} <Unconfirmed count={reading.unconfirmed} />
    </>
  );
  const certificate = reading !== null && reading.certificateExpiresAt !== null && (
    <>
      <CertificateDays site={site} now={now} /> <Instant at={reading.certificateExpiresAt} day relative={false} />
    </>
  );
  const clientLink = client !== null && (
    <a href={clientPath(client, access)}>
      <UntrustedText>{client}</UntrustedText>
    </a>
  );
  /** Facts that are false are left out. */
  const facts: readonly (readonly [label: TextPath, fact: ComponentChildren])[] = [
    ["sites.site.facts.score", score || i18n.t("sites.site.notYet")],
    ["sites.columns.open", open],
    ["sites.columns.certificate", reading !== null && (certificate || i18n.t("sites.certificate.unread"))],
    ["sites.columns.client", clientLink],
    ["location.label", site.location !== localLocation && locationText(i18n, site.location)],
    ["sites.site.facts.since", <Instant key="since" at={site.createdAt} day relative={false} />],
  ];
  return (
    <div class="verdict">
      <ScoreRing score={reading?.score ?? null} rank={reading?.rank ?? "unknown"} />
      <div>
        <dl class="facts">
          {facts
            .filter(([, fact]) => fact !== false)
            .map(([label, fact]) => (
              <FactRow key={label} name={i18n.t(label)}>
                {fact}
              </FactRow>
            ))}
        </dl>
      </div>
    </div>
  );
}

/** Null without two points to join. */
function SiteScores({ entries }: { readonly entries: readonly SiteHistoryEntry[] }) {
  const { i18n, settings } = useVisit();
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
  const changes = rulesChangesOf(shown.flatMap(({ token }) => settings.store.scans.findByToken(token) ?? []));
  return (
    <PageSection id="scores" title="sites.site.scores">
      <figure class="history">
        <ScoreChart series={[{ key: "site", sign: null, points }]} changes={changes} label={label} />
        <figcaption class="small muted">
          {label} {i18n.t("host.chart.zone")} {changes.length > 0 && i18n.t("host.changedNote")}
        </figcaption>
      </figure>
    </PageSection>
  );
}

/** Null for a site of one address. */
function SitePages({ site }: { readonly site: Site }) {
  const i18n = useI18n();
  if (site.pages.length === 0) return null;
  return (
    <PageSection id="pages" title="sites.site.pages">
      <p class="muted">{i18n.t("sites.site.pagesMean")}</p>
      <ul>
        {addressesOf(site).map((page) => (
          <li key={page}>
            <HostUrl url={page} />
          </li>
        ))}
      </ul>
    </PageSection>
  );
}
