/** Queue of each location, with the workers that could take its scans. */
import { localLocation } from "../../parse/location.ts";
import { Instant, MarkedText } from "../../report/components/labels.tsx";
import { DataTable } from "../../report/components/layout.tsx";
import { useI18n } from "../../report/context.ts";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { useVisit } from "../context.ts";
import { workerStateOf } from "./workers.tsx";

interface QueueLocationsProps {
  readonly locations: readonly string[];
  readonly running: readonly ScanRecord[];
}

export function QueueLocations({ locations, running }: QueueLocationsProps) {
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

export function LocationName({ location }: { readonly location: string }) {
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
