/** What the forms by which people sign in are made of: fields that password managers know, and notices. */
import { emailCharsMax } from "../../store/account-index.ts";
import { Field } from "../components/field.tsx";
import { Lines } from "../components/lines.tsx";
import { Notice } from "../components/notice.tsx";
import { useVisit, useWords } from "../context.ts";
import type { FormError } from "./form-error.ts";

interface EmailFieldProps {
  readonly value: string;
  readonly error?: string | undefined;
  readonly readOnly?: boolean;
  readonly autofocus?: boolean;
}

export function EmailField(props: EmailFieldProps) {
  const words = useWords();
  return (
    <Field
      name="email"
      type="email"
      label={words.say("credentials.email")}
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

// No length is set on passwords: a browser would cut what is pasted without a word.

export function CurrentPassword({ label, ...props }: PasswordProps) {
  const words = useWords();
  return <Field type="password" label={label ?? words.say("credentials.currentPassword")} autocomplete="current-password" {...props} />;
}

export function NewPassword({ label, ...props }: PasswordProps) {
  const { words, settings } = useVisit();
  return (
    <Field
      type="password"
      label={label ?? words.say("credentials.newPassword")}
      autocomplete="new-password"
      hint={words.say("credentials.passwordHint", { charsMin: settings.accounts.actions.passwords.charsMin })}
      {...props}
    />
  );
}

/** Of an authenticator, or a recovery code. */
export function CodeField(props: { readonly error: string | undefined; readonly autofocus?: boolean }) {
  const words = useWords();
  return <Field name="code" label={words.say("credentials.code")} autocomplete="one-time-code" verbatim {...props} />;
}

/** A line to type on the server, where it has to find the server's own data. */
export function CommandLine({ children }: { readonly children: string }) {
  const words = useWords();
  return (
    <>
      <Lines label={words.say("credentials.command")}>{children}</Lines>
      <p class="hint">{words.say("credentials.commandBy")}</p>
    </>
  );
}

/** Said where a password is about to be typed and somebody could read along. */
export function UnencryptedNotice() {
  const { words, own } = useVisit();
  return own.https || own.loopback ? null : <Notice kind="warn">{words.say("credentials.unencrypted")}</Notice>;
}

/** What is wrong with a form as a whole; nothing when that is fine. */
export function FormErrorNotice({ formError }: { readonly formError: FormError | null }) {
  return formError === null || formError.whole === null ? null : (
    <Notice kind="poor" alert>
      {formError.whole}
    </Notice>
  );
}
