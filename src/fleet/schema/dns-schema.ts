/** Schema of the facts from DNS. */
import type {
  DnsCaaFacts,
  DnsIpv6Facts,
  DnsNameServersFacts,
  DnssecFacts,
  MailDaneFacts,
  MailDmarcFacts,
  MailHostDane,
  MailMxFacts,
  MailSpfFacts,
  TextRecords,
  TlsaRecord,
} from "../../evidence/dns-facts.ts";
import {
  daneHostsMax,
  dmarcWalkNamesMax,
  dnsRecordCharsMax,
  dnsRecordsMax,
  hostAddressesMax,
  nameServersMax,
  reportReceiversMax,
  spfQuestionsMax,
  spfRecordCharsMax,
  tlsaDataCharsMax,
} from "../../evidence/limits.ts";
import { dnsNameCharsMax } from "../../parse/dns-name.ts";
import { count, fields, flag, instant, list, literalOf, orNull, schemaFor, text, wholeNumber } from "./fields.ts";
import { addressCharsMax } from "./page-schema.ts";
import { probeFailure, readingOf } from "./reading-schema.ts";

/** A name from a record, with a prefix and the name of another domain: RFC 9990 section 4. */
const name = text(dnsRecordCharsMax + 2 * dnsNameCharsMax);
/** Labels of the longest name. */
const labelsMax = Math.ceil(dnsNameCharsMax / 2);
const byte = wholeNumber(255);
const twoBytes = wholeNumber(65_535);
const record = fields({ text: text(spfRecordCharsMax), truncated: flag });
const addresses = list(text(addressCharsMax), hostAddressesMax);

const textRecords = schemaFor<TextRecords>()(
  fields({ name, nameExists: flag, records: list(record, dnsRecordsMax), recordsDropped: count }),
);

const dnsCaa = schemaFor<DnsCaaFacts>()(
  fields({
    foundAt: orNull(name),
    records: list(fields({ critical: flag, tag: text(dnsRecordCharsMax), value: text(dnsRecordCharsMax), truncated: flag }), dnsRecordsMax),
    recordsDropped: count,
    asked: list(name, labelsMax),
  }),
);

const dnssec = schemaFor<DnssecFacts>()(
  fields({
    domain: name,
    status: literalOf("secure", "insecure", "bogus"),
    unchecked: orNull(
      fields({
        dsKeyTags: list(twoBytes, dnsRecordsMax),
        zoneKeyTags: list(twoBytes, dnsRecordsMax),
        signatures: list(fields({ covers: literalOf("SOA", "DNSKEY"), validTo: instant }), 2 * dnsRecordsMax),
      }),
    ),
  }),
);

const mailMx = schemaFor<MailMxFacts>()(
  fields({
    domain: name,
    nameExists: flag,
    exchangers: list(fields({ preference: twoBytes, host: name }), dnsRecordsMax),
    exchangersDropped: count,
  }),
);

const mailSpf = schemaFor<MailSpfFacts>()(
  fields({
    domain: name,
    own: textRecords,
    followed: list(
      fields({
        name,
        type: literalOf("TXT", "A", "MX"),
        answer: readingOf(fields({ nameExists: flag, records: list(record, dnsRecordsMax) })),
      }),
      spfQuestionsMax,
    ),
    followedDropped: count,
  }),
);

const mailDmarc = schemaFor<MailDmarcFacts>()(
  fields({
    domain: name,
    walk: list(textRecords, dmarcWalkNamesMax),
    hostUnread: orNull(probeFailure),
    reportReceivers: list(fields({ domain: name, answer: readingOf(textRecords) }), reportReceiversMax),
    reportReceiversDropped: count,
  }),
);

const tlsaRecord = schemaFor<TlsaRecord>()(
  fields({ usage: byte, selector: byte, matchingType: byte, data: text(tlsaDataCharsMax), dataBytes: count }),
);

const mailHostDane = schemaFor<MailHostDane>()(
  fields({
    zone: literalOf("signed", "unsigned", "no-address"),
    name: orNull(name),
    authentic: flag,
    records: list(tlsaRecord, dnsRecordsMax),
    recordsDropped: count,
  }),
);

const mailDane = schemaFor<MailDaneFacts>()(
  fields({ hosts: list(fields({ host: name, answer: readingOf(mailHostDane) }), daneHostsMax), hostsDropped: count }),
);

const dnsIpv6 = schemaFor<DnsIpv6Facts>()(fields({ host: name, nameExists: flag, addresses }));

const dnsNameServers = schemaFor<DnsNameServersFacts>()(
  fields({
    zone: orNull(name),
    servers: list(fields({ host: name, ipv4: readingOf(addresses), ipv6: readingOf(addresses) }), nameServersMax),
    serversDropped: count,
  }),
);

/** By name of the reading. */
export const dnsSchemas = {
  dnsCaa,
  dnssec,
  mailMx,
  mailSpf,
  mailDmarc,
  mailDane,
  dnsIpv6,
  dnsNameServers,
  mailMtaSts: textRecords,
  mailTlsRpt: textRecords,
};
