/** `/admin`: warnings, the queue, figures of the last day, backups and the system checks. */
import type { ComponentChildren } from "preact";
import { dayMs } from "../../base/units.ts";
import type { DoctorFinding } from "../../doctor/background-run.ts";
import { Instant, MarkedText } from "../../report/components/labels.tsx";
import { DataTable } from "../../report/components/layout.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { untranslated } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { TextPath } from "../../text/translator.ts";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { Form } from "../form.tsx";
import type { GetFor, PostFor } from "../guards.ts";
import { redirect } from "../response.ts";
import { adminPage, EnglishQuote } from "./admin-page.tsx";
import type { Operator } from "./operator.ts";
import { AdminQueue } from "./queue.tsx";

/** Reload interval without script while the system checks run. */
const examinationRefreshSeconds = 3;

export const getAdminOverview: GetFor<"administrators"> = (visit) => {
  const running = visit.settings.operator.examination.state().status === "running";
  return adminPage(visit, {
    title: "admin.title",
    ...(running ? { refreshSeconds: examinationRefreshSeconds } : {}),
    children: (
      <>
        <AdminBanners />
        <AdminQueue />
        <AdminDay />
        <AdminServer />
        <AdminBackups />
        <Doctor />
      </>
    ),
  });
};

export const postDoctor: PostFor<"administrators"> = (visit) => {
  visit.settings.operator.examination.begin();
  return redirect(visit, "/admin#doctor");
};

function Doctor() {
  const { i18n, settings } = useVisit();
  const state = settings.operator.examination.state();
  return (
    <section id="doctor" aria-labelledby="doctor-title">
      <h2 id="doctor-title">{i18n.t("admin.doctor.title")}</h2>
      <p>{i18n.t("admin.doctor.intro")}</p>
      {state.status === "never" && <p class="muted">{i18n.t("admin.doctor.never")}</p>}
      {state.status === "running" && <p role="status">{i18n.t("admin.doctor.running")}</p>}
      {state.status === "done" && (
        <>
          <p>
            {i18n.t("admin.doctor.done")} <Instant at={state.at} />
          </p>
          {state.findings === null ? <Notice kind="poor">{i18n.t("admin.doctor.failed")}</Notice> : <Findings findings={state.findings} />}
        </>
      )}
      {state.status !== "running" && (
        <Form action="/admin/doctor">
          <SubmitButton kind="plain">{i18n.t("admin.doctor.begin")}</SubmitButton>
        </Form>
      )}
    </section>
  );
}

const parts: Readonly<Record<DoctorFinding["what"], TextPath>> = {
  "data directory": "admin.doctor.parts.dataDirectory",
  port: "admin.doctor.parts.port",
  checks: "admin.doctor.parts.checks",
  dns: "admin.doctor.parts.dns",
  nats: "admin.doctor.parts.nats",
  oidc: "admin.doctor.parts.oidc",
  browser: "admin.doctor.parts.browser",
};

function Findings({ findings }: { readonly findings: readonly DoctorFinding[] }) {
  const i18n = useI18n();
  return (
    <DataTable
      caption={i18n.t("admin.doctor.caption")}
      captionUnseen
      rows={findings}
      columns={[
        { label: i18n.t("admin.doctor.part"), cell: ({ what }) => i18n.t(parts[what]) },
        { label: i18n.t("admin.doctor.state"), cell: (finding) => <State {...finding} /> },
        { label: i18n.t("admin.doctor.detail"), cell: (finding) => <Detail {...finding} /> },
      ]}
    />
  );
}

function State({ state }: DoctorFinding) {
  const i18n = useI18n();
  return <MarkedText as={state === "ok" ? "passed" : "violated"} text={i18n.t(`admin.doctor.states.${state}`)} />;
}

/** Texts of the command line are English. */
function Detail({ detail }: DoctorFinding) {
  return (
    <span lang="en" {...untranslated}>
      {detail}
    </span>
  );
}

/** The longest interval of `backup.schedule`, and a day. */
const backupDaysMax = 8;
const bytesPerMegabyte = 1_000_000;

type BackupFault = "failed" | "old";

