/** Values that let somebody in: handed out once, stored only as their SHA-256. Unguessable, so a fast hash without salt keeps them safe. */
import { createHash } from "node:crypto";
import { randomBase62 } from "./random.ts";

/** 256 bits. */
const valueChars = 43;
const valuePattern = /^[0-9A-Za-z]{43}$/;

/** The value of a session or a one-time link: letters and digits, as cookies and addresses take them. */
export function newSecretValue(): string {
  return randomBase62(valueChars);
}

/** Right in form; says nothing about whether it was ever handed out. */
export function isSecretValue(value: string): boolean {
  return valuePattern.test(value);
}

/** SHA-256 in hexadecimal digits. */
export function hashOfSecret(value: string): string {
  return createHash("sha256").update(value).digest("hex");
}
