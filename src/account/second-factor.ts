/** Second factor: TOTP codes (RFC 6238) and recovery codes. */
import { Secret, TOTP } from "otpauth";

const periodSeconds = 30;
/** Accepted steps before and after now: clocks differ, and people type slowly (RFC 6238 section 5.2). */
const stepsAround = 1;
/** RFC 4226 section 4, R6: 160 bits. */
const secretBytes = 20;
/** 80 bits cannot be guessed, so hashes need no salt and attempts no throttle. 16 letters in base32. */
const recoveryCodeBytes = 10;
const recoveryCodesCount = 10;
const recoveryCodePattern = /^[A-Z2-7]{16}$/;

/** Base32. */
export function newTotpSecret(): string {
  return new Secret({ size: secretBytes }).base32;
}

/** Time step of a code; null if it is not valid now. */
export function totpStepOf(secret: string, code: string, now: Date): number | null {
  const digits = code.replaceAll(/\s/g, "");
  if (!/^\d{6}$/.test(digits)) return null;
  const delta = totpOf(secret).validate({ token: digits, timestamp: now.getTime(), window: stepsAround });
  return delta === null ? null : Math.floor(now.getTime() / 1_000 / periodSeconds) + delta;
}

/** Content of the QR code. The authenticator shows `issuer` and `email` to its owner. */
export function totpUri(secret: string, { issuer, email }: { readonly issuer: string; readonly email: string }): string {
  return totpOf(secret, { issuer, label: email }).toString();
}

function totpOf(secret: string, names: { readonly issuer?: string; readonly label?: string } = {}): TOTP {
  return new TOTP({ ...names, algorithm: "SHA1", digits: 6, period: periodSeconds, secret: Secret.fromBase32(secret) });
}

/** Ten codes in the normal form of `parseRecoveryCode`. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: recoveryCodesCount }, () => new Secret({ size: recoveryCodeBytes }).base32);
}

/** Groups of four, for copying by hand. */
export function formatRecoveryCode(code: string): string {
  return (code.match(/.{4}/g) ?? []).join("-").toLowerCase();
}

/** Accepts any case, blanks and hyphens; null if malformed. */
export function parseRecoveryCode(typed: string): string | null {
  const code = typed.replaceAll(/[\s-]/g, "").toUpperCase();
  return recoveryCodePattern.test(code) ? code : null;
}
