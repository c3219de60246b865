/** Pages that create an account: `/setup` for the first one, `/sign-up` by open registration or by invitation. */
import type { RegistrationOutcome } from "../../accounts/account-actions.ts";
import { memberInvitationPath } from "../../agency/member-operations.ts";
import type { Plan } from "../../store/accounts.ts";
import { linkHours } from "../../store/one-time-links.ts";
import type { TextValues } from "../../text/i18n.ts";
import type { TextPath } from "../../text/translator.ts";
import { type Fields, readForm } from "../form.tsx";
import { redirect } from "../response.ts";
import type { Visit } from "../visit.ts";
import {
  CommandLine,
  CredentialForm,
  emailError,
  emailField,
  emailIn,
  type FormError,
  newPassword,
  newPasswordError,
  plainPage,
  throttledError,
  UnencryptedNotice,
} from "./credentials.tsx";
import { callerOf, startSession } from "./session.ts";

const accountMadePath = "/account?done=made";

function typedIn(fields: Fields) {
  return { email: emailIn(fields), password: fields.text("password") };
}

/** Redirects to `next`, or returns the form's errors, or `link-invalid` for an unusable link. */
async function registrationAnswer(
  visit: Visit,
  registered: RegistrationOutcome,
  next = accountMadePath,
): Promise<Response | FormError | "link-invalid"> {
  if (registered.status === "registered") {
    const { account, opened } = registered;
    visit.settings.log.info("account created", { account: account.id, plan: account.plan, admin: account.admin });
    return redirect(opened === null ? visit : await startSession(visit, account, opened), next);
  }
  if (registered.status !== "refused") return throttledError(visit, registered);
  switch (registered.fault) {
    case "link-invalid":
    case "not-set-up":
      return "link-invalid";
    case "email-invalid":
    case "email-taken":
    case "email-not-invited":
      return emailError(visit, registered.fault);
    default:
      return newPasswordError(visit, "password", registered.fault);
  }
}

interface RegistrationFormProps {
  readonly action: string;
  /** Secret of the one-time link; "" without one. */
  readonly link: string;
  readonly email: string;
  /** True if the invitation names the only allowed address. */
  readonly emailFixed?: boolean;
  readonly submit: TextPath;
  readonly formError: FormError | null;
}

function RegistrationForm({ link, emailFixed = false, ...form }: RegistrationFormProps) {
  const fields = { email: { ...emailField, readOnly: emailFixed }, password: { ...newPassword, label: "credentials.password" } } as const;
  return (
    <>
      <UnencryptedNotice />
      <CredentialForm hidden={link === "" ? {} : { t: link }} fields={fields} {...form} />
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
  return plainPage(visit, {
    title,
    status,
    wide: true,
    children: (
      <>
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

/** The server prints the link at its start. */
function setupPage(visit: Visit, link: string, email = "", formError: FormError | null = null): Response {
  const { i18n, settings, now } = visit;
  if (settings.store.accounts.hasAny())
    return plainPage(visit, {
      title: "setup.doneTitle",
      status: 410,
      wide: true,
      children: (
        <>
          <p>{i18n.t("setup.doneText")}</p>
          <p>
            <a href="/sign-in">{i18n.t("setup.signIn")}</a>
          </p>
        </>
      ),
    });
  if (settings.store.oneTimeLinks.findByValue("setup", link, now) === undefined)
    return unusableLinkPage(visit, 410, {
      texts: ["setup.invalid.title", "setup.invalid.what", "setup.invalid.next"],
      values: { hours: linkHours.setup },
      command: "assay user setup-link",
    });
  return plainPage(visit, {
    title: "setup.title",
    formError,
    children: (
      <>
        <p>{i18n.t("setup.intro")}</p>
        <RegistrationForm action="/setup" link={link} email={email} submit="setup.submit" formError={formError} />
      </>
    ),
  });
}

export function getSignUp(visit: Visit): Response {
  return signUpPage(visit, visit.url.searchParams.get("t") ?? "");
}

export async function postSignUp(visit: Visit): Promise<Response> {
  const { accounts, config } = visit.settings;
  const fields = await readForm(visit);
  const typed = typedIn(fields);
  const link = fields.text("t");
  const access = signUpAccess(visit, link);
  if (access === "closed") return signUpPage(visit, link);
  const [plan, caller] = [config["accounts.default_plan"], callerOf(visit)];
  const registered = await {
    open: () => accounts.actions.signUp(typed, plan, caller),
    link: () => accounts.actions.signUpByLink("invite", link, typed, caller),
    member: () => accounts.actions.signUpInvited(link, typed, plan, caller),
  }[access.by]();
  const answer = await registrationAnswer(visit, registered, access.by === "member" ? memberInvitationPath(link) : accountMadePath);
  if (answer instanceof Response) return answer;
  return answer === "link-invalid" ? registrationClosed(visit, link) : signUpPage(visit, link, typed.email, answer);
}

interface SignUpAccess {
  readonly by: "open" | "link" | "member";
  readonly plan: Plan;
  /** The only address; null for any. */
  readonly email: string | null;
}

/** What this visitor may create, or that registration is closed. A member's invitation permits its address even then; other links do not. */
function signUpAccess({ settings, now }: Visit, link: string): SignUpAccess | "closed" {
  const { store, config } = settings;
  const signUp = config["accounts.signup"];
  if (!store.accounts.hasAny()) return "closed";
  const plan = config["accounts.default_plan"];
  if (link === "") return signUp === "open" ? { by: "open", plan, email: null } : "closed";
  const invitation = store.members.findInvitation(link, now);
  if (invitation !== undefined) return { by: "member", plan, email: invitation.email };
  const invited = signUp === "closed" ? undefined : store.oneTimeLinks.findByValue("invite", link, now);
  return invited === undefined ? "closed" : { by: "link", plan: invited.plan, email: invited.email };
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
  if (access === "closed") return registrationClosed(visit, link);
  return plainPage(visit, {
    title: "signUp.title",
    formError,
    secret: link !== "",
    children: (
      <>
        {access.email !== null && <p>{i18n.t("signUp.invited", { email: access.email })}</p>}
        <p>{i18n.t("signUp.plan", { plan: i18n.t(`plans.names.${access.plan}`) })}</p>
        <RegistrationForm
          action="/sign-up"
          link={link}
          email={access.email ?? email}
          emailFixed={access.email !== null}
          submit="signUp.submit"
          formError={formError}
        />
        <p>
          {i18n.t("signUp.have")} <a href="/sign-in">{i18n.t("signUp.signIn")}</a>
        </p>
      </>
    ),
  });
}
