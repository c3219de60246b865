/** What the operator decides about where scans may go: plain data, because it crosses into worker threads. */

/** Like curl's `--connect-to`: a name and port that are dialled at a fixed address, for sites that the resolver does not know. */
export interface ConnectTo {
  /** ASCII host name as it stands in URLs. */
  readonly host: string;
  /** Port as it stands in URLs. */
  readonly port: number;
  /** IP address to dial instead; it must pass the address policy like any other. */
  readonly address: string;
  /** Port to dial instead; named by the operator, so it needs no leave from `allowPorts`. */
  readonly addressPort: number;
}

export interface EgressSettings {
  /** `internet` refuses every address that is not public; `internal` also lets private, CGNAT and loopback addresses through. */
  readonly profile: "internet" | "internal";
  /** Ranges opened on top of the profile. Cloud metadata addresses stay shut whatever stands here. */
  readonly allowCidrs: readonly string[];
  /** Ranges shut on top of the profile; stronger than `allowCidrs`. */
  readonly denyCidrs: readonly string[];
  readonly allowPorts: readonly number[] | "any";
  readonly connectTo: readonly ConnectTo[];
  /** `address` or `address:port` of resolvers; empty means the system's. */
  readonly dnsServers: readonly string[];
  /** The appliance's own doors (listening address, browser control, egress proxies): never reachable from a scan. A null address stands for every local one. */
  readonly ownEndpoints: readonly { readonly address: string | null; readonly port: number }[];
}
