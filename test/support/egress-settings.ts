/** Egress settings for tests: the product's defaults, overridden by the settings of the test. */
import type { EgressSettings } from "../../src/egress/settings.ts";

export function egressSettings(given: Partial<EgressSettings> = {}): EgressSettings {
  return {
    profile: "internet",
    allowCidrs: [],
    denyCidrs: [],
    allowPorts: [],
    connectTo: [],
    dnsServers: [],
    ownEndpoints: [],
    ...given,
  };
}
