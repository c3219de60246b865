/** Adds many sites in one request, from JSON or CSV. A line that is refused stops no other. */
import { planTerms } from "../../account/plans.ts";
import { isObject } from "../../base/is-object.ts";
import { readBytes } from "../../http/request-body.ts";
import { csvBytesMax, decodeCsv, parseSiteCsv } from "../../parse/site-csv.ts";
import { parseSiteFields, siteFieldNames } from "../../sites/site-fields.ts";
import { plannedSite } from "../../sites/site-planning.ts";
import type { Account } from "../../store/accounts.ts";
import type { NewSite, Site, SiteRefusal } from "../../store/sites.ts";
import { bulkBodyBytesMax } from "../bulk.ts";
import { ApiError, bodyTooLarge, invalidBody, invalidFields } from "../errors.ts";
import { stillCalling, written } from "../writing.ts";
import { type AccountRequest, answerJson, assertKnownFields, onceOrNull, readFields, type SiteApiSettings } from "./account-request.ts";
import { wordingOf } from "./own-site.ts";
import { addedSiteBody } from "./site-bodies.ts";
import { csvLineFaultText, fieldErrorsOf, invalidCsv, sitesExceeded, siteUrlTaken } from "./site-errors.ts";

/** Sites of one request. */
export const bulkSitesMax = 1_000;
const linesAtOnce = 20;

/** A line of the request: the fields of a site, or why it has none. */
interface GivenLine {
  /** Number of the line in a CSV file, from 1; null for JSON. */
  readonly line: number | null;
  readonly fields: object | ApiError;
}

export function createBulkSites(settings: SiteApiSettings) {
  const { store, sites, now } = settings;
  const wording = () => wordingOf(settings);
  return { add };

  async function add(given: AccountRequest): Promise<Response> {
    const dryRun = dryRunOf(given.request);
    const { account, lines } = await readLines(settings, given);
    const planned = await plannedLines(lines, account);
    const valid = planned.filter((each) => !(each instanceof ApiError)) as readonly NewSite[];
    const { sites: sitesMax } = planTerms[account.plan];
    const outcomes = dryRun
      ? store.sites.preview(valid, sitesMax).map((refusal, at) => refusal ?? (valid[at] as NewSite))
      : await written(() => store.sites.add(valid, sitesMax));
    const outcomeOf = new Map(valid.map((site, at) => [site, outcomes[at]]));
    const items = planned.map((each, index) => {
      const outcome = each instanceof ApiError ? each : errorOf(outcomeOf.get(each) ?? "full", account);
      const place = { index, line: lines[index]?.line ?? null };
      // A refused URL is not quoted: it may hold a password.
      if (outcome instanceof ApiError) return { ...place, url: each instanceof ApiError ? null : each.url, error: errorBody(outcome) };
      return { ...place, url: outcome.url, site: addedSiteBody(outcome) };
    });
    if (!dryRun) sites.wakeClock();
    return answerJson(given, 200, { dryRun, items });
  }

  /** Lets other requests in between: a pattern of cron can take milliseconds. */
  async function plannedLines(lines: readonly GivenLine[], account: Account): Promise<readonly (NewSite | ApiError)[]> {
    const planned: (NewSite | ApiError)[] = [];
    for (const { fields } of lines) {
      planned.push(plannedOrError(fields, account));
      if (planned.length % linesAtOnce === 0) await Bun.sleep(0);
    }
    return planned;
  }

  function plannedOrError(fields: object | ApiError, account: Account): NewSite | ApiError {
    if (fields instanceof ApiError) return fields;
    const parsed = parseSiteFields(fields, wording());
    if ("faults" in parsed) return invalidFields(fieldErrorsOf(parsed.faults, wording()));
    return plannedSite(parsed, account.id, now());
  }
}

/** @throws ApiError 413, 400, 401 */
async function readLines(
  settings: SiteApiSettings,
  given: AccountRequest,
): Promise<{ readonly account: Account; readonly lines: readonly GivenLine[] }> {
  const mediaType = given.request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (mediaType === "text/csv") {
    const bytes = await readBytes(given.request, csvBytesMax);
    if (bytes === "too-long") throw bodyTooLarge(csvBytesMax);
    return { account: stillCalling(settings.store, given, settings.now()), lines: csvLines(bytes) };
  }
  const { account, fields } = await readFields(settings, given, { names: ["sites"], required: "sites", bytesMax: bulkBodyBytesMax });
  return { account, lines: listOf(fields.sites, "sites").map((each) => ({ line: null, fields: fieldsOf(each) })) };
}

function csvLines(bytes: Uint8Array): readonly GivenLine[] {
  const parsed = parseSiteCsv(decodeCsv(bytes));
  if ("fault" in parsed) throw invalidCsv(parsed.fault);
  return parsed.lines.map((each) => ({
    line: each.line,
    fields: each.site ?? new ApiError(400, csvLineFaultText("fault" in each ? each.fault : "too-long")),
  }));
}

function fieldsOf(given: unknown): object | ApiError {
  try {
    if (!isObject(given)) return invalidBody("must have an object for each site", "url");
    assertKnownFields(given, siteFieldNames);
    return given;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function errorOf(outcome: Site | NewSite | SiteRefusal, { plan }: Account): Site | NewSite | ApiError {
  if (outcome === "url-taken") return siteUrlTaken();
  return outcome === "full" ? sitesExceeded(plan, planTerms[plan].sites) : outcome;
}

export function errorBody({ status, message, fieldErrors }: ApiError): object {
  return { status, errorMessage: message, fieldErrors };
}

/** @throws ApiError 400 */
function dryRunOf({ url }: Request): boolean {
  const value = onceOrNull(new URL(url).searchParams, "dryRun");
  if (value !== null && value !== "true" && value !== "false") throw invalidFields({ dryRun: ["must be true or false"] });
  return value === "true";
}

/** @throws ApiError 400 */
export function listOf(given: unknown, field: string): readonly unknown[] {
  if (given === undefined) throw invalidFields({ [field]: ["is required"] });
  if (!Array.isArray(given)) throw invalidFields({ [field]: ["must be a list"] });
  if (given.length === 0 || given.length > bulkSitesMax) throw invalidFields({ [field]: [`must have 1 to ${bulkSitesMax} entries`] });
  return given;
}
