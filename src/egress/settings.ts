/** Settings of the SSRF guard: plain data, because it crosses into worker threads. */
import type { parseConnectTo } from "../parse/address.ts";

/** User agent of the appliance's own HTTP client; the browser keeps the name of a browser. */
export const ownUserAgent = "assay (security scanner of a web page, asked for by its user)";

/**
 * Fixed address for a name and port, like curl's `--connect-to`, for sites that the resolver does not know. The IP address must pass the
 * address policy like any other. The port there is exempt from `allowPorts`, because the operator names it here.
 */
export type ConnectTo = NonNullable<ReturnType<typeof parseConnectTo>>;

export interface EgressSettings {
  /** `internet` allows public addresses only; `internal` also private, CGNAT and loopback addresses. */
  readonly profile: "internet" | "internal";
  /** Ranges opened in addition to the profile. `sensitiveAddresses` limits them. */
  readonly allowCidrs: readonly string[];
  /** Ranges blocked in addition to the profile; stronger than `allowCidrs`. */
  readonly denyCidrs: readonly string[];
  readonly allowPorts: readonly number[] | "any";
  readonly connectTo: readonly ConnectTo[];
  /** `address` or `address:port` of resolvers; empty means the system's. */
  readonly dnsServers: readonly string[];
  /** Setting behind `allowCidrs`, as refusals name it; `scan.allow_cidrs` if absent. */
  readonly allowCidrsSetting?: "webhooks.allow_cidrs";
  /**
   * How `allowCidrs` opens addresses of this machine and of cloud metadata.
   * `by-exact-entry`: each needs an entry for that address alone, /32 or /128, also a public address of an interface.
   * Absent: any range opens loopback, and nothing opens metadata.
   */
  readonly sensitiveAddresses?: "by-exact-entry";
  /** The appliance's own listeners (server, browser control, proxies), never reachable from a scan. A null address means every local one. */
  readonly ownEndpoints: readonly { readonly address: string | null; readonly port: number }[];
}
