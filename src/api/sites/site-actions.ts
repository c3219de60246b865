/** What belongs to one site: scans by hand, events, history, accepted findings. */
import { acceptedChange } from "../../sites/acceptances.ts";
import { acceptedWith, parseAcceptance } from "../../sites/site-fields.ts";
import { acceptedFindingsMax } from "../../store/sites.ts";
import { written } from "../writing.ts";
import {
  type AccountRequest,
  answerJson,
  answerNothing,
  answerPage,
  pageRequestOf,
  readFields,
  type SiteApiSettings,
} from "./account-request.ts";
import { changeSite, ownSite, wordingOf } from "./own-site.ts";
import { eventBody, historyBody, runBody } from "./site-bodies.ts";
import { recordNotFound, recordsExceeded, refuseFaults, runRefused } from "./site-errors.ts";

export function createSiteActions(settings: SiteApiSettings) {
  const { store, wake, now } = settings;
  return { scan, events, history, accept, unaccept };

  async function scan(given: AccountRequest): Promise<Response> {
    const { accountId, id } = ownSite(store, given);
    const run = await written(() => store.siteRuns.start({ accountId, siteId: id, kind: "manual", now: now() }));
    if (typeof run === "string") throw runRefused(run);
    wake();
    return answerJson(given, 202, runBody(run));
  }

  function events(given: AccountRequest): Response {
    const { accountId, id } = ownSite(store, given);
    return answerPage(given, store.events.pageOfSite(accountId, id, pageRequestOf(given.request)), eventBody);
  }

  function history(given: AccountRequest): Response {
    return answerJson(given, 200, { items: store.siteRuns.history(ownSite(store, given).id).map(historyBody) });
  }

  async function accept(given: AccountRequest): Promise<Response> {
    const { id } = ownSite(store, given);
    const { fields } = await readFields(settings, given, { names: ["reason", "until"], required: "reason" });
    const acceptance = parseAcceptance(given.params.code, fields, now());
    if ("faults" in acceptance) refuseFaults(acceptance.faults, wordingOf(settings));
    let isFull = false;
    await changeSite(settings, given, id, (site) => {
      const accepted = acceptedWith(site, acceptance);
      isFull = accepted === null;
      return accepted === null ? {} : acceptedChange(site, accepted, store.siteRuns.state(id), now());
    });
    if (isFull) throw recordsExceeded("accepted findings of a site", acceptedFindingsMax);
    return answerJson(given, 200, acceptance);
  }

  async function unaccept(given: AccountRequest): Promise<Response> {
    const { id } = ownSite(store, given);
    const { code } = given.params;
    let isKnown = false;
    await changeSite(settings, given, id, (site) => {
      const accepted = site.accepted.filter((one) => one.code !== code);
      isKnown = accepted.length < site.accepted.length;
      return acceptedChange(site, accepted, store.siteRuns.state(id), now());
    });
    if (!isKnown) throw recordNotFound("acceptance");
    return answerNothing(given);
  }
}
