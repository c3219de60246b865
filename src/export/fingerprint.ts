/** Fingerprints by which services recognise a finding in later files. */
import { createHash } from "node:crypto";

const hashHexChars = 32;

/**
 * Returns fingerprints of findings: a hash of host, path, query and code, then `:1`, or `:2` for a second one with the same four. The scheme
 * is left out, so that a redirect to https keeps them. Unique within one function.
 */
export function createFingerprints(): (url: string, code: string) => string {
  const counts = new Map<string, number>();
  return (url, code) => {
    const { host, pathname, search } = URL.parse(url) ?? { host: url, pathname: "", search: "" };
    const text = `${host}${pathname}${search}\n${code}`.toWellFormed();
    const hash = createHash("sha256").update(text).digest("hex").slice(0, hashHexChars);
    const count = (counts.get(hash) ?? 0) + 1;
    counts.set(hash, count);
    return `${hash}:${count}`;
  };
}
