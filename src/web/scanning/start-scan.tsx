/** `POST /scans`: starts a scan of the typed URL, or shows the reason for refusal beside the field. */
import { type Counted, createRateLimit } from "../../http/rate-limit.ts";
import { truncatedAddress } from "../../parse/address.ts";
import { localLocation } from "../../parse/location.ts";
import { DataDirError } from "../../store/data-dir.ts";
import { readForm } from "../form.tsx";
import { homePage, type Refusal } from "../home.tsx";
import { redirect } from "../response.ts";
import type { PagesSettings } from "../settings.ts";
import type { PageHandler, Visit } from "../visit.ts";
import { mayScan } from "../visit.ts";
import { publicUrlPage } from "./public-url-page.tsx";
import { createScanDedup, type DedupOutcome, reusedScanParam } from "./scan-dedup.ts";
import { readTypedUrl } from "./typed-url.ts";

const hourSeconds = 3_600;
/** Far above manual use; the API serves automated use. */
const scansOfAccountPerHourMax = 300;
/** Addresses of one network that may use up the guest limit: one IPv6 customer may have 65,536. */
const guestsPerNetworkMax = 5;
/** `Retry-After` while the queue is full. */
const queueFullRetrySeconds = 30;

export function createPostScan({ store, scanning: { guests, cooldownSeconds }, now }: PagesSettings): PageHandler {
  const nowMs = () => now().getTime();
  const perHour = (requestsMax: number) => createRateLimit({ requestsMax, windowSeconds: hourSeconds }, nowMs);
  const countAddress = perHour(guests.scansPerHourMax);
  const countNetwork = perHour(guests.scansPerHourMax * guestsPerNetworkMax);
  const countAccount = perHour(scansOfAccountPerHourMax);
  const dedup = createScanDedup<Refusal>({ store, cooldownSeconds, now });

  return async (visit) => {
    const form = await readForm(visit);
    const typed = form.text("url");
    // The page itself asks guests to sign in.
    if (!mayScan(visit)) return refuse(visit, typed, { status: 403, text: null });
    const parsed = readTypedUrl(typed);
    if (parsed.kind === "fault") return refuse(visit, typed, { status: 400, text: visit.i18n.t(`home.faults.${parsed.fault}`) });
    if (parsed.kind === "plain") return start(visit, parsed.url, typed);
    // Only a confirmed URL is published with its query; user and password are always removed.
    if (form.text("public") === "yes" && !parsed.credentials && parsed.unstripped !== null) return start(visit, parsed.unstripped, typed);
    return publicUrlPage(atHomePage(visit), parsed);
  };

  async function start(visit: Visit, url: string, typed: string): Promise<Response> {
    if (!visit.settings.scanning.mayBeScanned(url)) return refuse(visit, typed, scanRefused(visit));
    const outcome = await dedup.startOrReuse({ visitor: visitorKey(visit), url, location: localLocation }, () => queue(visit, url));
    if ("refused" in outcome) return refuse(visit, typed, outcome.refused);
    const { token, status } = outcome.scan;
    return redirect(visit, status === "finished" ? `/scans/${token}?${reusedScanParam}=1` : `/scans/${token}`);
  }

  /** Counts the address first: a client over its own limit must not use up the limit of its network. */
  function countGuest({ address }: Visit): Counted {
    const byAddress = countAddress(address);
    return byAddress.exceeded ? byAddress : countNetwork(truncatedAddress(address));
  }

  async function queue(visit: Visit, url: string): Promise<DedupOutcome<Refusal>> {
    const { account, now, settings } = visit;
    const counted = account === null ? countGuest(visit) : countAccount(visitorKey(visit));
    if (counted.exceeded) return { refused: rateLimited(visit, counted.resetSeconds) };
    try {
      const scan = await store.scans.queue({ accountId: account?.id ?? null, url, now });
      if (scan === "full") return { refused: queueFull(visit.i18n.count("home.queueFull", store.scans.queueLength(localLocation))) };
      settings.scanning.wake();
      return { scan };
    } catch (error) {
      if (!(error instanceof DataDirError && error.fault === "full")) throw error;
      return { refused: queueFull(visit.i18n.t("home.storeFull")) };
    }
  }
}

function visitorKey({ account, address }: Visit): string {
  return account === null ? `address ${address}` : `account ${account.id}`;
}

function refuse(visit: Visit, typed: string, refusal: Refusal): Response {
  return homePage(atHomePage(visit), { typed, refusal });
}

/** Moves the visit to `/`: links such as the language switch need a GET URL. */
function atHomePage(visit: Visit): Visit {
  return { ...visit, url: new URL("/", visit.url) };
}

/** Administrators also see which setting to change. */
function scanRefused({ i18n, account }: Visit): Refusal {
  const settings = account?.admin === true ? ` ${i18n.t("home.shutSettings")}` : "";
  return { status: 400, text: `${i18n.t("home.shut")}${settings}` };
}

function rateLimited({ i18n, account, settings }: Visit, seconds: number): Refusal {
  const reason = i18n.t(account === null ? "home.tooMany.guest" : "home.tooMany.account");
  const accountHelps = account === null && settings.scanning.guests.scansPerHourMax < scansOfAccountPerHourMax;
  const wait = i18n.t("home.tooMany.again", { wait: i18n.duration(seconds) });
  const signedIn = accountHelps ? { scansPerHourSignedIn: scansOfAccountPerHourMax } : {};
  return { status: 429, text: `${reason} ${wait}`, retryAfterSeconds: seconds, ...signedIn };
}

function queueFull(text: string): Refusal {
  return { status: 503, text, retryAfterSeconds: queueFullRetrySeconds };
}
