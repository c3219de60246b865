/** `/admin/workers`: the connection to NATS, and the workers of other machines with the forms that drain and revoke them. */
import type { ComponentChildren } from "preact";
import { presenceEveryMs } from "../../fleet/messages.ts";
import { changeWorkerState, type WorkerPresence, workerChanges } from "../../fleet/worker-operations.ts";
import { Instant, MarkedText } from "../../report/components/labels.tsx";
import { Details, Row, RowGroup, Table } from "../../report/components/layout.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { ConfigLines } from "../../report/components/remediation.tsx";
import { UntrustedText, untranslated } from "../../report/components/untrusted-text.tsx";
import { accountActor } from "../../store/audit.ts";
import type { Worker, WorkerFault } from "../../store/workers.ts";
import type { ShownState } from "../../text/ledger-rows.ts";
import { ActionForm, RowAction } from "../components/forms.tsx";
import { EnglishQuote, PageSection, TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { notFound } from "../errors.ts";
import { choiceIn } from "../form.tsx";
import type { GetFor, PostFor } from "../guards.ts";
import { adminPage } from "../private-page.tsx";
import { redirect } from "../response.ts";
import type { Operator } from "./operator.ts";

const path = "/admin/workers";
/** Id of the heading that one of two sections has. */
const setupId = "setup-title";
const exampleServer = "tls://nats.example.org:4222";
const exampleLocation = "berlin";

/** @throws PageError 404 for an unknown or a revoked worker. */
export const postWorkerState: PostFor<"administrators"> = async (visit, admin, fields, id) => {
  const state = choiceIn(fields, "state", workerChanges);
  const changed = await changeWorkerState(visit.settings, accountActor(admin), { id: id ?? "", state });
  if ("refused" in changed) throw notFound();
  return redirect(visit, `${path}?done=${state}`);
};

export const getAdminWorkers: GetFor<"administrators"> = (visit) => {
  const { i18n, url, settings } = visit;
  const done = workerChanges.find((each) => each === url.searchParams.get("done"));
  const workers = settings.store.workers.list();
  const active = workers.filter(({ revokedAt }) => revokedAt === null);
  const isOff = settings.operator.natsServers === null && active.length === 0;
  return adminPage(visit, {
    title: "admin.workers.title",
    lead: i18n.t("admin.workers.lead"),
    children: (
      <>
        {done !== undefined && (
          <Notice kind="good" alert>
            <p>{i18n.t(`admin.workers.done.${done}`, { seconds: presenceEveryMs / 1_000 })}</p>
            {done === "revoked" && <Command>assay fleet nats-conf</Command>}
          </Notice>
        )}
        <Connection />
        {!isOff && (active.length === 0 ? <NoWorkers /> : <WorkerTable workers={active} />)}
        <Revoked workers={workers.filter(({ revokedAt }) => revokedAt !== null)} />
      </>
    ),
  });
};

/** State of the connection to NATS, with the next step. */
function Connection() {
  const { i18n, settings } = useVisit();
  const { natsServers, fleet } = settings.operator;
  if (natsServers === null) return <WithoutNats />;
  const running = fleet();
  const state = running?.state() ?? "disconnected";
  const because = running?.fault() ?? null;
  return (
    <Notice kind={state === "connected" && because === null ? "good" : "warn"} title={i18n.t(`admin.workers.nats.${state}.title`)}>
      {state !== "connected" && <p>{i18n.t(`admin.workers.nats.${state}.what`)}</p>}
      <p>
        <code {...untranslated}>{natsServers}</code>
      </p>
      {because !== null && (
        <p>
          <EnglishQuote>{because}</EnglishQuote>
        </p>
      )}
    </Notice>
  );
}

function WithoutNats() {
  const { i18n } = useVisit();
  return (
    <PageSection id={setupId} title="admin.workers.nats.unset.title">
      <p>{i18n.t("admin.workers.nats.unset.what")}</p>
      <Command>{`assay serve --nats ${exampleServer}`}</Command>
    </PageSection>
  );
}

function NoWorkers() {
  const { i18n, settings } = useVisit();
  const [server = exampleServer] = settings.operator.natsServers?.split(", ") ?? [];
  return (
    <PageSection id={setupId} title="admin.workers.none.title">
      <ol>
        <li>
          <p>{i18n.t("admin.workers.none.enrol", { location: exampleLocation })}</p>
          <Command>{`assay fleet enrol ${exampleLocation}`}</Command>
        </li>
        <li>
          <p>{i18n.t("admin.workers.none.admit")}</p>
          <Command>assay fleet nats-conf</Command>
        </li>
        <li>
          <p>{i18n.t("admin.workers.none.start")}</p>
          <Command>{`assay worker --nats ${server} --nats-credentials worker.nk --location ${exampleLocation}`}</Command>
        </li>
      </ol>
    </PageSection>
  );
}

function Command({ children }: { readonly children: string }) {
  return <ConfigLines label={useVisit().i18n.t("credentials.command")}>{children}</ConfigLines>;
}

function Revoked({ workers }: { readonly workers: readonly Worker[] }) {
  const { i18n } = useVisit();
  if (workers.length === 0) return null;
  const title = i18n.count("admin.workers.revoked", workers.length);
  return (
    <Details summary={title}>
      <TextTable
        caption={() => title}
        rows={workers}
        columns={{
          "admin.workers.columns.name": ({ name }) => <UntrustedText>{name}</UntrustedText>,
          "location.label": ({ location }) => location,
          "admin.workers.columns.revokedAt": ({ revokedAt }) => revokedAt !== null && <Instant at={revokedAt} />,
          "admin.workers.columns.scansDone": { numeric: true, cell: ({ scansDone }) => i18n.number(scansDone) },
        }}
      />
    </Details>
  );
}

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
function WorkerTable({ workers }: { readonly workers: readonly Worker[] }) {
  const { i18n, settings } = useVisit();
  const heard = presentWorkers(settings.operator);
  const byLocation = Map.groupBy(workers, ({ location }) => location);
  const columns = [
    { label: i18n.t("admin.workers.columns.name"), cell: Identity },
    { label: i18n.t("admin.workers.columns.state"), cell: State },
    { label: i18n.t("admin.workers.columns.busy"), numeric: true, cell: Busy },
    { label: i18n.t("admin.workers.columns.lastSeen"), cell: LastSeen },
    { label: i18n.t("admin.workers.columns.scansDone"), numeric: true, cell: ({ worker }: ShownWorker) => i18n.number(worker.scansDone) },
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
        <SmallLine>
          assay <UntrustedText charsMax={versionCharsMax}>{version}</UntrustedText>
        </SmallLine>
      )}
      {reach !== null && <SmallLine>{i18n.t(`admin.workers.reach.${reach}`)}</SmallLine>}
      <SmallLine>{i18n.t("admin.workers.enrolled", { date: i18n.date(enrolledAt) })}</SmallLine>
    </>
  );
}

