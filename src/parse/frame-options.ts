/** Reads X-Frame-Options as the HTML standard has browsers do ("check a navigation response's adherence to X-Frame-Options"). */
import { splitHeaderList } from "./header-list.ts";

/**
 * What a browser makes of the fields. `conflict`: several values of which one has a meaning; the page is then not framed at all.
 * `ignored`: nothing that has a meaning, and the page may be framed by anybody; `ALLOW-FROM` and `ALLOWALL` are among this.
 */
export type FrameOptions = "deny" | "sameorigin" | "conflict" | "ignored";

const meaningful: readonly string[] = ["deny", "sameorigin", "allowall"];

/** The effect of all X-Frame-Options fields together; null when there is none. Values that repeat count once. */
export function parseFrameOptions(fields: readonly string[]): FrameOptions | null {
  const values = new Set(splitHeaderList(fields).map((value) => value.toLowerCase()));
  if (values.size === 0) return null;
  if (values.size > 1) return meaningful.some((value) => values.has(value)) ? "conflict" : "ignored";
  if (values.has("deny")) return "deny";
  return values.has("sameorigin") ? "sameorigin" : "ignored";
}
