/** Form that creates an account, with its errors. */
import type { RegistrationOutcome } from "../../account/account-actions.ts";
import { useI18n } from "../../report/context.ts";
import { emailCharsMax } from "../../store/account-index.ts";
import type { Plan } from "../../store/accounts.ts";
import { linkHours } from "../../store/one-time-links.ts";
import type { TextValues } from "../../text/i18n.ts";
import type { TextPath } from "../../text/translator.ts";
import { SubmitButton } from "../components/submit-button.tsx";
import { type Fields, Form, readForm } from "../form.tsx";
import { page } from "../page.tsx";
import { redirect } from "../response.ts";
import type { Visit } from "../visit.ts";
import {
  answerTo,
  CommandLine,
  EmailField,
  errorAt,
  type FormError,
  FormErrorNotice,
  fieldError,
  NewPassword,
  newPasswordError,
  throttledError,
  UnencryptedNotice,
} from "./fields.tsx";
import { callerOf, startSession } from "./session.ts";

export interface Typed {
  readonly email: string;
  readonly password: string;
}

function typedIn(fields: Fields): Typed {
  return { email: fields.text("email").slice(0, emailCharsMax + 1), password: fields.text("password") };
}

/** Redirects to the new account, or returns the form's errors, or `link-invalid` for an unusable link. */
async function registrationAnswer(visit: Visit, registered: RegistrationOutcome): Promise<Response | FormError | "link-invalid"> {
  const { i18n } = visit;
  switch (registered.status) {
    case "registered": {
      const { account, opened } = registered;
      visit.settings.log.info("account created", { account: account.id, plan: account.plan, admin: account.admin });
      return redirect(opened === null ? visit : await startSession(visit, account, opened), "/account?done=made");
    }
    case "refused":
      break;
    default:
      return throttledError(visit, registered);
  }
  switch (registered.fault) {
    case "link-invalid":
    case "not-set-up":
      return "link-invalid";
    case "email-invalid":
      return fieldError("email", i18n.t("credentials.errors.emailInvalid"));
    case "email-taken":
      return fieldError("email", i18n.t("credentials.errors.emailTaken"));
    case "email-not-invited":
      return fieldError("email", i18n.t("credentials.errors.emailNotInvited"));
    default:
      return newPasswordError(visit, "password", registered.fault);
  }
}

interface RegistrationFormProps {
  readonly action: string;
  /** Secret of the one-time link; null without one. */
  readonly link: string | null;
  readonly email: string;
  /** True if the invitation names the only allowed address. */
  readonly emailFixed?: boolean;
  readonly submit: TextPath;
  readonly formError: FormError | null;
}

function RegistrationForm({ action, link, email, emailFixed = false, submit, formError }: RegistrationFormProps) {
  const i18n = useI18n();
  return (
    <>
      <UnencryptedNotice />
      <FormErrorNotice formError={formError} />
      <Form action={action}>
        {link !== null && <input type="hidden" name="t" value={link} />}
        <EmailField value={email} error={errorAt(formError, "email")} readOnly={emailFixed} />
        <NewPassword name="password" label={i18n.t("credentials.password")} error={errorAt(formError, "password")} />
        <SubmitButton>{i18n.t(submit)}</SubmitButton>
      </Form>
    </>
  );
}

interface UnusableLink {
  readonly texts: readonly [title: TextPath, what: TextPath, next: TextPath];
  /** Placeholder values of the text. */
  readonly values?: TextValues;
  /** Command to run on the server. */
  readonly command?: string;
}

/** Explains an unusable link or closed registration, and the next step. */
export function unusableLinkPage(visit: Visit, status: 403 | 410, { texts, values, command }: UnusableLink): Response {
  const { i18n } = visit;
  const [title, what, next] = texts;
  return page(visit, {
    title: i18n.t(title),
    status,
    noIndex: true,
    secret: true,
    children: (
      <>
        <h1>{i18n.t(title)}</h1>
        <p>{i18n.t(what, values)}</p>
        <p>{i18n.t(next)}</p>
        {command !== undefined && <CommandLine>{command}</CommandLine>}
      </>
    ),
  });
}

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
