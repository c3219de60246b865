/** `/admin`: what needs attention, the queue, and the doctor. */
import { AdminBanners } from "./admin-banners.tsx";
import { adminOf, adminPage } from "./admin-frame.tsx";
import { AdminQueue } from "./admin-queue.tsx";
import { redirect } from "./answer.tsx";
import { untranslated } from "./components/foreign.tsx";
import { useVisit, useWords } from "./context.ts";
import type { Finding } from "./examination.ts";
import { Form, readForm } from "./form.tsx";
import { pageGroup, type Visit } from "./visit.ts";
import type { TextPath } from "./words.ts";

/** While the doctor looks, the page without script is loaded anew. */
const examinationRefreshSeconds = 3;

export function adminRoutes() {
  return pageGroup("admin")
    .get("/admin", ({ visit }) => overview(visit))
    .post("/admin/doctor", ({ visit }) => beginExamination(visit));
}

function overview(visit: Visit): Response {
  adminOf(visit);
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

async function beginExamination(visit: Visit): Promise<Response> {
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
        <p>
          {words.say(state.findings === null ? "admin.doctor.failed" : "admin.doctor.done")} (
          <time dateTime={state.at}>{words.ago(state.at)}</time>)
        </p>
      )}
      {state.status === "done" && state.findings !== null && <Findings findings={state.findings} />}
      {state.status !== "running" && (
        <Form action="/admin/doctor">
          <button type="submit">{words.say("admin.doctor.begin")}</button>
        </Form>
      )}
    </section>
  );
}

const parts: Readonly<Record<Finding["what"], TextPath>> = {
  "data directory": "admin.doctor.parts.dataDirectory",
  port: "admin.doctor.parts.port",
  checks: "admin.doctor.parts.checks",
  dns: "admin.doctor.parts.dns",
  browser: "admin.doctor.parts.browser",
};

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  const words = useWords();
  return (
    <table class="cards">
      <caption>{words.say("admin.doctor.caption")}</caption>
      <thead>
        <tr>
          <th scope="col">{words.say("admin.doctor.part")}</th>
          <th scope="col">{words.say("admin.doctor.state")}</th>
          <th scope="col">{words.say("admin.doctor.detail")}</th>
        </tr>
      </thead>
      <tbody>
        {findings.map(({ what, state, detail }) => (
          <tr key={what}>
            <th scope="row">{words.say(parts[what])}</th>
            <td data-label={words.say("admin.doctor.state")}>{words.say(`admin.doctor.states.${state}`)}</td>
            <td data-label={words.say("admin.doctor.detail")} lang="en" {...untranslated}>
              {detail}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
