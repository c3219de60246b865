/** The agencies of the first-day test, one in each language, and their sites. */
import type { Locale } from "../../../src/check/check.ts";
import { scheduleDefault } from "../../../src/parse/site-csv.ts";
import { nextRunAfter, scheduleKeyOf } from "../../../src/sites/schedule.ts";

/** Longer than the whole test by the clock of the server. */
export const quietHours = 24;

export interface AgencyDay {
  readonly locale: Locale;
  /** Id of the account in the new store. */
  readonly accountId: number;
  readonly email: string;
  readonly hosts: readonly string[];
}

export const dayStart = new Date();

/** URL of a site, as it is stored. */
export const siteUrlOf = (host: string) => `https://${host}/`;

export const agencyDays: readonly AgencyDay[] = [
  { locale: "en-gb", accountId: 1, email: "owner@agency.test", hosts: hostsNamed("shop", 50, 1) },
  { locale: "de-de", accountId: 2, email: "chefin@agentur.test", hosts: hostsNamed("laden", 4, 2) },
];

/** The site that gets worse. */
export const brokenHostOf = ({ hosts }: AgencyDay) => hosts[1] ?? "";

/** Hosts whose regular run is not near: so only the runs that the test speaks of take place, at each hour of the week. */
function hostsNamed(prefix: string, count: number, accountId: number): readonly string[] {
  const hosts: string[] = [];
  for (let at = 1; hosts.length < count; at++) {
    const host = `${prefix}${at}.test`;
    const regular = nextRunAfter(scheduleDefault, scheduleKeyOf({ accountId, url: siteUrlOf(host) }), dayStart);
    if (regular.getTime() - dayStart.getTime() > quietHours * 3_600_000) hosts.push(host);
  }
  return hosts;
}
