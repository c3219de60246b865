/** Parses X-Frame-Options (HTML standard, "check a navigation response's adherence to X-Frame-Options"). */
import { splitHeaderList } from "./header-list.ts";

/** `conflict`: different values, one of them known; framing is blocked. `ignored`: no known value; any site can frame the page. */
export type FrameOptions = "deny" | "sameorigin" | "conflict" | "ignored";

const knownValues: readonly string[] = ["deny", "sameorigin", "allowall"];

/** Combined effect of all X-Frame-Options fields; null without a field. Repeated values count once. */
export function parseFrameOptions(fields: readonly string[]): FrameOptions | null {
  const values = new Set(splitHeaderList(fields).map((value) => value.toLowerCase()));
  if (values.size === 0) return null;
  if (values.size > 1) return knownValues.some((value) => values.has(value)) ? "conflict" : "ignored";
  if (values.has("deny")) return "deny";
  return values.has("sameorigin") ? "sameorigin" : "ignored";
}
