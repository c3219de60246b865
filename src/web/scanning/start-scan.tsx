/** `POST /scans`: starts a scan of the typed URL, or shows the reason for refusal beside the field. */
import { type Counted, createRateLimit } from "../../http/rate-limit.ts";
import { truncatedAddress } from "../../parse/address.ts";
import { DataDirError } from "../../store/data-dir.ts";
import { redirect } from "../answer.tsx";
import { readForm } from "../form.tsx";
import { homePage, type Refusal } from "../home.tsx";
import type { PagesSettings } from "../settings.ts";
import type { PageHandler, Visit } from "../visit.ts";
import { mayScan } from "./may-scan.ts";
import { publicUrlPage } from "./public-url-page.tsx";
import { askedAgain, createScanDedup, type Led } from "./scan-dedup.ts";
import { readTypedUrl } from "./typed-url.ts";

const hourSeconds = 3_600;
/** Far above manual use; the API serves automated use. */
const scansOfAccountPerHourMax = 300;
/** Addresses of one network that may use up the guest limit: one IPv6 customer may have 65,536. */
const guestsOfNeighbourhoodMax = 5;
/** `Retry-After` while the queue is full. */
const roomRetrySeconds = 30;

export function createPostScan({ store, scanning: { guests, cooldownSeconds }, now }: PagesSettings): PageHandler {
  const nowMs = () => now().getTime();
  const perHour = (requestsMax: number) => createRateLimit({ requestsMax, windowSeconds: hourSeconds }, nowMs);
  const countAddress = perHour(guests.scansPerHourMax);
  const countNeighbourhood = perHour(guests.scansPerHourMax * guestsOfNeighbourhoodMax);
  const countAccount = perHour(scansOfAccountPerHourMax);
  const wishes = createScanDedup<Refusal>({ store, cooldownSeconds, now });

  return async (visit) => {
    const form = await readForm(visit);
    const typed = form.text("url");
    // The page itself asks guests to sign in.
    if (!mayScan(visit)) return refuse(visit, typed, { status: 403, text: null });
    const wish = readTypedUrl(typed);
    if (wish.kind === "fault") return refuse(visit, typed, { status: 400, text: visit.i18n.t(`home.faults.${wish.fault}`) });
    if (wish.kind === "plain") return start(visit, wish.url, typed);
    // Only a confirmed URL is published with its query; user and password are always removed.
    if (form.text("public") === "yes" && !wish.credentials && wish.kept !== null) return start(visit, wish.kept, typed);
    return publicUrlPage(atHome(visit), wish);
  };

  async function start(visit: Visit, url: string, typed: string): Promise<Response> {
    if (!visit.settings.scanning.mayBeScanned(url)) return refuse(visit, typed, shut(visit));
    const led = await wishes.lead(visitorOf(visit), url, () => queue(visit, url));
    if ("refused" in led) return refuse(visit, typed, led.refused);
    const { token, status } = led.scan;
    return redirect(visit, status === "finished" ? `/scans/${token}?${askedAgain}=1` : `/scans/${token}`);
  }

  /** Counts the address first: a client over its own limit must not use up the limit of its network. */
  function countGuest({ address }: Visit): Counted {
    const own = countAddress(address);
    return own.exceeded ? own : countNeighbourhood(truncatedAddress(address));
  }

  async function queue(visit: Visit, url: string): Promise<Led<Refusal>> {
    const { account, now, settings } = visit;
    const counted = account === null ? countGuest(visit) : countAccount(visitorOf(visit));
    if (counted.exceeded) return { refused: tooMany(visit, counted.resetSeconds) };
    try {
      const scan = await store.scans.queue({ accountId: account?.id ?? null, url, now });
      if (scan === "full") return { refused: noRoom(visit.i18n.count("home.queueFull", store.scans.queueLength())) };
      settings.scanning.wake();
      return { scan };
    } catch (error) {
      if (!(error instanceof DataDirError && error.fault === "full")) throw error;
      return { refused: noRoom(visit.i18n.t("home.storeFull")) };
    }
  }
}

function visitorOf({ account, address }: Visit): string {
  return account === null ? `address ${address}` : `account ${account.id}`;
}

function refuse(visit: Visit, typed: string, refusal: Refusal): Response {
  return homePage(atHome(visit), { typed, refusal });
}

/** Moves the visit to `/`: links such as the language switch need a GET URL. */
function atHome(visit: Visit): Visit {
  return { ...visit, url: new URL("/", visit.url) };
}

/** Administrators also see which setting to change. */
function shut({ i18n, account }: Visit): Refusal {
  const settings = account?.admin === true ? ` ${i18n.t("home.shutSettings")}` : "";
  return { status: 400, text: `${i18n.t("home.shut")}${settings}` };
}

function tooMany({ i18n, account, settings }: Visit, seconds: number): Refusal {
  const what = i18n.t(account === null ? "home.tooMany.guest" : "home.tooMany.account");
  const accountHelps = account === null && settings.scanning.guests.scansPerHourMax < scansOfAccountPerHourMax;
  const how = accountHelps ? ` ${i18n.t("home.tooMany.withAccount")}` : "";
  const wait = i18n.t("home.tooMany.again", { wait: i18n.duration(seconds) });
  return { status: 429, text: `${what} ${wait}${how}`, retryAfterSeconds: seconds };
}

function noRoom(text: string): Refusal {
  return { status: 503, text, retryAfterSeconds: roomRetrySeconds };
}
