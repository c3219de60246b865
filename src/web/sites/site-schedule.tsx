/** Schedule of a watched site in words, with its next runs. */
import type { SiteSchedule } from "../../parse/site-csv.ts";
import { Instant } from "../../report/components/labels.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import { shownRunsOf } from "../../sites/schedule.ts";
import type { Site } from "../../store/sites.ts";
import { useVisit } from "../context.ts";

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

export function SiteScheduleSection({ site }: { readonly site: Site }) {
  const { i18n, now } = useVisit();
  return (
    <section aria-labelledby="schedule">
      <h2 id="schedule">{i18n.t("sites.schedule.title")}</h2>
      <p>
        <ScheduleText schedule={site.schedule} />
      </p>
      {site.paused || site.nextRunAt === null ? (
        <p>{i18n.t("sites.schedule.paused")}</p>
      ) : (
        <NextRuns runs={plannedRuns(site, now)} label={i18n.t("sites.schedule.next")} />
      )}
      {site.secondLookAt !== null && (
        <p>
          {i18n.t("sites.schedule.secondLook")} <Instant at={site.secondLookAt} />
        </p>
      )}
    </section>
  );
}

/** A run that is due waits for its turn, so its time is left out. */
function plannedRuns(site: Site, now: Date): readonly (Date | null)[] {
  return shownRunsOf(site).map((at) => (Date.parse(at) <= now.getTime() ? null : new Date(at)));
}

interface NextRunsProps {
  readonly label: string;
  /** Null: as soon as there is a turn. */
  readonly runs: readonly (Date | null)[];
}

export function NextRuns({ label, runs }: NextRunsProps) {
  const i18n = useI18n();
  return (
    <>
      <p>{label}</p>
      <ol>
        {runs.map((run) => (
          <li key={String(run?.getTime())}>{run === null ? i18n.t("sites.schedule.due") : <Instant at={run.toISOString()} />}</li>
        ))}
      </ol>
    </>
  );
}
