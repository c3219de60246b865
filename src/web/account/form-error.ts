/** Errors of a submitted form: where the page shows them and which status it answers. */
import type { PasswordRefusal } from "../../account/own-credentials.ts";
import { type PasswordFault, passwordCharsMax } from "../../account/passwords.ts";
import type { RetryLater } from "../../account/sign-in.ts";
import type { Visit } from "../visit.ts";

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
