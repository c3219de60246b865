/** Running and queued scans with their ages, of all locations. */
import { localLocation } from "../../parse/location.ts";
import { hostOf } from "../../parse/site.ts";
import { Instant, MarkedText } from "../../report/components/labels.tsx";
import { DataTable } from "../../report/components/layout.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanRecord } from "../../store/scans.ts";
import type { Store } from "../../store/store.ts";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { scanNotFoundPage } from "../errors.ts";
import { Form } from "../form.tsx";
import type { PostFor } from "../guards.ts";
import { redirect } from "../response.ts";
import { workerStateOf } from "./workers.tsx";

/** Queued scans that are listed; the rest are counted. */
const waitingShownMax = 20;
const urlCharsMax = 200;
const cancellations = ["cancelled", "over"] as const;

export function AdminQueue() {
  const { i18n, url, settings } = useVisit();
  const { store } = settings;
  const done = cancellations.find((each) => each === url.searchParams.get("done"));
  const running = store.scans.listRunning();
  const remote = [...store.workers.locations(), ...store.scans.queuedLocations(), ...running.map(scanLocationOf)];
  const locations = [...new Set([localLocation, ...remote.toSorted()])];
  const waiting = nextScans(store, locations);
  const waitingCount = store.scans.queueLength();
  const shown = { hasLocations: locations.length > 1 };
  return (
    <section id="queue" aria-labelledby="queue-title">
      <h2 id="queue-title">{i18n.t("admin.queue.title")}</h2>
      {done !== undefined && (
        <Notice kind={done === "cancelled" ? "good" : "warn"} alert>
          {i18n.t(`admin.queue.done.${done}`)}
        </Notice>
      )}
      <p>
        {i18n.count("admin.queue.running", running.length)} {i18n.count("admin.queue.waiting", waitingCount)}
      </p>
      {shown.hasLocations && <QueueLocations locations={locations} running={running} />}
      {running.length > 0 && <Scans {...shown} caption={i18n.t("admin.queue.runningCaption")} scans={running} inHand />}
      {waiting.length > 0 && <Scans {...shown} caption={i18n.t("admin.queue.waitingCaption")} scans={waiting} inHand={false} />}
      {waitingCount > waiting.length && <p>{i18n.count("admin.queue.more", waitingCount - waiting.length)}</p>}
    </section>
  );
}

/** The next scans of each location, so that none hides behind the queue of another. */
function nextScans({ scans }: Store, locations: readonly string[]): readonly ScanRecord[] {
  const eachMax = Math.max(1, Math.floor(waitingShownMax / locations.length));
  return locations.flatMap((location) => scans.listQueued(eachMax, location)).slice(0, waitingShownMax);
}

interface ScansProps {
  readonly caption: string;
  readonly scans: readonly ScanRecord[];
  readonly inHand: boolean;
  readonly hasLocations: boolean;
}

function Scans({ caption, scans, inHand, hasLocations }: ScansProps) {
  const { i18n } = useVisit();
  const location = {
    label: i18n.t("location.label"),
    cell: (scan: ScanRecord) => <LocationName location={scanLocationOf(scan)} />,
  };
  const progress = {
    label: i18n.t("admin.queue.progress"),
    numeric: true,
    cell: ({ progressPercent }: ScanRecord) => i18n.t("admin.queue.percent", { percent: i18n.number(progressPercent) }),
  };
  return (
    <DataTable
      caption={caption}
      rows={scans}
      columns={[
        {
          label: i18n.t("admin.queue.url"),
          cell: ({ token, url }) => (
            <a href={`/scans/${token}`}>
              <UntrustedText charsMax={urlCharsMax}>{url}</UntrustedText>
            </a>
          ),
        },
        ...(hasLocations ? [location] : []),
        { label: i18n.t("admin.queue.by"), cell: (scan) => <Owner scan={scan} /> },
        {
          label: i18n.t(inHand ? "admin.queue.started" : "admin.queue.queued"),
          cell: ({ createdAt, startedAt }) => <Instant at={inHand ? (startedAt ?? createdAt) : createdAt} />,
        },
        ...(inHand ? [progress] : []),
        { label: i18n.t("admin.queue.cancelColumn"), cell: (scan) => <AdminCancelScan scan={scan} /> },
      ]}
    />
  );
}

