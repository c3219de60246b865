/** Facts from DNS, apart from addresses. */
import type { ProbeFailure, Reading } from "./evidence.ts";

/** Certification Authority Authorization, RFC 8659. */
export interface DnsCaaFacts {
  /** Name with the records; null if the complete tree has none. */
  readonly foundAt: string | null;
  readonly records: readonly { readonly critical: boolean; readonly tag: string; readonly value: string; readonly truncated: boolean }[];
  readonly recordsDropped: number;
  /** Names queried, in order. */
  readonly asked: readonly string[];
}

/** Answer to one question for TXT records. */
export interface TextRecords {
  /** Queried name. */
  readonly name: string;
  /** False if the name does not exist (NXDOMAIN, RFC 8020). */
  readonly nameExists: boolean;
  /** Strings of one record, joined without a space (RFC 7208 section 3.3), at most `dnsRecordCharsMax` characters. */
  readonly records: readonly { readonly text: string; readonly truncated: boolean }[];
  readonly recordsDropped: number;
}

/** Status of the registrable domain. The reading fails as `unsupported` if the resolver does not validate. */
export interface DnssecFacts {
  readonly domain: string;
  /** RFC 4033 section 5, from the AD bit. `bogus`: refused, but answered with checking disabled (CD). */
  readonly status: "secure" | "insecure" | "bogus";
  /** Records of a bogus domain, queried with checking disabled. Null for other domains, and if unreadable. */
  readonly unchecked: {
    /** Key tags, RFC 4034 appendix B. */
    readonly dsKeyTags: readonly number[];
    readonly zoneKeyTags: readonly number[];
    readonly signatures: readonly {
      readonly covers: "SOA" | "DNSKEY";
      /** ISO 8601, UTC. */
      readonly validTo: string;
    }[];
  } | null;
}

/** MX records of the registrable domain. */
export interface MailMxFacts {
  readonly domain: string;
  readonly nameExists: boolean;
  /** Lower-case host names without a trailing dot; the empty name is the null MX (RFC 7505). */
  readonly exchangers: readonly { readonly preference: number; readonly host: string }[];
  readonly exchangersDropped: number;
}

/** Sender Policy Framework, RFC 7208: TXT records of the domain, and the answers that evaluating its SPF record requires. */
export interface MailSpfFacts {
  readonly domain: string;
  /** TXT records of the domain itself, including SPF. */
  readonly own: TextRecords;
  /** Each name and type once, in query order. `MX` has host names; `A` has addresses of both families. */
  readonly followed: readonly {
    readonly name: string;
    readonly type: "TXT" | "A" | "MX";
    readonly answer: Reading<{
      readonly nameExists: boolean;
      readonly records: readonly { readonly text: string; readonly truncated: boolean }[];
    }>;
  }[];
  /** Number of questions beyond `spfQuestionsMax` that were not asked. */
  readonly followedDropped: number;
}

/** DMARC, RFC 9989: TXT records of the tree walk, and the consent of external report receivers. */
export interface MailDmarcFacts {
  readonly domain: string;
  /** Walks from `_dmarc.<domain>` and from the scanned host upwards, each until its end (RFC 9989 section 4.10). */
  readonly walk: readonly TextRecords[];
  /** Reason why the scanned host's walk is incomplete; null if complete. The domain's walk is always complete. */
  readonly hostUnread: ProbeFailure | null;
  /** RFC 9990 section 4: `<policy domain>._report._dmarc.<receiver>` for each receiver outside the organization. */
  readonly reportReceivers: readonly { readonly domain: string; readonly answer: Reading<TextRecords> }[];
  readonly reportReceiversDropped: number;
}

/** Record of RFC 6698 section 2.1. */
export interface TlsaRecord {
  readonly usage: number;
  readonly selector: number;
  readonly matchingType: number;
  /** Association data in lower-case hex, at most `tlsaDataCharsMax` characters. */
  readonly data: string;
  /** Length of the data before the cut. */
  readonly dataBytes: number;
}

/** TLSA records of one mail host, RFC 7672 section 2.2. */
export interface MailHostDane {
  /** `unsigned`: the host's zone is not signed, so that senders ask for no TLSA records. `no-address`: the host has no address. */
  readonly zone: "signed" | "unsigned" | "no-address";
  /** Name of the records, or the last name queried; null if none was queried. */
  readonly name: string | null;
  /** False if the answer has no DNSSEC proof, so that senders ignore it. */
  readonly authentic: boolean;
  readonly records: readonly TlsaRecord[];
  readonly recordsDropped: number;
}

/** DANE of the mail hosts, RFC 7672. The reading fails as `unsupported` if no resolver validates. */
export interface MailDaneFacts {
  readonly hosts: readonly { readonly host: string; readonly answer: Reading<MailHostDane> }[];
  /** Number of mail hosts beyond `daneHostsMax` that were not queried. */
  readonly hostsDropped: number;
}

/** IPv6 addresses of the scanned host. */
export interface DnsIpv6Facts {
  readonly host: string;
  /** False if the name does not exist in the DNS, as with a target of `connect_to`. */
  readonly nameExists: boolean;
  /** At most `hostAddressesMax`. */
  readonly addresses: readonly string[];
}

/** Name servers of the registrable domain. */
export interface DnsNameServersFacts {
  /** Name with the NS records: the domain, or a name above it. Null if none was found. */
  readonly zone: string | null;
  /** Each address family is a question of its own; at most `hostAddressesMax` addresses each. */
  readonly servers: readonly {
    readonly host: string;
    readonly ipv4: Reading<readonly string[]>;
    readonly ipv6: Reading<readonly string[]>;
  }[];
  /** Number of name servers beyond `nameServersMax` that were not queried. */
  readonly serversDropped: number;
}
