/** Facts from DNS, apart from addresses of connections. */
import { count, type Fact, fields, flag, instant, list, literalOf, orNull, probeFailure, readingOf, text, wholeNumber } from "./fields.ts";
import * as limits from "./limits.ts";

/** Name from a record, with a prefix and the name of another domain: RFC 9990 section 4. */
const name = text(limits.dnsRecordCharsMax + 2 * limits.dnsNameCharsMax);
/** Labels of the longest name. */
const labelsMax = Math.ceil(limits.dnsNameCharsMax / 2);
const byte = wholeNumber(255);
const twoBytes = wholeNumber(65_535);
const records = list(fields({ text: text(limits.spfRecordCharsMax), truncated: flag }), limits.dnsRecordsMax);
const addresses = list(text(limits.addressCharsMax), limits.hostAddressesMax);

/** Certification Authority Authorization, RFC 8659. */
export const dnsCaa = fields({
  /** Name with the records; null if the complete tree has none. */
  foundAt: orNull(name),
  records: list(
    fields({ critical: flag, tag: text(limits.dnsRecordCharsMax), value: text(limits.dnsRecordCharsMax), truncated: flag }),
    limits.dnsRecordsMax,
  ),
  recordsDropped: count,
  /** Names queried, in order. */
  asked: list(name, labelsMax),
});
export type DnsCaaFacts = Fact<typeof dnsCaa>;

/** Answer to one question for TXT records. */
export const textRecordsSchema = fields({
  /** Queried name. */
  name,
  /** False if the name does not exist (NXDOMAIN, RFC 8020). */
  nameExists: flag,
  /** Strings of one record, joined without a space (RFC 7208 section 3.3), at most `dnsRecordCharsMax` characters. */
  records,
  recordsDropped: count,
});
export type TextRecords = Fact<typeof textRecordsSchema>;

/** Status of the registrable domain. The reading fails as `unsupported` if the resolver does not validate. */
export const dnssec = fields({
  domain: name,
  /** RFC 4033 section 5, from the AD bit. `bogus`: refused, but answered with checking disabled (CD). */
  status: literalOf("secure", "insecure", "bogus"),
  /** Records of a bogus domain, queried with checking disabled. Null for other domains, and if unreadable. */
  unchecked: orNull(
    fields({
      /** Key tags, RFC 4034 appendix B. */
      dsKeyTags: list(twoBytes, limits.dnsRecordsMax),
      zoneKeyTags: list(twoBytes, limits.dnsRecordsMax),
      signatures: list(
        fields({
          covers: literalOf("SOA", "DNSKEY"),
          /** ISO 8601, UTC. */
          validTo: instant,
        }),
        2 * limits.dnsRecordsMax,
      ),
    }),
  ),
});
export type DnssecFacts = Fact<typeof dnssec>;

/** MX records of the registrable domain. */
export const mailMx = fields({
  domain: name,
  nameExists: flag,
  /** Lower-case host names without a trailing dot; the empty name is the null MX (RFC 7505). */
  exchangers: list(fields({ preference: twoBytes, host: name }), limits.dnsRecordsMax),
  exchangersDropped: count,
});
export type MailMxFacts = Fact<typeof mailMx>;

/** Sender Policy Framework, RFC 7208: TXT records of the domain, and the answers that evaluating its SPF record requires. */
export const mailSpf = fields({
  domain: name,
  /** TXT records of the domain itself, including SPF. */
  own: textRecordsSchema,
  /** Each name and type once, in query order. `MX` has host names; `A` has addresses of both families. */
  followed: list(
    fields({ name, type: literalOf("TXT", "A", "MX"), answer: readingOf(fields({ nameExists: flag, records })) }),
    limits.spfQuestionsMax,
  ),
  /** Number of questions beyond `spfQuestionsMax` that were not asked. */
  followedDropped: count,
});
export type MailSpfFacts = Fact<typeof mailSpf>;

/** DMARC, RFC 9989: TXT records of the tree walk, and the consent of external report receivers. */
export const mailDmarc = fields({
  domain: name,
  /** Walks from `_dmarc.<domain>` and from the scanned host upwards, each until its end (RFC 9989 section 4.10). */
  walk: list(textRecordsSchema, limits.dmarcWalkNamesMax),
  /** Reason why the scanned host's walk is incomplete; null if complete. The domain's walk is always complete. */
  hostUnread: orNull(probeFailure),
  /** RFC 9990 section 4: `<policy domain>._report._dmarc.<receiver>` for each receiver outside the organization. */
  reportReceivers: list(fields({ domain: name, answer: readingOf(textRecordsSchema) }), limits.reportReceiversMax),
  reportReceiversDropped: count,
});
export type MailDmarcFacts = Fact<typeof mailDmarc>;

/** Record of RFC 6698 section 2.1. */
const tlsaRecord = fields({
  usage: byte,
  selector: byte,
  matchingType: byte,
  /** Association data in lower-case hex, at most `tlsaDataCharsMax` characters. */
  data: text(limits.tlsaDataCharsMax),
  /** Length of the data before the cut. */
  dataBytes: count,
});
export type TlsaRecord = Fact<typeof tlsaRecord>;

/** TLSA records of one mail host, RFC 7672 section 2.2. */
const mailHostDane = fields({
  /** `unsigned`: the host's zone is not signed, so that senders ask for no TLSA records. `no-address`: the host has no address. */
  zone: literalOf("signed", "unsigned", "no-address"),
  /** Name of the records, or the last name queried; null if none was queried. */
  name: orNull(name),
  /** False if the answer has no DNSSEC proof, so that senders ignore it. */
  authentic: flag,
  records: list(tlsaRecord, limits.dnsRecordsMax),
  recordsDropped: count,
});
export type MailHostDane = Fact<typeof mailHostDane>;

/** DANE of the mail hosts, RFC 7672. The reading fails as `unsupported` if no resolver validates. */
export const mailDane = fields({
  hosts: list(fields({ host: name, answer: readingOf(mailHostDane) }), limits.daneHostsMax),
  /** Number of mail hosts beyond `daneHostsMax` that were not queried. */
  hostsDropped: count,
});
export type MailDaneFacts = Fact<typeof mailDane>;

/** IPv6 addresses of the scanned host. */
export const dnsIpv6 = fields({
  host: name,
  /** False if the name does not exist in the DNS, as with a target of `connect_to`. */
  nameExists: flag,
  /** At most `hostAddressesMax`. */
  addresses,
});
export type DnsIpv6Facts = Fact<typeof dnsIpv6>;

/** Name servers of the registrable domain. */
export const dnsNameServers = fields({
  /** Name with the NS records: the domain, or a name above it. Null if none was found. */
  zone: orNull(name),
  /** Each address family is a question of its own; at most `hostAddressesMax` addresses each. */
  servers: list(fields({ host: name, ipv4: readingOf(addresses), ipv6: readingOf(addresses) }), limits.nameServersMax),
  /** Number of name servers beyond `nameServersMax` that were not queried. */
  serversDropped: count,
});
export type DnsNameServersFacts = Fact<typeof dnsNameServers>;
