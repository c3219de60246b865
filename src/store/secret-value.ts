/** Random secrets: shown once, stored only as SHA-256. They cannot be guessed, so a fast hash without salt suffices. */
import { createHash } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { hourMs } from "../base/units.ts";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Largest multiple of 62 below 256: bytes from here on would favour the first letters. */
const unbiasedBytesMax = 248;
/** 256 bits. */
const valueChars = 43;
const valuePattern = /^[0-9A-Za-z]{43}$/;

/** Value of a session or a one-time link: letters and digits, safe in cookies and URLs. */
export function newSecretValue(clock: Pick<Clock, "randomBytes">): string {
  return randomBase62(clock, valueChars);
}

/** Checks the form only, without a lookup. */
export function isSecretValue(value: string): boolean {
  return valuePattern.test(value);
}

export function hashOfSecret(value: string): string {
  return createHash("sha256").update(value).digest("hex");
}

export function randomBase62(clock: Pick<Clock, "randomBytes">, chars: number): string {
  let text = "";
  while (text.length < chars) {
    for (const byte of clock.randomBytes(chars)) {
      if (byte < unbiasedBytesMax && text.length < chars) text += base62[byte % base62.length];
    }
  }
  return text;
}

export function toBase62(number: number, chars: number): string {
  let text = "";
  for (let rest = number; text.length < chars; rest = Math.floor(rest / base62.length)) text = base62[rest % base62.length] + text;
  return text;
}

/** Hours since 1970 of the last call, and its text: every request asks for the same hour. */
let lastHour = { number: Number.NaN, text: "" };

/** Time of last use of a secret: the start of the hour (ISO 8601, UTC), so that each use does not cost a write. */
export function hourOf(now: Date): string {
  const number = Math.floor(now.getTime() / hourMs);
  if (lastHour.number !== number) lastHour = { number, text: new Date(number * hourMs).toISOString() };
  return lastHour.text;
}
