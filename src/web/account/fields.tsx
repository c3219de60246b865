/** Form fields for credentials, with the attributes that password managers need, and notices. */

import { Notice } from "../../report/components/notice.tsx";
import { ConfigLines } from "../../report/components/remediation.tsx";
import { useI18n } from "../../report/context.ts";
import { emailCharsMax } from "../../store/account-index.ts";
import { Field } from "../components/field.tsx";
import { useVisit } from "../context.ts";
import type { FormError } from "./form-error.ts";

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
