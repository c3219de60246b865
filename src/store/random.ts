/** Unguessable words for tokens. */
import { randomBytes } from "node:crypto";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** The largest multiple of 62 below 256: bytes from here on would favour the first letters. */
const fairBelow = 248;

/** That many letters and digits, each worth 5.95 bits. */
export function randomBase62(chars: number): string {
  let word = "";
  while (word.length < chars) {
    for (const byte of randomBytes(chars)) {
      if (byte < fairBelow && word.length < chars) word += base62[byte % base62.length];
    }
  }
  return word;
}

/** A number in base 62, padded with zeros to that many characters. */
export function toBase62(number: number, chars: number): string {
  let word = "";
  for (let rest = number; word.length < chars; rest = Math.floor(rest / base62.length)) word = base62[rest % base62.length] + word;
  return word;
}
