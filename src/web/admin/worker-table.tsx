/** Workers that are not revoked, by location, with their states and forms. */
import type { WorkerPresence } from "../../fleet/worker-operations.ts";
import { Instant, MarkedText } from "../../report/components/labels.tsx";
import { Details, Row, RowGroup, Table } from "../../report/components/layout.tsx";
import { UntrustedText, untranslated } from "../../report/components/untrusted-text.tsx";
import type { Worker, WorkerFault } from "../../store/workers.ts";
import type { ShownState } from "../../text/ledger-rows.ts";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { Form } from "../form.tsx";
import { type WorkerState, workerStateOf } from "./worker-state.ts";

const versionCharsMax = 40;
const faultCharsMax = 300;
/** En dash. */
const unknown = "\u2013";

const marks = {
  present: "passed",
  idle: "notChecked",
  drained: "note",
  absent: "violated",
  awaited: "notChecked",
  unknown: "notChecked",
  revoked: "notApplicable",
  "too-old": "violated",
  "too-new": "violated",
  "private-location": "violated",
} as const satisfies Record<WorkerState, ShownState>;

/** States that the administrator can do something about. */
const advisedStates = ["awaited", "idle", "too-old", "too-new", "private-location"] as const;

interface ShownWorker {
  readonly worker: Worker;
  /** Undefined while it is not present. */
  readonly heard: WorkerPresence | undefined;
}

/** `workers` are sorted by location. */
export function WorkerTable({ workers }: { readonly workers: readonly Worker[] }) {
  const { i18n, settings } = useVisit();
  const heard = new Map(
    settings.operator
      .fleet()
      ?.presentWorkers()
      .map((each) => [each.id, each]),
  );
  const byLocation = Map.groupBy(workers, ({ location }) => location);
  const columns = [
    { label: i18n.t("admin.workers.columns.name"), cell: Identity },
    { label: i18n.t("admin.workers.columns.state"), cell: State },
    { label: i18n.t("admin.workers.columns.busy"), numeric: true, cell: Busy },
    { label: i18n.t("admin.workers.columns.lastSeen"), cell: LastSeen },
    { label: i18n.t("admin.workers.columns.scansDone"), numeric: true, cell: ScansDone },
    { label: i18n.t("admin.workers.columns.actions"), unseen: true, cell: Actions },
  ];
  return (
    <>
      <Table caption={i18n.t("admin.workers.title")} captionUnseen columns={columns}>
        {[...byLocation].map(([location, there]) => (
          <RowGroup key={location} label={location}>
            {there.map((worker) => (
              <Row
                key={worker.id}
                id={worker.id}
                cells={columns.map(({ label, cell: Cell }) => <Cell key={label} worker={worker} heard={heard.get(worker.id)} />)}
              />
            ))}
          </RowGroup>
        ))}
      </Table>
      <p class="muted">
        {i18n.t("admin.workers.drainMeans")} {i18n.t("admin.workers.revokeMeans")}
      </p>
    </>
  );
}

function Identity({ worker: { name, version, reach, enrolledAt } }: ShownWorker) {
  const { i18n } = useVisit();
  return (
    <>
      <UntrustedText>{name}</UntrustedText>
      {version !== null && (
        <span class="small muted">
          <br />
          assay <UntrustedText charsMax={versionCharsMax}>{version}</UntrustedText>
        </span>
      )}
      {reach !== null && (
        <span class="small muted">
          <br />
          {i18n.t(`admin.workers.reach.${reach}`)}
        </span>
      )}
      <span class="small muted">
        <br />
        {i18n.t("admin.workers.enrolled", { date: i18n.date(enrolledAt) })}
      </span>
    </>
  );
}

function State({ worker, heard }: ShownWorker) {
  const { i18n, settings } = useVisit();
  const state = workerStateOf(worker, heard, settings.operator.fleet()?.state() === "connected");
  const advised = advisedStates.find((each) => each === state);
  return (
    <>
      <MarkedText as={marks[state]} text={i18n.t(`admin.workers.states.${state}`)} />
      {advised !== undefined && <div class="small">{i18n.t(`admin.workers.advice.${advised}`, { version: settings.version })}</div>}
      {worker.lastFault !== null && <LastFault {...worker.lastFault} />}
    </>
  );
}

function Busy({ heard }: ShownWorker) {
  const { i18n } = useVisit();
  if (heard === undefined) return <>{unknown}</>;
  return <>{i18n.t("admin.workers.busyOf", { busy: i18n.number(heard.busy), slots: i18n.number(heard.slots) })}</>;
}

/** The store holds an older instant, since not every presence is written. */
function LastSeen({ worker: { lastSeenAt }, heard }: ShownWorker) {
  const at = heard?.seenAt.toISOString() ?? lastSeenAt;
  return at === null ? unknown : <Instant at={at} />;
}

function ScansDone({ worker: { scansDone } }: ShownWorker) {
  return <>{useVisit().i18n.number(scansDone)}</>;
}

/** Written by the worker or about its results, in English. */
function LastFault({ at, text }: WorkerFault) {
  const { i18n } = useVisit();
  return (
    <div class="small">
      {i18n.t("admin.workers.lastFault")} <Instant at={at} />{" "}
      <span lang="en" {...untranslated}>
        <UntrustedText charsMax={faultCharsMax}>{text}</UntrustedText>
      </span>
    </div>
  );
}

function Actions({ worker: { id, name, drained } }: ShownWorker) {
  const { i18n } = useVisit();
  const drain = drained ? "resume" : "drain";
  return (
    <>
      <Form action={`/admin/workers/${id}/state`}>
        <input type="hidden" name="state" value={drained ? "resumed" : "drained"} />
        <SubmitButton kind="plain" compact label={i18n.t(`admin.workers.${drain}Of`, { name })}>
          {i18n.t(`admin.workers.${drain}`)}
        </SubmitButton>
      </Form>
      <Details summary={i18n.t("admin.workers.revoke")}>
        <Form action={`/admin/workers/${id}/state`}>
          <input type="hidden" name="state" value="revoked" />
          <SubmitButton kind="danger" compact label={i18n.t("admin.workers.revokeOf", { name })}>
            {i18n.t("admin.workers.revokeNow")}
          </SubmitButton>
        </Form>
      </Details>
    </>
  );
}
