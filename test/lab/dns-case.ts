/** A DNS case: its zones, its resolvers and the expected outcome of the checks. */
import type { FindingCode, State } from "../../src/check/check.ts";
import type { Answer } from "../support/servers.ts";
import type { DnsZone } from "./dns-tree.ts";

export interface DnsCase {
  readonly name: string;
  /** Scanned as `https://<host>/`; by default the first zone's name. */
  readonly host?: string;
  readonly zones: readonly CaseZone[];
  /** In query order; by default only the validating one. */
  readonly resolvers?: readonly ResolverKind[];
  /** Server at port 443 of `mta-sts.` and the first zone's name; by default the host from the zone. */
  readonly policyHost?: PolicyHost;
  /** Expected outcomes by ledger key. */
  readonly expected: Readonly<Record<string, Outcome>>;
}

/** A state, or the finding code of a violated check. */
export type Outcome = State | FindingCode;

/** `unvalidating` does not validate, `silent` never answers, `absent` does not listen. */
export type ResolverKind = "validating" | "unvalidating" | "silent" | "absent";

export interface CaseZone extends Omit<DnsZone, "servedBy"> {
  /** Delegation to a server that refuses, never answers, or has an alias at the apex; by default to the tree's server. */
  readonly servedBy?: "refusing" | "silent" | "apexAlias";
}

export type PolicyHost =
  /** The file, or another response. */
  { readonly policy: string | Answer } | { readonly fault: PolicyHostFault };

export type PolicyHostFault = "connection-refused" | "expired-certificate" | "certificate-for-another-host" | "never-answers";
