/** `/admin`: warnings, the queue, figures of the last day, backups and the system checks. */
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
import { adminPage } from "./admin-frame.tsx";
import { AdminBackups } from "./backups.tsx";
import { AdminBanners } from "./banners.tsx";
import { AdminDay, AdminServer } from "./day.tsx";
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
