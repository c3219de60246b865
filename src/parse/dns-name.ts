/** Length limits of DNS names: RFC 1035 section 2.3.4. */
import { dnsNameCharsMax } from "../evidence/limits.ts";

export const dnsLabelCharsMax = 63;

/** True if a name without its trailing dot has no empty label and fits the limits. Does not check characters. */
export function fitsDns(name: string): boolean {
  return name.length <= dnsNameCharsMax && name.split(".").every((label) => label !== "" && label.length <= dnsLabelCharsMax);
}