/** Null unless the last backup failed, or none succeeded for days although there is a schedule. */
function backupFaultOf({ lastSuccess, lastFailure, nextAt }: ReturnType<Operator["backups"]>, now: Date): BackupFault | null {
  const succeededMs = lastSuccess === null ? null : Date.parse(lastSuccess.at);
  if (lastFailure !== null && Date.parse(lastFailure.at) > (succeededMs ?? 0)) return "failed";
  return nextAt !== null && succeededMs !== null && now.getTime() - succeededMs > backupDaysMax * dayMs ? "old" : null;
}

function BackupBanner({ fault }: { readonly fault: BackupFault }) {
  const { i18n } = useVisit();
  return (
    <>
      {i18n.t(`admin.backups.faults.${fault}`)} <a href="#backups">{i18n.t("admin.backups.more")}</a>
    </>
  );
}

function AdminBackups() {
  const { i18n, settings } = useVisit();
  const { lastSuccess, lastFailure, nextAt } = settings.operator.backups();
  return (
    <section id="backups" aria-labelledby="backups-title">
      <h2 id="backups-title">{i18n.t("admin.backups.title")}</h2>
      {lastSuccess === null ? (
        <p>{i18n.t("admin.backups.never")}</p>
      ) : (
        <p>
          {i18n.t("admin.backups.last")} <Instant at={lastSuccess.at} />,{" "}
          {i18n.t("admin.backups.size", { megabytes: i18n.number(Math.ceil(lastSuccess.bytes / bytesPerMegabyte)) })}:{" "}
          <code {...untranslated}>{lastSuccess.archive}</code>
        </p>
      )}
      {lastFailure !== null && (
        <p>
          {i18n.t("admin.backups.failed")} <Instant at={lastFailure.at} />: <EnglishQuote>{lastFailure.because}</EnglishQuote>
        </p>
      )}
      {nextAt === null ? (
        <p class="muted">{i18n.t("admin.backups.unscheduled")}</p>
      ) : (
        <p>
          {i18n.t("admin.backups.next")} <Instant at={nextAt.toISOString()} />
        </p>
      )}
    </section>
  );
}

const diskFreePercentMin = 10;

function AdminBanners() {
  const { i18n, server, settings } = useVisit();
  const { public_url: publicUrl } = settings.config;
  const { untrustedForwarder, unsandboxedBecause, diskSpace } = settings.operator;
  const peer = untrustedForwarder();
  const noSandbox = unsandboxedBecause();
  const disk = diskSpace();
  const percent = disk === null ? 100 : Math.floor((100 * disk.freeBytes) / disk.totalBytes);
  const banners: ComponentChildren[] = [];
  if (!server.https && !server.loopback) banners.push(i18n.t("admin.banners.unencrypted"));
  if (publicUrl === null) banners.push(i18n.t("admin.banners.publicUrlUnset", { origin: server.origin }));
  else if (publicUrl !== server.origin) banners.push(i18n.t("admin.banners.publicUrlOther", { origin: server.origin, publicUrl }));
  if (peer !== null) banners.push(i18n.t("admin.banners.untrustedForwarding", { peer }));
  if (noSandbox !== null) banners.push(<SandboxBanner because={noSandbox} />);
  if (settings.operator.checks.lastReload()?.outcome === "refused") banners.push(<ReloadBanner />);
  if (settings.config.readers === "accounts" && settings.config["accounts.signup"] === "open")
    banners.push(i18n.t("admin.banners.openReaders"));
  const fleetFault = settings.operator.fleet()?.fault() ?? null;
  if (fleetFault !== null) banners.push(<FleetBanner because={fleetFault} />);
  const backupFault = backupFaultOf(settings.operator.backups(), settings.now());
  if (backupFault !== null) banners.push(<BackupBanner fault={backupFault} />);
  if (disk !== null && percent < diskFreePercentMin) {
    const free = i18n.number(Math.floor(disk.freeBytes / bytesPerMegabyte));
    banners.push(i18n.t("admin.banners.diskLow", { percent: i18n.number(percent), free }));
  }
  if (banners.length === 0) return <Notice kind="good">{i18n.t("admin.banners.none")}</Notice>;
  return (
    <section aria-label={i18n.t("admin.banners.title")}>
      {banners.map((banner, at) => (
        <Notice kind="warn" key={String(at)}>
          <p>{banner}</p>
        </Notice>
      ))}
    </section>
  );
}

