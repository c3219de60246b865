/** Decision of the address policy about a host, for tests of the SSRF guard. */
import { createAddressPolicy } from "../../src/egress/address-policy.ts";
import { parseHost } from "../../src/egress/host.ts";
import type { EgressSettings } from "../../src/egress/settings.ts";
import { egressSettings } from "./egress-settings.ts";

/** The policy's decision for a host of a URL. Names are not resolved here. */
export function decisionFor(text: string, given: Partial<EgressSettings> = {}): "allowed" | "refused" | "name" | "no host" {
  const host = parseHost(text);
  if (host === null) return "no host";
  if (host.kind === "name") return "name";
  return createAddressPolicy(egressSettings(given), []).authorizeAddress(host.text).allowed ? "allowed" : "refused";
}
