/** Starts a scan: `POST /scans`, and the question before readers see a URL with possible secrets. A refusal stands beside its field on the home page. */
import { localLocation } from "../../parse/location.ts";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { startScan } from "../../scans/scan-operations.ts";
import { scansOfAccountPerHourMax } from "../../scans/start-limits.ts";
import { DataDirError } from "../../store/data-dir.ts";
import type { TextPath } from "../../text/translator.ts";
import { ActionForm } from "../components/forms.tsx";
import { PageSection } from "../components/sections.tsx";
import { readForm } from "../form.tsx";
import { homePage, type Refusal } from "../home.tsx";
import { page } from "../page.tsx";
import { redirect } from "../response.ts";
import type { PagesSettings } from "../settings.ts";
import { mayScan, type PageHandler, type Visit } from "../visit.ts";
import { createScanDedup, type DedupOutcome, reusedScanParam } from "./dedup.ts";
import { keptLocation, knownLocation, rememberLocation } from "./form.tsx";
import { readTypedUrl, type TypedUrl } from "./typed-url.ts";

/** `Retry-After` while the queue is full. */
const queueFullRetrySeconds = 30;

/** URL and location: as typed, or in their normal form. */
interface WantedScan {
  readonly url: string;
  readonly location: string;
}

export function createPostScan({ store, config, now }: PagesSettings): PageHandler {
  const startOrReuse = createScanDedup<Refusal>({ store, cooldownSeconds: config["scan.cooldown"], now });

  return async (visit) => {
    const form = await readForm(visit);
    const typed = { url: form.text("url"), location: form.text("location") };
    // The page itself asks guests to sign in.
    if (!mayScan(visit)) return refuse(visit, typed, { status: 403, text: null });
    const location = knownLocation(visit, typed.location);
    if (location === null) return refuse(visit, typed, { status: 400, field: "location", text: visit.i18n.t("location.unknown") });
    rememberLocation(visit, form, location);
    const parsed = readTypedUrl(typed.url);
    if (parsed.kind === "fault") return refuse(visit, typed, { status: 400, text: visit.i18n.t(`home.faults.${parsed.fault}`) });
    if (parsed.kind === "plain") return start(visit, { url: parsed.url, location }, typed);
    // Only a confirmed URL is published with its query; user and password are always removed.
    if (form.text("public") === "yes" && !parsed.credentials && parsed.unstripped !== null)
      return start(visit, { url: parsed.unstripped, location }, typed);
    return publicUrlPage(atHomePage(visit), parsed, location);
  };

  async function start(visit: Visit, wanted: WantedScan, typed: WantedScan): Promise<Response> {
    if (!mayBeScanned(visit, wanted)) return refuse(visit, typed, scanRefused(visit));
    const outcome = await startOrReuse({ visitor: visitorKey(visit), ...wanted }, () => queue(visit, wanted));
    if ("refused" in outcome) return refuse(visit, typed, outcome.refused);
    const { token, status } = outcome.scan;
    return redirect(visit, status === "finished" ? `/scans/${token}?${reusedScanParam}=1` : `/scans/${token}`);
  }

  async function queue(visit: Visit, { url, location }: WantedScan): Promise<DedupOutcome<Refusal>> {
    const { account, requestId, settings } = visit;
    const counted = settings.scanning.limits.countScan(visit);
    if (counted.exceeded) return { refused: rateLimited(visit, counted.resetSeconds) };
    try {
      const started = await startScan(settings, account, { url, location, requestId });
      if ("done" in started) return { scan: started.done };
      return { refused: queueFull(visit.i18n.count("home.queueFull", store.scans.queueLength(location))) };
    } catch (error) {
      if (!(error instanceof DataDirError && error.fault === "full")) throw error;
      return { refused: queueFull(visit.i18n.t("home.storeFull")) };
    }
  }
}

function visitorKey({ account, address }: Visit): string {
  return account === null ? `address ${address}` : `account ${account.id}`;
}

/** The settings of this server say nothing about what a worker elsewhere may reach. */
function mayBeScanned({ settings }: Visit, { url, location }: WantedScan): boolean {
  return location !== localLocation || settings.scanning.mayBeScanned(url);
}

function refuse(visit: Visit, typed: WantedScan, refusal: Refusal): Response {
  return homePage(atHomePage(visit), { typed: typed.url, location: typed.location, refusal });
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
  const accountHelps = account === null && settings.config["guest.rate_per_hour"] < scansOfAccountPerHourMax;
  const wait = i18n.t("home.tooMany.again", { wait: i18n.duration(seconds) });
  const signedIn = accountHelps ? { scansPerHourSignedIn: scansOfAccountPerHourMax } : {};
  return { status: 429, text: `${reason} ${wait}`, retryAfterSeconds: seconds, ...signedIn };
}

function queueFull(text: string): Refusal {
  return { status: 503, text, retryAfterSeconds: queueFullRetrySeconds };
}

type SensitiveUrl = TypedUrl & { readonly kind: "sensitive" };

function publicUrlPage(visit: Visit, { stripped, unstripped, credentials }: SensitiveUrl, location: string): Response {
  const { i18n, settings } = visit;
  const title = i18n.t(`visibility.${settings.config.readers}.url.title`);
  return page(visit, {
    title,
    noIndex: true,
    secret: true,
    children: (
      <>
        <h1>{title}</h1>
        <p class="lead">{i18n.t(`visibility.${settings.config.readers}.url.lead`)}</p>
        {credentials && <p>{i18n.t("publicUrl.credentials")}</p>}
        {unstripped !== null && <p>{i18n.t("publicUrl.query")}</p>}
        <PageSection id="stripped" title="publicUrl.stripped.title">
          <Choice url={stripped} location={location} asPublic={false} submit="publicUrl.stripped.button" />
        </PageSection>
        {unstripped !== null && (
          <PageSection id="kept" title="publicUrl.kept.title">
            <p>{i18n.t(`visibility.${settings.config.readers}.url.warning`)}</p>
            <Choice url={unstripped} location={location} asPublic submit={`visibility.${settings.config.readers}.url.button`} />
          </PageSection>
        )}
        <p>
          <a href="/">{i18n.t("publicUrl.back")}</a>
        </p>
      </>
    ),
  });
}

interface ChoiceProps {
  readonly url: string;
  readonly location: string;
  /** True after the visitor confirmed that everybody will see the URL. */
  readonly asPublic: boolean;
  readonly submit: TextPath;
}

function Choice({ url, location, asPublic, submit }: ChoiceProps) {
  const hidden = { url, ...keptLocation(location), ...(asPublic ? { public: "yes" } : {}) };
  return (
    <ActionForm action="/scans" hidden={hidden} kind={asPublic ? "plain" : "primary"} submit={submit}>
      <p>
        <code class="break">
          <UntrustedText>{url}</UntrustedText>
        </code>
      </p>
    </ActionForm>
  );
}
