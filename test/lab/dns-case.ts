/** What a DNS case says: its zones, who resolves them, and what is expected of the checks. */
import type { FindingCode, State } from "../../src/check/check.ts";
import type { Answer } from "../support/servers.ts";
import type { DnsZone } from "./dns-tree.ts";

export interface DnsCase {
  /** What the names say, in words. */
  readonly name: string;
  /** Scanned as `https://<host>/`; the first zone's name when absent. */
  readonly host?: string;
  readonly zones: readonly CaseZone[];
  /** In the order in which they are asked; the validating one alone when absent. */
  readonly resolvers?: readonly ResolverKind[];
  /** What stands behind port 443 of `mta-sts.` and the first zone's name; without it that name leads wherever its zone says. */
  readonly policyHost?: PolicyHost;
  /** By ledger key. */
  readonly expected: Readonly<Record<string, Outcome>>;
}

/** A state, or the code of a finding by which the check is violated. */
export type Outcome = State | FindingCode;

/** `believing` does not validate, `silent` never answers, `absent` does not listen. */
export type ResolverKind = "validating" | "believing" | "silent" | "absent";

export interface CaseZone extends Omit<DnsZone, "servedBy"> {
  /** Delegated to a server that refuses it, never answers, or has an alias at the apex, instead of the tree's own. */
  readonly servedBy?: "refusing" | "silent" | "apexAlias";
}

export type PolicyHost =
  /** The file, or another answer in its place. */
  { readonly policy: string | Answer } | { readonly fault: PolicyHostFault };

export type PolicyHostFault = "connection-refused" | "expired-certificate" | "certificate-for-another-host" | "never-answers";
