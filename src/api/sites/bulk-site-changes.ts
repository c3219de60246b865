/** Changes, removes and scans many sites in one request. A site that is refused stops no other. */
import { isObject } from "../../base/is-object.ts";
import { recordIdPattern } from "../../base/record-id.ts";
import { bulkChangeFieldNames, bulkChangeOf, parseBulkChange } from "../../sites/bulk-change.ts";
import type { SiteFault } from "../../sites/site-fields.ts";
import { startSeveral } from "../../sites/start-several.ts";
import { bulkBodyBytesMax } from "../bulk.ts";
import { invalidFields } from "../errors.ts";
import { written } from "../writing.ts";
import {
  type AccountRequest,
  answerJson,
  assertKnownFields,
  assertSomeField,
  readFields,
  type SiteApiSettings,
} from "./account-request.ts";
import { errorBody, listOf } from "./bulk-sites.ts";
import { wordingOf } from "./own-site.ts";
import { runBody, siteBody } from "./site-bodies.ts";
import { fieldErrorsOf, recordNotFound, refuseFaults, runRefused } from "./site-errors.ts";

export function createBulkSiteChanges(settings: SiteApiSettings) {
  const { store, sites, wake, now } = settings;
  const wording = () => wordingOf(settings);
  return { change, remove, scan };

  async function change(given: AccountRequest): Promise<Response> {
    const { account, fields } = await readFields(settings, given, {
      names: ["ids", "change"],
      required: "ids",
      bytesMax: bulkBodyBytesMax,
    });
    const ids = idsOf(fields.ids);
    if (!isObject(fields.change)) throw invalidFields({ change: ["must be an object"] });
    assertKnownFields(fields.change, bulkChangeFieldNames);
    assertSomeField(fields.change, bulkChangeFieldNames, "change");
    const bulkChange = parseBulkChange(fields.change);
    if ("faults" in bulkChange) refuseFaults(bulkChange.faults, wording());
    const faultsOf = new Map<number, readonly SiteFault[]>();
    const changed = await written(() =>
      store.sites.changeAll(account.id, ids, (site) => {
        const siteChange = bulkChangeOf(site, bulkChange, now());
        if (!("faults" in siteChange)) return siteChange;
        faultsOf.set(site.id, siteChange.faults);
        return {};
      }),
    );
    const siteOf = new Map(changed.map((site) => [site.id, site]));
    const items = ids.map((id) => {
      const [site, faults] = [siteOf.get(id), faultsOf.get(id)];
      if (site === undefined) return { id, error: errorBody(recordNotFound("site")) };
      if (faults !== undefined) return { id, error: errorBody(invalidFields(fieldErrorsOf(faults, wording()))) };
      return { id, site: siteBody(site, store.siteRuns.find(id)) };
    });
    sites.wakeClock();
    return answerJson(given, 200, { items });
  }

  async function remove(given: AccountRequest): Promise<Response> {
    const { account, fields } = await readFields(settings, given, { names: ["ids"], required: "ids", bytesMax: bulkBodyBytesMax });
    const ids = idsOf(fields.ids);
    const removed = new Set(await written(() => store.sites.remove(account.id, ids, account.id)));
    const notFound = errorBody(recordNotFound("site"));
    return answerJson(given, 200, { items: ids.map((id) => (removed.has(id) ? { id, removed: true } : { id, error: notFound })) });
  }

  async function scan(given: AccountRequest): Promise<Response> {
    const { account, fields } = await readFields(settings, given, { names: ["ids"], required: "ids", bytesMax: bulkBodyBytesMax });
    const ids = idsOf(fields.ids);
    const runs = await written(() => startSeveral(store, { accountId: account.id, ids, now: now() }));
    const items = ids.map((id, at) => {
      const run = runs[at] ?? "unknown";
      return typeof run === "string" ? { id, error: errorBody(runRefused(run)) } : { id, run: runBody(run) };
    });
    if (runs.some((run) => typeof run !== "string")) wake();
    return answerJson(given, 200, { items });
  }
}

/** Each once. @throws ApiError 400 */
function idsOf(given: unknown): readonly number[] {
  const ids = listOf(given, "ids");
  if (!ids.every((id): id is number => typeof id === "number" && recordIdPattern.test(String(id))))
    throw invalidFields({ ids: ["must be a list of the ids of sites"] });
  return [...new Set(ids)];
}
