/** What was wrong with a form that was sent, where the page tells it, and with which status it answers. */
import type { PasswordRefusal } from "../../account/own-credentials.ts";
import { type PasswordFault, passwordCharsMax } from "../../account/passwords.ts";
import type { RetryLater } from "../../account/sign-in.ts";
import type { Visit } from "../visit.ts";

/** Until a line of people who sign in is likely to be shorter. */
const busySeconds = 5;

export interface FormError {
  /** With one of its fields ... */
  readonly field: { readonly name: string; readonly text: string } | null;
  /** ... or as a whole. */
  readonly whole: string | null;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** 400 is something that was typed, 403 something that was not proved. */
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

/** Of the field `password`. */
export function reauthenticationError(visit: Visit, unproved: PasswordRefusal): FormError {
  if (unproved.status !== "wrong-password") return throttledError(visit, unproved);
  return fieldError("password", visit.i18n.t("credentials.errors.wrongPassword"), 403);
}

/** What to say at a field; undefined for nothing. */
export function errorAt(formError: FormError | null, name: string): string | undefined {
  return formError?.field?.name === name ? formError.field.text : undefined;
}

/** Status and headers of the page that tells it. */
export function answerTo(formError: FormError | null): Pick<FormError, "status" | "headers"> {
  return formError === null ? { status: 200, headers: {} } : { status: formError.status, headers: formError.headers };
}
