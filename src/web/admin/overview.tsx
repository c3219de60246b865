/** `/admin`: what needs attention, the queue, and the doctor. */

import type { DoctorFinding } from "../../doctor/background-run.ts";
import { redirect } from "../answer.tsx";
import { untranslated } from "../components/foreign.tsx";
import { Instant } from "../components/instant.tsx";
import { Mark } from "../components/mark.tsx";
import { Notice } from "../components/notice.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { Row, RowGroup, Table } from "../components/table.tsx";
import { useVisit, useWords } from "../context.ts";
import { Form, readForm } from "../form.tsx";
import type { PageHandler, Visit } from "../visit.ts";
import type { TextPath } from "../words.ts";
import { adminOf, adminPage, withAdmin } from "./admin-frame.tsx";
import { AdminBanners } from "./banners.tsx";
import { AdminQueue } from "./queue.tsx";

/** While the doctor looks, the page without script is loaded anew. */
const examinationRefreshSeconds = 3;

export const getAdminOverview: PageHandler = (visit) => withAdmin(visit, () => overview(visit));

function overview(visit: Visit): Response {
  const running = visit.settings.operator.examination.state().status === "running";
  return adminPage(visit, {
    title: "admin.title",
    ...(running ? { refreshSeconds: examinationRefreshSeconds } : {}),
    children: (
      <>
        <AdminBanners />
        <AdminQueue />
        <Doctor />
      </>
    ),
  });
}

export async function postDoctor(visit: Visit): Promise<Response> {
  adminOf(visit);
  await readForm(visit);
  visit.settings.operator.examination.begin();
  return redirect(visit, "/admin#doctor");
}

function Doctor() {
  const { words, settings } = useVisit();
  const state = settings.operator.examination.state();
  return (
    <section id="doctor" aria-labelledby="doctor-title">
      <h2 id="doctor-title">{words.say("admin.doctor.title")}</h2>
      <p>{words.say("admin.doctor.intro")}</p>
      {state.status === "never" && <p class="muted">{words.say("admin.doctor.never")}</p>}
      {state.status === "running" && <p role="status">{words.say("admin.doctor.running")}</p>}
      {state.status === "done" && (
        <>
          <p>
            {words.say("admin.doctor.done")} <Instant at={state.at} />
          </p>
          {state.findings === null ? (
            <Notice kind="poor">{words.say("admin.doctor.failed")}</Notice>
          ) : (
            <Findings findings={state.findings} />
          )}
        </>
      )}
      {state.status !== "running" && (
        <Form action="/admin/doctor">
          <SubmitButton kind="plain">{words.say("admin.doctor.begin")}</SubmitButton>
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
  browser: "admin.doctor.parts.browser",
};

function Findings({ findings }: { readonly findings: readonly DoctorFinding[] }) {
  const words = useWords();
  const columns = [
    { label: words.say("admin.doctor.part") },
    { label: words.say("admin.doctor.state") },
    { label: words.say("admin.doctor.detail") },
  ];
  return (
    <Table caption={words.say("admin.doctor.caption")} captionUnseen columns={columns}>
      <RowGroup>
        {findings.map(({ what, state, detail }) => (
          <Row key={what} cells={[words.say(parts[what]), <State key="state" state={state} />, <Detail key="detail">{detail}</Detail>]} />
        ))}
      </RowGroup>
    </Table>
  );
}

function State({ state }: { readonly state: DoctorFinding["state"] }) {
  const words = useWords();
  return (
    <span class={state === "ok" ? "state good" : "state poor"}>
      <Mark name={state === "ok" ? "tick" : "warning"} />
      <span class="word">{words.say(`admin.doctor.states.${state}`)}</span>
    </span>
  );
}

/** The command line speaks English. */
function Detail({ children }: { readonly children: string }) {
  return (
    <span lang="en" {...untranslated}>
      {children}
    </span>
  );
}
