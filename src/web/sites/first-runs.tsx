/** Progress of the first runs after an import, above the list of watched sites. */
import { minuteMs } from "../../base/units.ts";
import { Notice } from "../../report/components/notice.tsx";
import { awaitsFirstRun } from "../../sites/waiting-runs.ts";
import type { Site } from "../../store/sites.ts";
import { useVisit } from "../context.ts";
import { usualDurationMs } from "../scans/state.ts";
import type { SharedVisit } from "../visit.ts";

/** Sites that were added no longer before those that wait count as done together with them. */
const togetherMs = 10 * minuteMs;
const progressId = "first-runs";

/** Null unless a first run waits or is under way. `running`: ids of sites with a run. */
export function FirstRuns({ sites, running }: { readonly sites: readonly Site[]; readonly running: ReadonlySet<number> }) {
  const visit = useVisit();
  const { i18n, now } = visit;
  const pending = sites.filter((site) => awaitsFirstRun(site, running.has(site.id), now));
  if (pending.length === 0) return null;
  const sinceMs = Math.min(...pending.map(({ createdAt }) => Date.parse(createdAt))) - togetherMs;
  const all = sites.filter(({ createdAt }) => Date.parse(createdAt) >= sinceMs).length;
  const waitMs = firstRunsMs(visit, pending);
  const done = { done: i18n.number(all - pending.length), all: i18n.number(all) };
  return (
    <Notice>
      <p>
        <label for={progressId}>
          {waitMs === null
            ? i18n.count("sites.first.begun", all)
            : i18n.count("sites.first.timed", all, { wait: i18n.duration(Math.max(1, waitMs / 1_000)) })}
        </label>{" "}
        <span class="muted">{i18n.t("sites.first.done", done)}</span>
      </p>
      <progress id={progressId} max={all} value={all - pending.length} />
    </Notice>
  );
}

/** Null before any scan of the location has ended. */
function firstRunsMs({ settings }: Pick<SharedVisit, "settings">, pending: readonly Site[]): number | null {
  const need = settings.sites.waitingRuns().firstRunsNeed(pending);
  if (need === null) return null;
  const { location, durations, slots } = need;
  const usualMs = usualDurationMs(settings.store, location);
  return settings.scanning.progress.waitMs(durations * slots, location) ?? (usualMs === null ? null : durations * usualMs);
}