function Owner({ scan: { accountId } }: { readonly scan: ScanRecord }) {
  const { i18n, settings } = useVisit();
  const owner = accountId === null ? undefined : settings.store.accounts.findById(accountId);
  return owner === undefined ? i18n.t("admin.queue.guest") : <UntrustedText>{owner.email}</UntrustedText>;
}

interface QueueLocationsProps {
  readonly locations: readonly string[];
  readonly running: readonly ScanRecord[];
}

function QueueLocations({ locations, running }: QueueLocationsProps) {
  const { i18n, settings } = useVisit();
  const { scans } = settings.store;
  return (
    <DataTable
      caption={i18n.t("admin.queue.locations")}
      rows={locations}
      columns={[
        { label: i18n.t("location.label"), cell: (location) => <LocationName location={location} /> },
        {
          label: i18n.t("admin.queue.runningCaption"),
          numeric: true,
          cell: (location) => i18n.number(running.filter((scan) => scanLocationOf(scan) === location).length),
        },
        { label: i18n.t("admin.queue.waits"), numeric: true, cell: (location) => i18n.number(scans.queueLength(location)) },
        { label: i18n.t("admin.queue.nextSince"), cell: (location) => <Next scan={scans.listQueued(1, location)[0]} /> },
        { label: i18n.t("admin.nav.workers"), cell: (location) => <Workers location={location} /> },
      ]}
    />
  );
}

function LocationName({ location }: { readonly location: string }) {
  const i18n = useI18n();
  return <>{location === localLocation ? i18n.t("location.local") : location}</>;
}

function Next({ scan }: { readonly scan: ScanRecord | undefined }) {
  return scan === undefined ? null : <Instant at={scan.createdAt} />;
}

/** Workers that take scans, with their slots. */
function Workers({ location }: { readonly location: string }) {
  const { i18n, settings } = useVisit();
  if (location === localLocation) return null;
  const { store, operator } = settings;
  const heard = new Map(
    operator
      .fleet()
      ?.presentWorkers()
      .map((each) => [each.id, each]),
  );
  const present = store.workers.list().flatMap((worker) => {
    const known = heard.get(worker.id);
    return known !== undefined && worker.location === location && workerStateOf(worker, known, true) === "present" ? [known] : [];
  });
  if (present.length === 0)
    return <MarkedText as={store.scans.queueLength(location) > 0 ? "violated" : "notApplicable"} text={i18n.t("admin.queue.noWorkers")} />;
  const sumOf = (part: "busy" | "slots") => i18n.number(present.reduce((sum, each) => sum + each[part], 0));
  const use = i18n.t("admin.queue.slots", { busy: sumOf("busy"), slots: sumOf("slots") });
  return (
    <>
      {i18n.count("admin.queue.workers", present.length)} ({use})
    </>
  );
}

/** Answers when nothing of the scan is left. @throws PageError 404 for an unknown scan. */
export const postAdminCancel: PostFor<"administrators"> = async (visit, admin, _fields, token) => {
  const outcome = await visit.settings.scanning.cancelScan(token ?? "", admin);
  if (outcome === "unknown") throw scanNotFoundPage();
  return redirect(visit, `/admin?done=${outcome}#queue`);
};

function AdminCancelScan({ scan: { token, url } }: { readonly scan: Pick<ScanRecord, "token" | "url"> }) {
  const { i18n } = useVisit();
  return (
    <Form action={`/admin/scans/${token}/cancel`}>
      <SubmitButton kind="danger" compact label={i18n.t("admin.queue.cancelOf", { host: hostOf(url) ?? url })}>
        {i18n.t("admin.queue.cancel")}
      </SubmitButton>
    </Form>
  );
}
