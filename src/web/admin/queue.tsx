/** Running and queued scans with their ages, of all locations. */
import { localLocation } from "../../parse/location.ts";
import { hostOf } from "../../parse/site.ts";
import { Instant, MarkedText } from "../../report/components/labels.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanRecord } from "../../store/scans.ts";
import type { Store } from "../../store/store.ts";
import type { TextPath } from "../../text/translator.ts";
import { RowAction } from "../components/forms.tsx";
import { OutcomeNotice, outcomesOf } from "../components/outcome.tsx";
import { PageSection, TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { scanNotFoundPage } from "../errors.ts";
import type { PostFor } from "../guards.ts";
import { redirect } from "../response.ts";
import { presentWorkers, workerStateOf } from "./workers.tsx";

/** Queued scans that are listed; the rest are counted. */
const waitingShownMax = 20;
const urlCharsMax = 200;
const outcomes = outcomesOf("/admin", ["cancelled", "over"], (outcome) => `admin.queue.done.${outcome}`, ["over"]);

export function AdminQueue() {
  const { i18n, settings } = useVisit();
  const { store } = settings;
  const running = store.scans.listRunning();
  const remote = [...store.workers.locations(), ...store.scans.queuedLocations(), ...running.map(scanLocationOf)];
  const locations = [...new Set([localLocation, ...remote.toSorted()])];
  const waiting = nextScans(store, locations);
  const waitingCount = store.scans.queueLength();
  const hasLocations = locations.length > 1;
  return (
    <PageSection anchor="queue" id="queue-title" title="admin.queue.title">
      <OutcomeNotice of={outcomes} />
      <p>
        {i18n.count("admin.queue.running", running.length)} {i18n.count("admin.queue.waiting", waitingCount)}
      </p>
      {hasLocations && <QueueLocations locations={locations} running={running} />}
      {running.length > 0 && <Scans caption="admin.queue.runningCaption" scans={running} isRunning hasLocations={hasLocations} />}
      {waiting.length > 0 && <Scans caption="admin.queue.waitingCaption" scans={waiting} isRunning={false} hasLocations={hasLocations} />}
      {waitingCount > waiting.length && <p>{i18n.count("admin.queue.more", waitingCount - waiting.length)}</p>}
    </PageSection>
  );
}

/** The next scans of each location, so that none hides behind the queue of another. */
function nextScans({ scans }: Store, locations: readonly string[]): readonly ScanRecord[] {
  const eachMax = Math.max(1, Math.floor(waitingShownMax / locations.length));
  return locations.flatMap((location) => scans.listQueued(eachMax, location)).slice(0, waitingShownMax);
}

interface ScansProps {
  readonly caption: TextPath;
  readonly scans: readonly ScanRecord[];
  readonly isRunning: boolean;
  readonly hasLocations: boolean;
}

function Scans({ caption, scans, isRunning, hasLocations }: ScansProps) {
  const { i18n } = useVisit();
  return (
    <TextTable
      caption={caption}
      captionUnseen={false}
      rows={scans}
      columns={{
        "admin.queue.url": ({ token, url }) => (
          <a href={`/scans/${token}`}>
            <UntrustedText charsMax={urlCharsMax}>{url}</UntrustedText>
          </a>
        ),
        "location.label": hasLocations ? (scan) => <LocationName location={scanLocationOf(scan)} /> : undefined,
        "admin.queue.by": (scan) => <Owner scan={scan} />,
        "admin.queue.started": isRunning ? ({ createdAt, startedAt }) => <Instant at={startedAt ?? createdAt} /> : undefined,
        "admin.queue.queued": isRunning ? undefined : ({ createdAt }) => <Instant at={createdAt} />,
        "admin.queue.progress": isRunning
          ? { numeric: true, cell: ({ progressPercent: percent }) => i18n.t("admin.queue.percent", { percent: i18n.number(percent) }) }
          : undefined,
        "admin.queue.cancelColumn": ({ token, url }) => (
          <RowAction action={`/admin/scans/${token}/cancel`} kind="danger" submit="admin.queue.cancel" of={{ host: hostOf(url) ?? url }} />
        ),
      }}
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
    <TextTable
      caption="admin.queue.locations"
      captionUnseen={false}
      rows={locations}
      columns={{
        "location.label": (location) => <LocationName location={location} />,
        "admin.queue.runningCaption": {
          numeric: true,
          cell: (location) => i18n.number(running.filter((scan) => scanLocationOf(scan) === location).length),
        },
        "admin.queue.waits": { numeric: true, cell: (location) => i18n.number(scans.queueLength(location)) },
        "admin.queue.nextSince": (location) =>
          scans.listQueued(1, location).map(({ token, createdAt }) => <Instant key={token} at={createdAt} />),
        "admin.nav.workers": (location) => <Workers location={location} />,
      }}
    />
  );
}

function LocationName({ location }: { readonly location: string }) {
  const i18n = useI18n();
  return <>{location === localLocation ? i18n.t("location.local") : location}</>;
}

/** Workers that take scans, with their slots. */
function Workers({ location }: { readonly location: string }) {
  const { i18n, settings } = useVisit();
  if (location === localLocation) return null;
  const { store, operator } = settings;
  const heard = presentWorkers(operator);
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
