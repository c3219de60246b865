/** Form that creates an account, with its errors. */
import type { RegistrationOutcome } from "../../../account/account-actions.ts";
import { useI18n } from "../../../report/context.ts";
import { emailCharsMax } from "../../../store/account-index.ts";
import type { TextValues } from "../../../text/i18n.ts";
import type { TextPath } from "../../../text/translator.ts";
import { SubmitButton } from "../../components/submit-button.tsx";
import { type Fields, Form } from "../../form.tsx";
import { page } from "../../page.tsx";
import { redirect } from "../../response.ts";
import type { Visit } from "../../visit.ts";
import { CommandLine, EmailField, FormErrorNotice, NewPassword, UnencryptedNotice } from "../fields.tsx";
import { errorAt, type FormError, fieldError, newPasswordError, throttledError } from "../form-error.ts";
import { startSession } from "../sign-in/session-cookie.ts";

export interface Typed {
  readonly email: string;
  readonly password: string;
}

export function typedIn(fields: Fields): Typed {
  return { email: fields.text("email").slice(0, emailCharsMax + 1), password: fields.text("password") };
}

/** Redirects to the new account, or returns the form's errors, or `link-invalid` for an unusable link. */
export async function registrationAnswer(visit: Visit, registered: RegistrationOutcome): Promise<Response | FormError | "link-invalid"> {
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

export function RegistrationForm({ action, link, email, emailFixed = false, submit, formError }: RegistrationFormProps) {
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
