/** Clients of the account: the names under which its sites are watched. */
import type { Site } from "../../store/sites.ts";
import { callingAccount } from "../own-scan.ts";
import { type AccountRequest, answerJson } from "../sites/account-request.ts";
import { type AgencyApiSettings, clientsPath } from "./agency-settings.ts";

export function createClientHandlers({ store }: AgencyApiSettings) {
  return { list };

  function list(given: AccountRequest): Response {
    const byClient = Map.groupBy(store.sites.list(callingAccount(given.requestContext).id), ({ client }) => client);
    const items = [...byClient].flatMap(([client, sites]) => (client === null ? [] : clientBody(client, sites)));
    return answerJson(given, 200, { items: items.toSorted((one, other) => (one.name < other.name ? -1 : 1)) });
  }
}

function clientBody(name: string, sites: readonly Site[]) {
  const readings = sites.flatMap(({ reading }) => reading ?? []);
  return {
    name,
    siteCount: sites.length,
    measuredCount: readings.length,
    score: readings.length === 0 ? null : Math.min(...readings.map(({ score }) => score)),
    open: readings.length === 0 ? null : readings.reduce((sum, { open }) => sum + open, 0),
    certificateExpiresAt: readings.flatMap(({ certificateExpiresAt }) => certificateExpiresAt ?? []).sort()[0] ?? null,
    reportUrl: `${clientsPath}/${encodeURIComponent(name)}/report.pdf`,
  };
}
