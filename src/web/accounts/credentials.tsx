/** Forms of credentials: the errors of a submitted one, its fields with the attributes that password managers need, and the plain page around it. */
import type { PasswordRefusal } from "../../accounts/own-credentials.ts";
import { type PasswordFault, passwordCharsMax } from "../../accounts/passwords.ts";
import type { RetryLater } from "../../accounts/sign-in.ts";
import { emailCharsMax } from "../../parse/mail/address.ts";
import { Notice } from "../../report/components/notice.tsx";
import { ConfigLines } from "../../report/components/remediation.tsx";
import { useI18n } from "../../report/context.ts";
import type { TextPath } from "../../text/translator.ts";
import { ActionForm, type ActionFormProps, type FormDescription, FormFields } from "../components/forms.tsx";
import { Alert } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import type { Fields } from "../form.tsx";
import { type PageContent, page } from "../page.tsx";
import type { SharedVisit, Visit } from "../visit.ts";

/** `Retry-After` while the sign-in queue is full. */
const busySeconds = 5;

/** Errors of a submitted form: where the page shows them and which status it answers. */
export interface FormError {
  /** Error of a field by its name ... */
  readonly fields?: ReadonlyMap<string, string>;
  /** ... or of the whole form. */
  readonly whole?: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** 400 for invalid input, 403 for a failed proof of identity. */
function fieldError(name: string, text: string, status: 400 | 403 = 400): FormError {
  return { fields: new Map([[name, text]]), status };
}

const emailTexts = { "email-invalid": "emailInvalid", "email-taken": "emailTaken", "email-not-invited": "emailNotInvited" } as const;

export function emailError({ i18n }: Visit, fault: keyof typeof emailTexts): FormError {
  return fieldError("email", i18n.t(`credentials.errors.${emailTexts[fault]}`));
}

export function newPasswordError({ i18n, settings }: Visit, name: string, fault: PasswordFault): FormError {
  const texts = { "too-short": "tooShort", "too-long": "tooLong", common: "common", "is-email": "isEmail" } as const;
  const { charsMin } = settings.accounts.actions.passwords;
  return fieldError(name, i18n.t(`credentials.errors.${texts[fault]}`, { charsMin, charsMax: passwordCharsMax }));
}

export function throttledError({ i18n }: Visit, heldUp: RetryLater): FormError {
  const [status, seconds, whole] =
    heldUp.status === "busy"
      ? ([503, busySeconds, i18n.t("credentials.errors.busy")] as const)
      : ([429, heldUp.seconds, i18n.t("credentials.errors.throttled", { wait: i18n.duration(heldUp.seconds) })] as const);
  return { whole, status, headers: { "retry-after": String(seconds) } };
}

export function reauthenticationError(visit: Visit, unproved: PasswordRefusal): FormError {
  if (unproved.status !== "wrong-password") return throttledError(visit, unproved);
  return fieldError("password", visit.i18n.t("credentials.errors.wrongPassword"), 403);
}

export function wrongCodeError({ i18n }: Visit): FormError {
  return fieldError("code", i18n.t("credentials.errors.wrongCode"), 403);
}

/** Mail address as typed; at most one character longer than the longest valid one. */
export function emailIn(fields: Fields): string {
  return fields.text("email").slice(0, emailCharsMax + 1);
}

/** Status and headers of the page with the error. */
export function answerTo(formError: FormError | null): Required<Pick<FormError, "status" | "headers">> {
  return { status: formError?.status ?? 200, headers: formError?.headers ?? {} };
}

interface PlainPage extends Omit<PageContent, "title" | "status" | "headers" | "noIndex"> {
  readonly title: TextPath;
  readonly status?: number;
  readonly formError?: FormError | null;
  /** Default: a narrow column. */
  readonly wide?: boolean;
}

/** Page without tabs, for visitors who may have no session. It is kept nowhere, unless `secret` is false. */
export function plainPage(visit: Visit, { title, status = 200, formError = null, wide = false, children, ...given }: PlainPage): Response {
  const heading = visit.i18n.t(title);
  const content = (
    <>
      <h1>{heading}</h1>
      {children}
    </>
  );
  return page(visit, {
    secret: true,
    ...given,
    ...(formError === null ? { status } : answerTo(formError)),
    title: heading,
    noIndex: true,
    children: wide ? content : <div class="narrow">{content}</div>,
  });
}

interface CredentialFormProps extends ActionFormProps {
  readonly fields: FormDescription;
  /** Value of the field `email`. */
  readonly email?: string;
  readonly formError: FormError | null;
}

/** Form with the error of the whole form above it, and the errors of its fields beside them. */
export function CredentialForm({ fields, email, formError, children, ...form }: CredentialFormProps) {
  return (
    <>
      <Alert kind="poor">{formError?.whole}</Alert>
      <ActionForm {...form}>
        {children}
        <FormFields form={fields} values={{ email }} errors={formError?.fields} />
      </ActionForm>
    </>
  );
}

/** Form of a page with several ones that was refused, and is shown again. */
export interface RejectedForm {
  readonly operation: string;
  /** Mail address as typed. */
  readonly email?: string;
  readonly formError: FormError;
}

interface OperationFormProps extends Omit<CredentialFormProps, "action" | "formError" | "hidden"> {
  readonly operation: string;
  readonly rejected: RejectedForm | null;
}

/** One of several forms of a page, which takes the POST of each operation itself. */
export function OperationForm({ operation, rejected, ...form }: OperationFormProps) {
  const formError = rejected?.operation === operation ? rejected.formError : null;
  return <CredentialForm {...form} action={useVisit().url.pathname} hidden={{ do: operation }} formError={formError} />;
}

export const emailField = {
  control: "email",
  label: "credentials.email",
  autocomplete: "username",
  maxLength: emailCharsMax,
  verbatim: true,
} as const;

// No `maxlength` on passwords: browsers would silently cut a pasted one.

export const currentPassword = { control: "password", label: "credentials.currentPassword", autocomplete: "current-password" } as const;

/** Password of a form that has no other one. */
export const onlyPassword = { ...currentPassword, label: "credentials.password" } as const;

export const newPassword = {
  control: "password",
  label: "credentials.newPassword",
  autocomplete: "new-password",
  hint: ({ i18n, settings }: SharedVisit) => i18n.t("credentials.passwordHint", { charsMin: settings.accounts.actions.passwords.charsMin }),
} as const;

/** Code of an authenticator, or a recovery code. */
export const codeField = { label: "credentials.code", autocomplete: "one-time-code", verbatim: true } as const;

/** Command to run on the server, with the server's data directory. */
export function CommandLine({ children }: { readonly children: string }) {
  const i18n = useI18n();
  return (
    <>
      <ConfigLines label={i18n.t("credentials.command")}>{children}</ConfigLines>
      <p class="hint">{i18n.t("credentials.commandBy")}</p>
    </>
  );
}

/** Warns that the connection is unencrypted where a password is typed. */
export function UnencryptedNotice() {
  const { i18n, server } = useVisit();
  return server.https || server.loopback ? null : <Notice kind="warn">{i18n.t("credentials.unencrypted")}</Notice>;
}