function SmallLine({ children }: { readonly children: ComponentChildren }) {
  return (
    <span class="small muted">
      <br />
      {children}
    </span>
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
  const action = `/admin/workers/${id}/state`;
  const [drain, state] = drained ? (["resume", "resumed"] as const) : (["drain", "drained"] as const);
  return (
    <>
      <RowAction action={action} hidden={{ state }} kind="plain" submit={`admin.workers.${drain}`} of={{ name }} />
      <Details summary={i18n.t("admin.workers.revoke")}>
        <ActionForm
          action={action}
          hidden={{ state: "revoked" }}
          kind="danger"
          compact
          label={i18n.t("admin.workers.revokeOf", { name })}
          submit="admin.workers.revokeNow"
        />
      </Details>
    </>
  );
}

/** Answers to a worker that is heard of but gets no scans. */
const refusals = ["too-old", "too-new", "private-location"] as const;

/** `awaited`: enrolled, and never heard of. `idle`: present, but without a slot. `unknown`: nothing can be heard, as without NATS. */
type WorkerState = "present" | "idle" | "drained" | "absent" | "awaited" | "unknown" | "revoked" | (typeof refusals)[number];

/** Workers that have reported themselves lately, by their ids. */
export function presentWorkers(operator: Operator): ReadonlyMap<string, WorkerPresence> {
  const present = operator.fleet()?.presentWorkers() ?? [];
  return new Map(present.map((each) => [each.id, each]));
}

/**
 * `heard` is undefined for a worker that is not present. What is stored decides: an answer may be some seconds older.
 * `isConnected`: to NATS.
 */
export function workerStateOf(
  { revokedAt, drained, lastSeenAt }: Worker,
  heard: WorkerPresence | undefined,
  isConnected: boolean,
): WorkerState {
  if (revokedAt !== null) return "revoked";
  const refusal = refusals.find((each) => each === heard?.answer);
  if (refusal !== undefined) return refusal;
  if (drained) return "drained";
  if (heard !== undefined) return heard.slots > 0 ? "present" : "idle";
  if (lastSeenAt === null) return "awaited";
  return isConnected ? "absent" : "unknown";
}
