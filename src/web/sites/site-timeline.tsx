/** Events of a watched site, newest first. */
import type { ComponentChildren } from "preact";
import { Instant } from "../../report/components/labels.tsx";
import { useDocument } from "../../report/context.ts";
import { FindingTitle } from "../../report/findings.tsx";
import type { EventFinding, EventType, StoredEvent } from "../../store/site-events.ts";
import { scanErrorMessage } from "../../text/render.ts";
import { EmptyState } from "../components/empty-state.tsx";

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
  "catalog.changed": "unknown",
  "scan.finished": "unknown",
};

const findingTexts = {
  "finding.opened": "sites.events.finding.opened",
  "finding.resolved": "sites.events.finding.resolved",
  "finding.unstable": "sites.events.finding.unstable",
} as const;

export function SiteTimeline({ events }: { readonly events: readonly StoredEvent[] }) {
  const { i18n } = useDocument();
  return (
    <section aria-labelledby="events">
      <h2 id="events">{i18n.t("sites.events.title")}</h2>
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
    </section>
  );
}

function EventText({ event }: { readonly event: StoredEvent }) {
  const { i18n, texts } = useDocument();
  switch (event.type) {
    case "finding.opened":
    case "finding.resolved":
    case "finding.unstable":
      return <Findings text={i18n.count(findingTexts[event.type], event.data.findings.length)} findings={event.data.findings} />;
    case "site.score_dropped": {
      const { from, to } = event.data;
      return <Title>{i18n.t("sites.events.site.score_dropped", { from: i18n.number(from), to: i18n.number(to) })}</Title>;
    }
    case "certificate.expiring": {
      const { daysLeft, expiresAt } = event.data;
      const day = i18n.date(expiresAt);
      if (daysLeft < 0) return <Title>{i18n.t("sites.events.certificate.expired", { day })}</Title>;
      return <Title>{i18n.count("sites.events.certificate.expiring", daysLeft, { day })}</Title>;
    }
    case "site.unreachable": {
      const { since, errorCode } = event.data;
      return (
        <>
          <Title>{i18n.t("sites.events.site.unreachable", { since: i18n.dateTime(since) })}</Title>
          {errorCode !== null && event.site !== null && <p>{scanErrorMessage(errorCode, event.site.url, i18n.locale, texts)}</p>}
        </>
      );
    }
    case "site.recovered":
      return <Title>{i18n.t("sites.events.site.recovered", { since: i18n.dateTime(event.data.since) })}</Title>;
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
