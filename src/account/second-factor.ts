/** The second factor: codes that an authenticator computes (RFC 6238), and recovery codes for the day it is lost. */
import { Secret, TOTP } from "otpauth";

const periodSeconds = 30;
/** Steps before and after now whose codes are taken: clocks differ, and people type slowly (RFC 6238 section 5.2). */
const stepsAround = 1;
/** RFC 4226 section 4, R6: 160 bits. */
const secretBytes = 20;
/** 80 bits, which nobody guesses: so their hashes need no salt, and guesses no lock. 16 letters in base32. */
const recoveryCodeBytes = 10;
const recoveryCodesCount = 10;
const recoveryCodePattern = /^[A-Z2-7]{16}$/;

/** Base32. */
export function newTotpSecret(): string {
  return new Secret({ size: secretBytes }).base32;
}

/** The step whose code this is; null when it is none of those around now. */
export function totpStepOf(secret: string, code: string, now: Date): number | null {
  const digits = code.replaceAll(/\s/g, "");
  if (!/^\d{6}$/.test(digits)) return null;
  const delta = totpOf(secret).validate({ token: digits, timestamp: now.getTime(), window: stepsAround });
  return delta === null ? null : Math.floor(now.getTime() / 1_000 / periodSeconds) + delta;
}

/** What an authenticator reads from the QR code. `issuer` and account name are what it shows its owner. */
export function totpUri(secret: string, { issuer, email }: { readonly issuer: string; readonly email: string }): string {
  return totpOf(secret, { issuer, label: email }).toString();
}

function totpOf(secret: string, names: { readonly issuer?: string; readonly label?: string } = {}): TOTP {
  return new TOTP({ ...names, algorithm: "SHA1", digits: 6, period: periodSeconds, secret: Secret.fromBase32(secret) });
}

/** Ten of them, as `recoveryCodeOf` gives them back. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: recoveryCodesCount }, () => new Secret({ size: recoveryCodeBytes }).base32);
}

/** In groups of four, to be copied by hand. */
export function shownRecoveryCode(code: string): string {
  return (code.match(/.{4}/g) ?? []).join("-").toLowerCase();
}

/** A recovery code however it was typed; null for what cannot be one. */
export function recoveryCodeOf(typed: string): string | null {
  const code = typed.replaceAll(/[\s-]/g, "").toUpperCase();
  return recoveryCodePattern.test(code) ? code : null;
}
