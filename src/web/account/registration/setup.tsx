/** `/setup?t=`: creates the first account by the link that the server printed at its start. */
import { linkHours } from "../../../store/one-time-links.ts";
import { readForm } from "../../form.tsx";
import { page } from "../../page.tsx";
import type { Visit } from "../../visit.ts";
import { answerTo, type FormError } from "../form-error.ts";
import { callerOf } from "../sign-in/session-cookie.ts";
import { RegistrationForm, registrationAnswer, typedIn, unusableLinkPage } from "./registration-form.tsx";

export function getSetup(visit: Visit): Response {
  return setupPage(visit, visit.url.searchParams.get("t") ?? "");
}

export async function postSetup(visit: Visit): Promise<Response> {
  const fields = await readForm(visit);
  const typed = typedIn(fields);
  const link = fields.text("t");
  const answer = await registrationAnswer(visit, await visit.settings.accounts.actions.signUpByLink("setup", link, typed, callerOf(visit)));
  return answer instanceof Response ? answer : setupPage(visit, link, typed.email, answer === "link-invalid" ? null : answer);
}

function setupPage(visit: Visit, link: string, email = "", formError: FormError | null = null): Response {
  const { i18n, settings, now } = visit;
  if (settings.store.accounts.hasAny()) return setupDonePage(visit);
  if (settings.store.oneTimeLinks.findByValue("setup", link, now) === undefined)
    return unusableLinkPage(visit, 410, {
      texts: ["setup.invalid.title", "setup.invalid.what", "setup.invalid.next"],
      values: { hours: linkHours.setup },
      command: "assay user setup-link",
    });
  return page(visit, {
    title: i18n.t("setup.title"),
    ...answerTo(formError),
    noIndex: true,
    secret: true,
    children: (
      <div class="narrow">
        <h1>{i18n.t("setup.title")}</h1>
        <p>{i18n.t("setup.intro")}</p>
        <RegistrationForm action="/setup" link={link} email={email} submit="setup.submit" formError={formError} />
      </div>
    ),
  });
}

function setupDonePage(visit: Visit): Response {
  const { i18n } = visit;
  return page(visit, {
    title: i18n.t("setup.doneTitle"),
    status: 410,
    noIndex: true,
    secret: true,
    children: (
      <>
        <h1>{i18n.t("setup.doneTitle")}</h1>
        <p>{i18n.t("setup.doneText")}</p>
        <p>
          <a href="/sign-in">{i18n.t("setup.signIn")}</a>
        </p>
      </>
    ),
  });
}
