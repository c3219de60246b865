/** What pages show of a watched site: marks, score, certificate, schedule, events, notifications and badge. */
import type { ComponentChildren } from "preact";
import { dayMs } from "../../base/units.ts";
import { localLocation } from "../../parse/location.ts";
import type { SiteSchedule } from "../../parse/site-csv.ts";
import { DaysLeft, Instant, Unconfirmed, unconfirmedText } from "../../report/components/labels.tsx";
import { SmallScore } from "../../report/components/score-ring.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useDocument, useI18n } from "../../report/context.ts";
import { FindingTitle } from "../../report/findings.tsx";
import { shownRunsOf } from "../../sites/schedule.ts";
import { type Delivery, deliveriesKeptDays } from "../../store/deliveries.ts";
import type { EventFinding, EventType, PageChange, PolicyBreak, StoredEvent } from "../../store/site-events.ts";
import { certificateDaysOf, courseLineOf, type Site } from "../../store/sites.ts";
import { pageChangeText, policyBlockText, unmeasuredReason } from "../../text/render.ts";
import type { I18n } from "../../text/translator.ts";
import { badgeSvg, resultBadge } from "../badge/badge.ts";
import { kindName } from "../channels/channel-words.tsx";
import { CopyField } from "../components/copy-field.tsx";
import { Sparkline } from "../components/score-chart.tsx";
import { EmptyState, PageSection, TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { scanHost } from "../scans/list-query.ts";
import { publicOrigin } from "../visit.ts";
import type { SiteAccess } from "./site-access.ts";
import type { ListedSite, SiteMark } from "./site-query.ts";

const markStyles = {
  running: "unknown",
  waiting: "unknown outlined",
  paused: "unknown outlined",
  failing: "poor",
  unconfirmed: "warn outlined",
} as const satisfies Record<SiteMark, string>;

interface SiteMarksProps {
  readonly listed: ListedSite;
  /** Marks that are said elsewhere. */
  readonly without?: readonly SiteMark[];
}

/** The state of a site in words. */
export function SiteMarks({ listed: { site, marks, place }, without = [] }: SiteMarksProps) {
  const i18n = useI18n();
  const wordsOf = (mark: SiteMark) => {
    if (mark === "waiting") return waitingText(i18n, place);
    const findings = site.reading?.unconfirmed ?? 0;
    return mark === "unconfirmed" && findings > 0 ? unconfirmedText(i18n, findings) : i18n.t(`sites.marks.${mark}`);
  };
  return (
    <>
      {marks
        .filter((mark) => !without.includes(mark))
        .map((mark) => (
          <span key={mark} class={`chip ${markStyles[mark]}`}>
            {wordsOf(mark)}
          </span>
        ))}
    </>
  );
}

export function TagChips({ tags }: Pick<Site, "tags">) {
  return (
    <>
      {tags.map((tag) => (
        <span key={tag} class="chip unknown outlined tag">
          <UntrustedText>{tag}</UntrustedText>
        </span>
      ))}
    </>
  );
}

/** Null if the certificate was not read. */
export function CertificateDays({ site, now }: { readonly site: Site; readonly now: Date }) {
  const days = certificateDaysOf(site, now);
  return days === null ? null : <DaysLeft days={days} />;
}

/** Confirmed score and its course. */
export function SiteScore({ site, now }: { readonly site: Site; readonly now: Date }) {
  const { reading } = site;
  return (
    <>
      <SmallScore score={reading?.score ?? null} />
      <Sparkline {...courseLineOf(site, now)} />
      <Unconfirmed count={reading?.unconfirmed} />
    </>
  );
}

function ScheduleText({ schedule }: { readonly schedule: SiteSchedule }) {
  const i18n = useI18n();
  if ("every" in schedule) return <>{i18n.t(`sites.schedule.every.${schedule.every}`)}</>;
  return (
    <>
      {i18n.t("sites.schedule.byCron")} <code>{schedule.cron}</code>, {i18n.t("sites.schedule.zone")}{" "}
      <UntrustedText>{schedule.zone}</UntrustedText>
    </>
  );
}

/** `place`: null while it is not known. */
function waitingText(i18n: I18n, place: number | null): string {
  return place === null ? i18n.t("sites.waiting.unplaced") : i18n.t("sites.waiting.place", { place: i18n.number(place) });
}

export function SiteScheduleSection({ site }: { readonly site: Site }) {
  const { i18n, now, settings } = useVisit();
  const place = settings.sites.waitingRuns().placeOf(site.id);
  return (
    <PageSection id="schedule" title="sites.schedule.title">
      <p>
        <ScheduleText schedule={site.schedule} />
      </p>
      {site.paused || site.nextRunAt === null ? (
        <p>{i18n.t("sites.schedule.paused")}</p>
      ) : (
        <NextRuns runs={plannedRuns(site, now)} place={place} label={i18n.t("sites.schedule.next")} />
      )}
      {site.secondLookAt !== null && (
        <p>
          {i18n.t("sites.schedule.secondLook")} <Instant at={site.secondLookAt} />
        </p>
      )}
    </PageSection>
  );
}

/** A run that is due waits for its turn, so its time is left out. */
function plannedRuns(site: Site, now: Date): readonly (Date | null)[] {
  return shownRunsOf(site).map((at) => (Date.parse(at) <= now.getTime() ? null : new Date(at)));
}

interface NextRunsProps {
  readonly label: string;
  /** A run that is null begins as soon as there is a turn. */
  readonly runs: readonly (Date | null)[];
  /** Place of the run that waits. */
  readonly place?: number | null;
}

export function NextRuns({ label, runs, place = null }: NextRunsProps) {
  const i18n = useI18n();
  const due = place === null ? i18n.t("sites.schedule.due") : waitingText(i18n, place);
  return (
    <>
      <p>{label}</p>
      <ol>
        {runs.map((run) => (
          <li key={String(run?.getTime())}>{run === null ? due : <Instant at={run.toISOString()} />}</li>
        ))}
      </ol>
    </>
  );
}

/** Findings of one event that are listed. */
const findingsMax = 20;

/** `unknown`: events of a later release. */
const eventStyles: Readonly<Record<EventType, "good" | "warn" | "poor" | "unknown">> = {
  "site.score_dropped": "poor",
  "finding.opened": "poor",
  "finding.resolved": "good",
  "finding.unstable": "warn",
  "certificate.expiring": "warn",
  "site.unreachable": "poor",
  "site.recovered": "good",
  "policy.broken": "poor",
  "policy.recovered": "good",
  "catalog.changed": "unknown",
  "scan.finished": "unknown",
  "proof.finished": "unknown",
};

const findingTexts = {
  "finding.opened": "sites.events.finding.opened",
  "finding.resolved": "sites.events.finding.resolved",
  "finding.unstable": "sites.events.finding.unstable",
} as const;

export function SiteTimeline({ events }: { readonly events: readonly StoredEvent[] }) {
  const { i18n } = useDocument();
  return (
    <PageSection id="events" title="sites.events.title">
      {events.length === 0 ? (
        <EmptyState title={i18n.t("sites.events.none")} />
      ) : (
        <ol class="plain timeline">
          {events.map((event) => (
            <li key={event.seq} class={eventStyles[event.type] ?? "unknown"}>
              <p class="small muted">
                <Instant at={event.at} />
                {event.token !== null && (
                  <>
                    {" \u00b7 "}
                    <a href={`/scans/${event.token}`} aria-label={i18n.t("sites.events.reportOf", { time: i18n.dateTime(event.at) })}>
                      {i18n.t("sites.events.report")}
                    </a>
                  </>
                )}
              </p>
              <EventText event={event} />
            </li>
          ))}
        </ol>
      )}
    </PageSection>
  );
}

function EventText({ event }: { readonly event: StoredEvent }) {
  const { i18n, texts } = useDocument();
  switch (event.type) {
    case "finding.opened":
      return (
        <>
          <Findings text={i18n.count(findingTexts[event.type], event.data.findings.length)} findings={event.data.findings} />
          <OtherPage {...event.data} />
        </>
      );
    case "finding.resolved":
    case "finding.unstable":
      return <Findings text={i18n.count(findingTexts[event.type], event.data.findings.length)} findings={event.data.findings} />;
    case "site.score_dropped": {
      const { from, to } = event.data;
      return (
        <>
          <Title>{i18n.t("sites.events.site.score_dropped", { from: i18n.number(from), to: i18n.number(to) })}</Title>
          <OtherPage {...event.data} />
        </>
      );
    }
    case "certificate.expiring": {
      const { daysLeft, expiresAt } = event.data;
      const day = i18n.date(expiresAt);
      if (daysLeft <= 0) return <Title>{i18n.t("sites.events.certificate.expired", { day })}</Title>;
      return <Title>{i18n.count("sites.events.certificate.expiring", daysLeft, { day })}</Title>;
    }
    case "site.unreachable": {
      const because = unmeasuredReason(event.data, event.site?.url ?? "", i18n.locale, texts);
      return (
        <>
          <Title>{i18n.t("sites.events.site.unreachable", { since: i18n.dateTime(event.data.since) })}</Title>
          {because !== null && <p>{because}</p>}
        </>
      );
    }
    case "site.recovered":
      return <Title>{i18n.t("sites.events.site.recovered", { since: i18n.dateTime(event.data.since) })}</Title>;
    case "policy.broken":
      return <BrokenPolicy {...event.data} />;
    case "policy.recovered": {
      const { url, since } = event.data;
      return (
        <Title>
          <UntrustedText>{i18n.t("sites.events.policy.recovered", { url, since: i18n.dateTime(since) })}</UntrustedText>
        </Title>
      );
    }
    case "catalog.changed":
      return <Title>{i18n.t("sites.events.catalog.changed")}</Title>;
    default:
      return (
        <Title>
          <code>{event.type}</code>
        </Title>
      );
  }
}

function BrokenPolicy({ url, since, blocked, blockedDropped }: PolicyBreak) {
  const { i18n } = useDocument();
  return (
    <>
      <Title>
        <UntrustedText>{i18n.t("sites.events.policy.broken", { url, since: i18n.dateTime(since) })}</UntrustedText>
      </Title>
      <BlockedList blocked={blocked} blockedDropped={blockedDropped} />
    </>
  );
}

/** What planned headers block. */
export function BlockedList({ blocked, blockedDropped }: Pick<PolicyBreak, "blocked" | "blockedDropped">) {
  const { i18n, texts } = useDocument();
  if (blocked.length + blockedDropped === 0) return null;
  return (
    <ul class="plain">
      {blocked.map((one) => (
        <li key={JSON.stringify(one)}>
          <UntrustedText>{policyBlockText(one, i18n.locale, texts)}</UntrustedText>
        </li>
      ))}
      {blockedDropped > 0 && <li class="muted">{i18n.count("sites.events.policy.more", blockedDropped)}</li>}
    </ul>
  );
}

/** Why the page is not judged as before; nothing if it is the same page. */
function OtherPage({ page }: { readonly page?: PageChange | undefined }) {
  const { i18n, texts } = useDocument();
  return page === undefined ? null : (
    <p>
      <UntrustedText>{pageChangeText(page, i18n.locale, texts)}</UntrustedText>
    </p>
  );
}

function Title({ children }: { readonly children: ComponentChildren }) {
  return (
    <p>
      <strong>{children}</strong>
    </p>
  );
}

function Findings({ text, findings }: { readonly text: string; readonly findings: readonly EventFinding[] }) {
  const { i18n } = useDocument();
  const more = findings.length - findingsMax;
  return (
    <>
      <Title>{text}</Title>
      <ul class="plain">
        {findings.slice(0, findingsMax).map((finding) => (
          <li key={finding.code}>
            <FindingTitle {...finding} />
          </li>
        ))}
        {more > 0 && <li class="muted">{i18n.count("sites.events.more", more)}</li>}
      </ul>
    </>
  );
}

const deliveriesShown = 10;

/** Last notifications about the events of a site. */
export function SiteDeliveries({ access, events }: { readonly access: SiteAccess; readonly events: readonly StoredEvent[] }) {
  const { i18n, settings, now } = useVisit();
  const recent = events.filter(({ at }) => now.getTime() - Date.parse(at) < deliveriesKeptDays * dayMs);
  const { items, isComplete } = settings.store.deliveries.ofEvents(access.owner.id, recent, deliveriesShown);
  return (
    <PageSection id="deliveries" title="sites.deliveries.title">
      {items.length === 0 ? (
        <p>{i18n.t(isComplete ? "sites.deliveries.none" : "sites.deliveries.noneRecent")}</p>
      ) : (
        <TextTable
          caption="sites.deliveries.title"
          rows={items}
          columns={{
            "sites.deliveries.time": ({ createdAt }) => <Instant at={createdAt} />,
            "sites.deliveries.channel": (delivery) => <ChannelName delivery={delivery} isOwn={access.role === "owner"} />,
            "sites.deliveries.events": { numeric: true, cell: ({ eventSeqs }) => i18n.number(eventSeqs.length) },
            "sites.deliveries.attempts": { numeric: true, cell: ({ attempts }) => i18n.number(attempts.length) },
            "sites.deliveries.state": ({ state }) => i18n.t(`sites.deliveries.states.${state}`),
          }}
        />
      )}
    </PageSection>
  );
}

/** The name at most: an address of a webhook can hold a secret. Members see the kind only, since a name can be a mail address. */
function ChannelName({ delivery: { accountId, channelId }, isOwn }: { readonly delivery: Delivery; readonly isOwn: boolean }) {
  const { i18n, settings } = useVisit();
  const channel = settings.store.channels.find(accountId, channelId);
  if (channel !== undefined && isOwn) return <UntrustedText>{channel.name}</UntrustedText>;
  return <>{channel === undefined ? i18n.t("sites.deliveries.gone") : kindName(channel.kind, i18n)}</>;
}

export function SiteBadge({ site }: { readonly site: Site }) {
  const visit = useVisit();
  const { i18n, settings } = visit;
  const { reading } = site;
  const host = scanHost(site);
  const name = encodeURIComponent(host);
  const origin = publicOrigin(visit);
  const alt = Bun.escapeHTML(i18n.t("sites.badge.alt", { host }));
  const query = site.location === localLocation ? "" : `?${new URLSearchParams({ location: site.location })}`;
  const image = `/badge/${name}.svg${query}`;
  const code = `<a href="${origin}/hosts/${name}${query}"><img src="${origin}${image}" alt="${alt}"></a>`;
  return (
    <PageSection id="badge" title="sites.badge.title">
      <p class="muted">{i18n.t(settings.config.readers === "everybody" ? "sites.badge.what" : "sites.badge.closed")}</p>
      {settings.config.readers === "everybody" && (
        <p>
          {reading === null ? (
            <img src={image} alt={i18n.t("sites.badge.alt", { host })} />
          ) : (
            // The public badge shows the newest scan of the host. This page shows the confirmed state of the site, here too.
            <>
              <span class="site-badge" dangerouslySetInnerHTML={{ __html: badgeSvg(resultBadge(i18n, reading)) }} />{" "}
              <Unconfirmed count={reading.unconfirmed} />
            </>
          )}
        </p>
      )}
      <CopyField
        id="badge-code"
        label={i18n.t("sites.badge.code")}
        value={code}
        copy={i18n.t("sites.badge.copy")}
        copied={i18n.t("sites.badge.copied")}
      />
    </PageSection>
  );
}
