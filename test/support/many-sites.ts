/** An account with many watched sites in all states, without their runs. */
import { dayMs } from "../../src/base/units.ts";
import { standing } from "../../src/judge/result.ts";
import { courseDays, type DayScore, type SiteChange } from "../../src/store/sites.ts";
import type { Store } from "../../src/store/store.ts";
import { newSite } from "./watched-sites.ts";

const clients = 60;
const trendLength = 20;

interface ManySites {
  readonly accountId: number;
  readonly count: number;
  readonly now: Date;
  /** Every such site waits for its first run; none by default. */
  readonly dueOf?: number;
}

/** Returns their ids. Scores, courses and days of certificates differ from site to site. */
export async function addManySites(
  store: Store,
  { accountId, count, now, dueOf = Number.POSITIVE_INFINITY }: ManySites,
): Promise<readonly number[]> {
  const added = await store.sites.add(
    Array.from({ length: count }, (_none, at) =>
      newSite({
        accountId,
        url: `https://www.customer-number-${at}.example/${at % 4 === 0 ? "shop/" : ""}`,
        name: at % 3 === 0 ? `www.customer-number-${at}.example` : `Web site of customer ${at}`,
        client: `Client ${at % clients} Ltd`,
        tags: ["live", at % 2 === 0 ? "shop" : "blog"],
        now,
      }),
    ),
    count,
  );
  const ids = added.flatMap((site) => (typeof site === "string" ? [] : [site.id]));
  await store.sites.changeAll(accountId, ids, ({ id }) => (id % dueOf === 0 ? { nextRunAt: now.toISOString() } : stateOf(id, now)));
  return ids;
}

function stateOf(id: number, now: Date): SiteChange {
  const score = (id * 37) % 101;
  const at = new Date(now.getTime() - (id % 7) * dayMs).toISOString();
  const today = Math.floor(now.getTime() / dayMs);
  const course = Array.from({ length: courseDays + 1 }, (_none, day): DayScore => {
    return [today - courseDays + day, Math.min(100, Math.max(0, score + (((day - courseDays) * (id % 3)) % 20)))];
  });
  const isPaused = id % 23 === 0;
  return {
    lastRunAt: at,
    paused: isPaused,
    nextRunAt: isPaused ? null : new Date(now.getTime() + ((id % 7) + 1) * dayMs).toISOString(),
    failingSince: id % 19 === 0 ? at : null,
    trend: course.slice(-trendLength).map(([, each]) => each),
    course,
    reading: {
      token: `${id}`.padStart(22, "t"),
      at,
      score,
      ...standing(score),
      open: id % 30,
      certificateExpiresAt: new Date(now.getTime() + ((id % 120) - 3) * dayMs).toISOString(),
      ...(id % 29 === 0 ? { unconfirmed: id % 5 } : {}),
    },
  };
}
