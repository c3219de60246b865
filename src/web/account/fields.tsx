/** Form fields for credentials, with the attributes that password managers need, and notices. */
import type { PasswordRefusal } from "../../account/own-credentials.ts";
import { type PasswordFault, passwordCharsMax } from "../../account/passwords.ts";
import type { RetryLater } from "../../account/sign-in.ts";
import { Notice } from "../../report/components/notice.tsx";
import { ConfigLines } from "../../report/components/remediation.tsx";
import { useI18n } from "../../report/context.ts";
import { emailCharsMax } from "../../store/account-index.ts";
import { Field } from "../components/field.tsx";
import { useVisit } from "../context.ts";
import type { Visit } from "../visit.ts";

interface EmailFieldProps {
  readonly value: string;
  readonly error?: string | undefined;
  readonly readOnly?: boolean;
  readonly autofocus?: boolean;
}

export function EmailField(props: EmailFieldProps) {
  const i18n = useI18n();
  return (
    <Field
      name="email"
      type="email"
      label={i18n.t("credentials.email")}
      autocomplete="username"
      maxLength={emailCharsMax}
      verbatim
      {...props}
    />
  );
}

interface PasswordProps {
  readonly name: string;
  readonly id?: string;
  readonly label?: string;
  readonly error?: string | undefined;
}

// No `maxlength` on passwords: browsers would silently cut a pasted one.

export function CurrentPassword({ label, ...props }: PasswordProps) {
  const i18n = useI18n();
  return <Field type="password" label={label ?? i18n.t("credentials.currentPassword")} autocomplete="current-password" {...props} />;
}

export function NewPassword({ label, ...props }: PasswordProps) {
  const { i18n, settings } = useVisit();
  return (
    <Field
      type="password"
      label={label ?? i18n.t("credentials.newPassword")}
      autocomplete="new-password"
      hint={i18n.t("credentials.passwordHint", { charsMin: settings.accounts.actions.passwords.charsMin })}
      {...props}
    />
  );
}

/** Code of an authenticator, or a recovery code. */
export function CodeField(props: { readonly error: string | undefined; readonly autofocus?: boolean }) {
  const i18n = useI18n();
  return <Field name="code" label={i18n.t("credentials.code")} autocomplete="one-time-code" verbatim {...props} />;
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

/** Error of the form as a whole; null without one. */
export function FormErrorNotice({ formError }: { readonly formError: FormError | null }) {
  return formError === null || formError.whole === null ? null : (
    <Notice kind="poor" alert>
      {formError.whole}
    </Notice>
  );
}

/** `Retry-After` while the sign-in queue is full. */
const busySeconds = 5;

export interface FormError {
  /** Error of one field ... */
  readonly field: { readonly name: string; readonly text: string } | null;
  /** ... or of the whole form. */
  readonly whole: string | null;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** 400 for invalid input, 403 for a failed proof of identity. */
export function fieldError(name: string, text: string, status: 400 | 403 = 400): FormError {
  return { field: { name, text }, whole: null, status, headers: {} };
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

/** Error text of a field; undefined without an error. */
export function errorAt(formError: FormError | null, name: string): string | undefined {
  return formError?.field?.name === name ? formError.field.text : undefined;
}

/** Status and headers of the page with the error. */
export function answerTo(formError: FormError | null): Pick<FormError, "status" | "headers"> {
  return formError === null ? { status: 200, headers: {} } : { status: formError.status, headers: formError.headers };
}
