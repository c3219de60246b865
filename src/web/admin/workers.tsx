/** `/admin/workers`: the connection to NATS, and the workers of other machines with the forms that drain and revoke them. */
import type { ComponentChildren } from "preact";
import { presenceEveryMs } from "../../fleet/messages.ts";
import { changeWorkerState, workerChanges } from "../../fleet/worker-operations.ts";
import { Instant } from "../../report/components/labels.tsx";
import { DataTable, Details } from "../../report/components/layout.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { ConfigLines } from "../../report/components/remediation.tsx";
import { UntrustedText, untranslated } from "../../report/components/untrusted-text.tsx";
import { accountActor } from "../../store/audit.ts";
import type { Worker } from "../../store/workers.ts";
import { useVisit } from "../context.ts";
import { formMalformed, notFound } from "../errors.ts";
import type { GetFor, PostFor } from "../guards.ts";
import { redirect } from "../response.ts";
import { adminPage, EnglishQuote } from "./admin-page.tsx";
import { WorkerTable } from "./worker-table.tsx";

const path = "/admin/workers";
/** Id of the heading that one of two sections has. */
const setupId = "setup-title";
const exampleServer = "tls://nats.example.org:4222";
const exampleLocation = "berlin";

/** @throws PageError 404 for an unknown or a revoked worker. */
export const postWorkerState: PostFor<"administrators"> = async (visit, admin, fields, id) => {
  const state = fields.text("state");
  const change = workerChanges.find((each) => each === state);
  if (change === undefined) throw formMalformed();
  const changed = await changeWorkerState(visit.settings, accountActor(admin), { id: id ?? "", state: change });
  if ("refused" in changed) throw notFound();
  return redirect(visit, `${path}?done=${change}`);
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
    <section aria-labelledby={setupId}>
      <h2 id={setupId}>{i18n.t("admin.workers.nats.unset.title")}</h2>
      <p>{i18n.t("admin.workers.nats.unset.what")}</p>
      <Command>{`assay serve --nats ${exampleServer}`}</Command>
    </section>
  );
}

function NoWorkers() {
  const { i18n, settings } = useVisit();
  const [server = exampleServer] = settings.operator.natsServers?.split(", ") ?? [];
  return (
    <section aria-labelledby={setupId}>
      <h2 id={setupId}>{i18n.t("admin.workers.none.title")}</h2>
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
    </section>
  );
}

function Command({ children }: { readonly children: string }) {
  return <ConfigLines label={useVisit().i18n.t("credentials.command")}>{children}</ConfigLines>;
}

function Revoked({ workers }: { readonly workers: readonly Worker[] }) {
  const { i18n } = useVisit();
  if (workers.length === 0) return null;
  const at = (instant: string | null): ComponentChildren => instant !== null && <Instant at={instant} />;
  return (
    <Details summary={i18n.count("admin.workers.revoked", workers.length)}>
      <DataTable
        caption={i18n.count("admin.workers.revoked", workers.length)}
        captionUnseen
        rows={workers}
        columns={[
          { label: i18n.t("admin.workers.columns.name"), cell: ({ name }) => <UntrustedText>{name}</UntrustedText> },
          { label: i18n.t("location.label"), cell: ({ location }) => location },
          { label: i18n.t("admin.workers.columns.revokedAt"), cell: ({ revokedAt }) => at(revokedAt) },
          { label: i18n.t("admin.workers.columns.scansDone"), numeric: true, cell: ({ scansDone }) => i18n.number(scansDone) },
        ]}
      />
    </Details>
  );
}
