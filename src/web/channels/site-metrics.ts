/** `/metrics/sites`: figures of the watched sites of one account, for a monitoring system with the token of the account. */
import { type SiteFigures, siteMetricsText } from "../../metrics/site-metrics.ts";
import type { Site } from "../../store/sites.ts";
import { respond } from "../response.ts";
import type { PageHandler, Visit } from "../visit.ts";

export const siteMetricsPath = "/metrics/sites";
/** Sites of one answer, those that were added first. No plan includes more. */
const sitesMax = 1_000;
const bearer = /^bearer +(\S{1,200}) *$/i;

export const getSiteMetrics: PageHandler = async (visit) => {
  const { request, settings } = visit;
  const { store } = settings;
  const value = bearer.exec(request.headers.get("authorization") ?? "")?.[1];
  const accountId = value === undefined ? undefined : store.metricsTokens.accountOf(value);
  const account = accountId === undefined ? undefined : store.accounts.findById(accountId);
  if (account === undefined || account.disabled) return unauthorized(visit);
  const { contentType, text } = await siteMetricsText(store.sites.list(account.id).slice(0, sitesMax).map(figuresOf));
  return respond(visit, 200, text, { "content-type": contentType, "cache-control": "no-store" });
};

/** The same answer without a token, with an unknown one, and for a disabled account. */
function unauthorized(visit: Visit): Response {
  return respond(visit, 401, "A token for the metrics of an account is required.\n", {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "www-authenticate": 'Bearer realm="assay"',
  });
}

function figuresOf({ id, name, url, client, reading, lastRunAt }: Site): SiteFigures {
  return {
    id,
    name,
    url,
    client: client ?? "",
    score: reading?.score ?? null,
    openFindings: reading?.open ?? null,
    certificateExpiresAt: reading?.certificateExpiresAt ?? null,
    lastRunAt,
  };
}
