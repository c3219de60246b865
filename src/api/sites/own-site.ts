/** Sites that the caller may read and change. */
import { recordIdOf } from "../../base/record-id.ts";
import type { SiteFault } from "../../sites/site-fields.ts";
import type { Site, SiteChange } from "../../store/sites.ts";
import type { Store } from "../../store/store.ts";
import { callingAccount } from "../own-scan.ts";
import { written } from "../writing.ts";
import type { AccountRequest, SiteApiSettings } from "./account-request.ts";
import { type FaultWording, recordNotFound, refuseFaults, siteUrlTaken } from "./site-errors.ts";

/** A worker may be revoked at any time, so the names are read for each request. */
export function wordingOf({ locations }: SiteApiSettings): FaultWording {
  return { locations: locations.names() };
}

/** @throws ApiError 404, the same for a site of another account. */
export function ownSite({ sites }: Pick<Store, "sites">, { params, requestContext }: AccountRequest): Site {
  const site = sites.find(callingAccount(requestContext).id, recordIdOf(params.id));
  if (site === undefined) throw recordNotFound("site");
  return site;
}

/** `changeOf` sees the site as it is stored then; its faults change nothing. @throws ApiError 400, 404, 409, 503 */
export async function changeSite(
  settings: SiteApiSettings,
  { requestContext }: AccountRequest,
  id: number,
  changeOf: (site: Site) => SiteChange | { readonly faults: readonly SiteFault[] },
): Promise<Site> {
  let faults: readonly SiteFault[] = [];
  const changed = await written(() =>
    settings.store.sites.change(callingAccount(requestContext).id, id, (site) => {
      const siteChange = changeOf(site);
      if (!("faults" in siteChange)) return siteChange;
      faults = siteChange.faults;
      return {};
    }),
  );
  if (faults.length > 0) refuseFaults(faults, wordingOf(settings));
  if (changed === undefined) throw recordNotFound("site");
  if (changed === "url-taken") throw siteUrlTaken();
  return changed;
}
