/** `/sign-up`: creates an account by open registration or invitation. */
import type { Plan } from "../../../store/accounts.ts";
import { linkHours } from "../../../store/one-time-links.ts";
import { readForm } from "../../form.tsx";
import { page } from "../../page.tsx";
import type { Visit } from "../../visit.ts";
import { answerTo, type FormError } from "../form-error.ts";
import { callerOf } from "../sign-in/session-cookie.ts";
import { RegistrationForm, registrationAnswer, type Typed, typedIn, unusableLinkPage } from "./registration-form.tsx";

export function getSignUp(visit: Visit): Response {
  return signUpPage(visit, visit.url.searchParams.get("t") ?? "");
}

export async function postSignUp(visit: Visit): Promise<Response> {
  const fields = await readForm(visit);
  const typed = typedIn(fields);
  const link = fields.text("t");
  if (signUpAccess(visit, link) === "shut") return signUpPage(visit, link);
  const answer = await registrationAnswer(visit, await register(visit, link, typed));
  if (answer instanceof Response) return answer;
  return answer === "link-invalid" ? registrationClosed(visit, link) : signUpPage(visit, link, typed.email, answer);
}

function register(visit: Visit, link: string, typed: Typed) {
  const { accounts, config } = visit.settings;
  return link === ""
    ? accounts.actions.signUp(typed, config["accounts.default_plan"], callerOf(visit))
    : accounts.actions.signUpByLink("invite", link, typed, callerOf(visit));
}

/** Plan and fixed mail address for this visitor, or why registration is closed. Closed registration refuses invitations too. */
function signUpAccess({ settings, now }: Visit, link: string): { readonly plan: Plan; readonly email: string | null } | "shut" {
  const { store, config } = settings;
  if (config["accounts.signup"] === "closed" || !store.accounts.hasAny()) return "shut";
  if (link !== "") return store.oneTimeLinks.findByValue("invite", link, now) ?? "shut";
  return config["accounts.signup"] === "open" ? { plan: config["accounts.default_plan"], email: null } : "shut";
}

function registrationClosed(visit: Visit, link: string): Response {
  const { config, store } = visit.settings;
  if (config["accounts.signup"] === "closed" || !store.accounts.hasAny())
    return unusableLinkPage(visit, 403, { texts: ["signUp.closed.title", "signUp.closed.what", "signUp.closed.next"] });
  if (link === "") return unusableLinkPage(visit, 403, { texts: ["signUp.invite.title", "signUp.invite.what", "signUp.invite.next"] });
  return unusableLinkPage(visit, 410, {
    texts: ["signUp.invalid.title", "signUp.invalid.what", "signUp.invalid.next"],
    values: { days: linkHours.invite / 24 },
  });
}

function signUpPage(visit: Visit, link: string, email = "", formError: FormError | null = null): Response {
  const { i18n } = visit;
  const access = signUpAccess(visit, link);
  if (access === "shut") return registrationClosed(visit, link);
  return page(visit, {
    title: i18n.t("signUp.title"),
    ...answerTo(formError),
    noIndex: true,
    secret: link !== "",
    children: (
      <div class="narrow">
        <h1>{i18n.t("signUp.title")}</h1>
        {access.email !== null && <p>{i18n.t("signUp.invited", { email: access.email })}</p>}
        <p>{i18n.t("signUp.plan", { plan: i18n.t(`plans.names.${access.plan}`) })}</p>
        <RegistrationForm
          action="/sign-up"
          link={link === "" ? null : link}
          email={access.email ?? email}
          emailFixed={access.email !== null}
          submit="signUp.submit"
          formError={formError}
        />
        <p>
          {i18n.t("signUp.have")} <a href="/sign-in">{i18n.t("signUp.signIn")}</a>
        </p>
      </div>
    ),
  });
}
