/** Forms of credentials: the errors of a submitted one, its fields with the attributes that password managers need, and the plain page around it. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { PasswordRefusal } from "../../accounts/own-credentials.ts";
import { type PasswordFault, passwordCharsMax } from "../../accounts/passwords.ts";
import type { RetryLater } from "../../accounts/sign-in.ts";
import { Notice } from "../../report/components/notice.tsx";
import { ConfigLines } from "../../report/components/remediation.tsx";
import { useI18n } from "../../report/context.ts";
import { emailCharsMax } from "../../store/account-index.ts";
import type { TextPath } from "../../text/translator.ts";
import { Field } from "../components/field.tsx";
import { ActionForm, type ActionFormProps } from "../components/forms.tsx";
import { useVisit } from "../context.ts";
import type { Fields } from "../form.tsx";
import { type PageContent, page } from "../page.tsx";
import type { Visit } from "../visit.ts";

/** `Retry-After` while the sign-in queue is full. */
const busySeconds = 5;

/** Errors of a submitted form: where the page shows them and which status it answers. */
export interface FormError {
  /** Error of one field ... */
  readonly field: { readonly name: string; readonly text: string } | null;
  /** ... or of the whole form. */
  readonly whole: string | null;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** 400 for invalid input, 403 for a failed proof of identity. */
function fieldError(name: string, text: string, status: 400 | 403 = 400): FormError {
  return { field: { name, text }, whole: null, status, headers: {} };
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
  return { field: null, whole, status, headers: { "retry-after": String(seconds) } };
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
export function answerTo(formError: FormError | null): Pick<FormError, "status" | "headers"> {
  return formError === null ? { status: 200, headers: {} } : { status: formError.status, headers: formError.headers };
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

const FormErrorContext = createContext<FormError | null>(null);

/** Form with the error of the whole form above it; its fields show their own error. */
export function CredentialForm({ formError, ...form }: ActionFormProps & { readonly formError: FormError | null }) {
  return (
    <FormErrorContext.Provider value={formError}>
      <FormErrorNotice formError={formError} />
      <ActionForm {...form} />
    </FormErrorContext.Provider>
  );
}

/** Error of the form as a whole; null without one. */
export function FormErrorNotice({ formError }: { readonly formError: FormError | null }) {
  return formError === null || formError.whole === null ? null : (
    <Notice kind="poor" alert>
      {formError.whole}
    </Notice>
  );
}

/** Error text of a field of the form around; undefined without an error. */
function useFieldError(name: string): string | undefined {
  const field = useContext(FormErrorContext)?.field ?? null;
  return field?.name === name ? field.text : undefined;
}

export function EmailField(props: { readonly value: string; readonly readOnly?: boolean; readonly autofocus?: boolean }) {
  return (
    <Field
      name="email"
      type="email"
      label={useI18n().t("credentials.email")}
      autocomplete="username"
      maxLength={emailCharsMax}
      error={useFieldError("email")}
      verbatim
      {...props}
    />
  );
}

interface PasswordProps {
  readonly id?: string;
  readonly label?: TextPath;
}

// No `maxlength` on passwords: browsers would silently cut a pasted one.

export function CurrentPassword({ label = "credentials.currentPassword", ...id }: PasswordProps) {
  const text = useI18n().t(label);
  return <Field name="password" type="password" label={text} autocomplete="current-password" error={useFieldError("password")} {...id} />;
}

export function NewPassword({ name = "password", label = "credentials.newPassword" }: PasswordProps & { readonly name?: string }) {
  const { i18n, settings } = useVisit();
  const { charsMin } = settings.accounts.actions.passwords;
  return (
    <Field
      name={name}
      type="password"
      label={i18n.t(label)}
      autocomplete="new-password"
      hint={i18n.t("credentials.passwordHint", { charsMin })}
      error={useFieldError(name)}
    />
  );
}

/** Code of an authenticator, or a recovery code. */
export function CodeField(props: { readonly autofocus?: boolean }) {
  const label = useI18n().t("credentials.code");
  return <Field name="code" label={label} autocomplete="one-time-code" error={useFieldError("code")} verbatim {...props} />;
}

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
