/** Sealed values: state that a browser keeps for this process, encrypted and authenticated, with an end. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;
/** Longer values are not looked at. */
const sealedCharsMax = 6_144;

export interface Sealing<T> {
  seal(value: T): string;
  /** Null for a value of another key or kind, a changed one, and one that is over. */
  open(sealed: string): T | null;
}

/** The key lives as long as the process: a restart voids what it sealed. `kind` keeps values of different uses apart. */
export function createSealing<T>(
  kind: string,
  { lifetimeMs, nowMs }: { readonly lifetimeMs: number; readonly nowMs: () => number },
): Sealing<T> {
  const key = randomBytes(32);
  const associated = Buffer.from(kind);
  return {
    seal: (value) => {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv).setAAD(associated);
      const text = JSON.stringify({ endMs: nowMs() + lifetimeMs, value });
      const bytes = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), bytes]).toString("base64url");
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed.slice(0, sealedCharsMax), "base64url");
      if (bytes.length <= ivBytes + tagBytes) return null;
      try {
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes))
          .setAAD(associated)
          .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
        const text = Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString("utf8");
        const { endMs, value }: { endMs: number; value: T } = JSON.parse(text);
        return nowMs() < endMs ? value : null;
      } catch {
        return null;
      }
    },
  };
}
