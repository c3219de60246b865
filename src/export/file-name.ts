/** Names of exported files. */
import { hostOf } from "../parse/site.ts";

/** Keeps the file name below the usual limit of 255 bytes. */
const hostCharsMax = 120;

/** A scan that is over, as far as the name of its file shows it. */
interface NamedScan {
  readonly token: string;
  readonly url: string;
  /** ISO 8601, UTC. */
  readonly endedAt: string;
}

/** `example.org_2026-11-19_<token>.<extension>`: only letters, digits, dots, hyphens and underscores. */
export function exportFileName({ token, url, endedAt }: NamedScan, extension: string): string {
  const host = (hostOf(url) ?? "").slice(0, hostCharsMax).replaceAll(/[^\w.-]/g, "-");
  return `${host}_${endedAt.slice(0, 10)}_${token}.${extension}`;
}
