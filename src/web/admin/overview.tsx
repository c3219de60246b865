/** `/admin`: warnings, the queue, figures of the last day, backups and the system checks. */
import type { ComponentChildren } from "preact";
import { dayMs } from "../../base/units.ts";
import type { DoctorFinding } from "../../doctor/background-run.ts";
import { Instant, MarkedText } from "../../report/components/labels.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { untranslated } from "../../report/components/untrusted-text.tsx";
import type { TextPath } from "../../text/translator.ts";
import { ActionForm } from "../components/forms.tsx";
import { EnglishQuote, PageSection, TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import type { GetFor, PostFor } from "../guards.ts";
import { adminPage } from "../private-page.tsx";
import { redirect } from "../response.ts";
import type { Operator } from "./operator.ts";
import { AdminQueue } from "./queue.tsx";

/** Reload interval without script while the system checks run. */
const examinationRefreshSeconds = 3;
/** The longest interval of `backup.schedule`, and a day. */
const backupDaysMax = 8;
const diskFreePercentMin = 10;
const bytesPerMegabyte = 1_000_000;

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

function AdminBanners() {
  const { i18n, server, settings } = useVisit();
  const { public_url: publicUrl } = settings.config;
  const { untrustedForwarder, unsandboxedBecause, diskSpace } = settings.operator;
  const banners: ComponentChildren[] = [];
  if (!server.https && !server.loopback) banners.push(i18n.t("admin.banners.unencrypted"));
  if (publicUrl === null) banners.push(i18n.t("admin.banners.publicUrlUnset", { origin: server.origin }));
  else if (publicUrl !== server.origin) banners.push(i18n.t("admin.banners.publicUrlOther", { origin: server.origin, publicUrl }));
  const peer = untrustedForwarder();
  if (peer !== null) banners.push(i18n.t("admin.banners.untrustedForwarding", { peer }));
  const noSandbox = unsandboxedBecause();
  if (noSandbox !== null)
    banners.push(
      <>
        {i18n.t("admin.banners.sandboxOff")} <EnglishQuote>{noSandbox}</EnglishQuote>
      </>,
    );
  if (settings.operator.checks.lastReload()?.outcome === "refused")
    banners.push(
      <>
        {i18n.t("admin.banners.reloadRefused")} <a href="/admin/checks#reload">{i18n.t("admin.banners.reloadFaults")}</a>
      </>,
    );
  if (settings.config.readers === "accounts" && settings.config["accounts.signup"] === "open")
    banners.push(i18n.t("admin.banners.openReaders"));
  const fleetFault = settings.operator.fleet()?.fault() ?? null;
  if (fleetFault !== null)
    banners.push(
      <>
        {i18n.t("admin.banners.fleetFault")} <EnglishQuote>{fleetFault}</EnglishQuote>{" "}
        <a href="/admin/workers">{i18n.t("admin.banners.fleetMore")}</a>
      </>,
    );
  const backupFault = backupFaultOf(settings.operator.backups(), settings.now());
  if (backupFault !== null)
    banners.push(
      <>
        {i18n.t(`admin.backups.faults.${backupFault}`)} <a href="#backups">{i18n.t("admin.backups.more")}</a>
      </>,
    );
  const disk = diskSpace();
  const percent = disk === null ? 100 : Math.floor((100 * disk.freeBytes) / disk.totalBytes);
  if (disk !== null && percent < diskFreePercentMin) {
    const free = i18n.number(Math.floor(disk.freeBytes / bytesPerMegabyte));
    banners.push(i18n.t("admin.banners.diskLow", { percent: i18n.number(percent), free }));
  }
  if (banners.length === 0) return <Notice kind="good">{i18n.t("admin.banners.none")}</Notice>;
  return (
    <section aria-label={i18n.t("admin.banners.title")}>
      {banners.map((banner, at) => (
        <Notice kind="warn" key={String(at)} text={banner} />
      ))}
    </section>
  );
}

/** Null unless the last backup failed, or none succeeded for days although there is a schedule. */
function backupFaultOf({ lastSuccess, lastFailure, nextAt }: ReturnType<Operator["backups"]>, now: Date): "failed" | "old" | null {
  const succeededMs = lastSuccess === null ? null : Date.parse(lastSuccess.at);
  if (lastFailure !== null && Date.parse(lastFailure.at) > (succeededMs ?? 0)) return "failed";
  return nextAt !== null && succeededMs !== null && now.getTime() - succeededMs > backupDaysMax * dayMs ? "old" : null;
}

function AdminDay() {
  const { i18n, settings } = useVisit();
  const { since, finished, failed, claimed, waitedMs, longestWaitMs, browserRestarts } = settings.operator.lastDay();
  const failures = Object.entries(failed).toSorted(([, one], [, other]) => other - one);
  const failedCount = failures.reduce((sum, [, count]) => sum + count, 0);
  const wait = (ms: number) => (claimed === 0 ? i18n.t("admin.day.noWait") : i18n.duration(ms / 1_000));
  return (
    <PageSection id="day-title" title="admin.day.title">
      <p class="muted">
        {i18n.t("admin.day.since")} <Instant at={since} />. {i18n.t("admin.day.covers")}
      </p>
      <Figures
        caption="admin.day.title"
        values={[
          ["admin.day.finished", i18n.number(finished)],
          ["admin.day.failed", i18n.number(failedCount)],
          ["admin.day.meanWait", wait(waitedMs / claimed)],
          ["admin.day.longestWait", wait(longestWaitMs)],
          ["admin.day.browserRestarts", i18n.number(browserRestarts)],
        ]}
      />
      {failures.length > 0 && (
        <TextTable
          caption="admin.day.failures"
          captionUnseen={false}
          rows={failures}
          columns={{
            "failed.code": ([code]) => <code {...untranslated}>{code}</code>,
            "admin.day.scans": { numeric: true, cell: ([, count]) => i18n.number(count) },
          }}
        />
      )}
    </PageSection>
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
    <PageSection id="server-title" title="admin.server.title">
      <Figures
        caption="admin.server.title"
        values={[
          ["admin.server.started", <Instant key="started" at={startedAt.toISOString()} />],
          ["admin.server.store", stored === null ? unknown : megabytes(stored)],
          ["admin.server.diskFree", disk === null ? unknown : megabytes(disk.freeBytes)],
          ["admin.server.diskTotal", disk === null ? unknown : megabytes(disk.totalBytes)],
          ["admin.server.assay", assay],
          ["admin.server.bun", bun],
          ["admin.server.chromium", chromium ?? i18n.t("admin.server.notStarted")],
          ["admin.server.schema", String(schema)],
        ]}
      />
    </PageSection>
  );
}

interface FiguresProps {
  readonly caption: TextPath;
  readonly values: readonly (readonly [label: TextPath, value: ComponentChildren])[];
}

function Figures({ caption, values }: FiguresProps) {
  const { i18n } = useVisit();
  return (
    <TextTable
      caption={caption}
      rows={values}
      columns={{ "admin.day.figure": ([label]) => i18n.t(label), "admin.day.value": { numeric: true, cell: ([, value]) => value } }}
    />
  );
}

function AdminBackups() {
  const { i18n, settings } = useVisit();
  const { lastSuccess, lastFailure, nextAt } = settings.operator.backups();
  return (
    <PageSection anchor="backups" id="backups-title" title="admin.backups.title">
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
    </PageSection>
  );
}

function Doctor() {
  const { i18n, settings } = useVisit();
  const state = settings.operator.examination.state();
  return (
    <PageSection anchor="doctor" id="doctor-title" title="admin.doctor.title">
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
      {state.status !== "running" && <ActionForm action="/admin/doctor" kind="plain" submit="admin.doctor.begin" />}
    </PageSection>
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
  const { i18n } = useVisit();
  return (
    <TextTable
      caption="admin.doctor.caption"
      rows={findings}
      columns={{
        "admin.doctor.part": ({ what }) => i18n.t(parts[what]),
        "admin.doctor.state": ({ state }) => (
          <MarkedText as={state === "ok" ? "passed" : "violated"} text={i18n.t(`admin.doctor.states.${state}`)} />
        ),
        // Texts of the command line are English.
        "admin.doctor.detail": ({ detail }) => (
          <span lang="en" {...untranslated}>
            {detail}
          </span>
        ),
      }}
    />
  );
}
