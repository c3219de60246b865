/** Schedule of a watched site, as stored. */

export const scheduleIntervals = ["hourly", "daily", "weekly", "monthly"] as const;

export type ScheduleInterval = (typeof scheduleIntervals)[number];

/** How often a site is scanned: an interval, or cron with a time zone. */
export type SiteSchedule = { readonly every: ScheduleInterval } | { readonly cron: string; readonly zone: string };

export const scheduleDefault = { every: "weekly" } as const satisfies SiteSchedule;
