/** Egress settings for tests: the defaults of an installation, with what a test cares about laid over them. */
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