function ReloadBanner() {
  const { i18n } = useVisit();
  return (
    <>
      {i18n.t("admin.banners.reloadRefused")} <a href="/admin/checks#reload">{i18n.t("admin.banners.reloadFaults")}</a>
    </>
  );
}

function FleetBanner({ because }: { readonly because: string }) {
  const { i18n } = useVisit();
  return (
    <>
      {i18n.t("admin.banners.fleetFault")} <EnglishQuote>{because}</EnglishQuote>{" "}
      <a href="/admin/workers">{i18n.t("admin.banners.fleetMore")}</a>
    </>
  );
}

function SandboxBanner({ because }: { readonly because: string }) {
  const { i18n } = useVisit();
  return (
    <>
      {i18n.t("admin.banners.sandboxOff")} <EnglishQuote>{because}</EnglishQuote>
    </>
  );
}


interface Figure {
  readonly label: TextPath;
  readonly value: ComponentChildren;
}

function AdminDay() {
  const { i18n, settings } = useVisit();
  const { since, finished, failed, claimed, waitedMs, longestWaitMs, browserRestarts } = settings.operator.lastDay();
  const failures = Object.entries(failed).toSorted(([, one], [, other]) => other - one);
  const failedCount = failures.reduce((sum, [, count]) => sum + count, 0);
  const wait = (ms: number) => (claimed === 0 ? i18n.t("admin.day.noWait") : i18n.duration(ms / 1_000));
  return (
    <section aria-labelledby="day-title">
      <h2 id="day-title">{i18n.t("admin.day.title")}</h2>
      <p class="muted">
        {i18n.t("admin.day.since")} <Instant at={since} />. {i18n.t("admin.day.covers")}
      </p>
      <Figures
        caption="admin.day.title"
        rows={[
          { label: "admin.day.finished", value: i18n.number(finished) },
          { label: "admin.day.failed", value: i18n.number(failedCount) },
          { label: "admin.day.meanWait", value: wait(waitedMs / claimed) },
          { label: "admin.day.longestWait", value: wait(longestWaitMs) },
          { label: "admin.day.browserRestarts", value: i18n.number(browserRestarts) },
        ]}
      />
      {failures.length > 0 && (
        <DataTable
          caption={i18n.t("admin.day.failures")}
          rows={failures}
          columns={[
            { label: i18n.t("failed.code"), cell: ([code]) => <code {...untranslated}>{code}</code> },
            { label: i18n.t("admin.day.scans"), numeric: true, cell: ([, count]) => i18n.number(count) },
          ]}
        />
      )}
    </section>
  );
}

function AdminServer() {
  const { i18n, settings } = useVisit();
  const { startedAt, storeBytes, diskSpace, versions } = settings.operator;
  const disk = diskSpace();
  const stored = storeBytes();
  const { assay, bun, chromium, schema } = versions();
  const megabytes = (bytes: number) => i18n.t("admin.server.megabytes", { megabytes: i18n.number(Math.floor(bytes / bytesPerMegabyte)) });
  const unknown = i18n.t("admin.server.unknown");
  return (
    <section aria-labelledby="server-title">
      <h2 id="server-title">{i18n.t("admin.server.title")}</h2>
      <Figures
        caption="admin.server.title"
        rows={[
          { label: "admin.server.started", value: <Instant at={startedAt.toISOString()} /> },
          { label: "admin.server.store", value: stored === null ? unknown : megabytes(stored) },
          { label: "admin.server.diskFree", value: disk === null ? unknown : megabytes(disk.freeBytes) },
          { label: "admin.server.diskTotal", value: disk === null ? unknown : megabytes(disk.totalBytes) },
          { label: "admin.server.assay", value: assay },
          { label: "admin.server.bun", value: bun },
          { label: "admin.server.chromium", value: chromium ?? i18n.t("admin.server.notStarted") },
          { label: "admin.server.schema", value: String(schema) },
        ]}
      />
    </section>
  );
}

function Figures({ caption, rows }: { readonly caption: TextPath; readonly rows: readonly Figure[] }) {
  const { i18n } = useVisit();
  return (
    <DataTable
      caption={i18n.t(caption)}
      captionUnseen
      rows={rows}
      columns={[
        { label: i18n.t("admin.day.figure"), cell: ({ label }) => i18n.t(label) },
        { label: i18n.t("admin.day.value"), numeric: true, cell: ({ value }) => value },
      ]}
    />
  );
}
