/** Readings by name, with the schema of the facts of each: as received, without interpretation. One file holds one kind of probe. */
import { dnsCaa, dnsIpv6, dnsNameServers, dnssec, mailDane, mailDmarc, mailMx, mailSpf, textRecordsSchema } from "./dns-facts.ts";
import type { ReadingName } from "./evidence.ts";
import { type Fact, fields } from "./fields.ts";
import { crossOrigin, mailMtaStsPolicy, plainHttp, securityTxt } from "./http-facts.ts";
import { dom, hstsPreload, markup, navigation, pageSchema, requests, scriptLibraries, scripts } from "./page-facts.ts";
import { tls, tlsOffers } from "./tls-facts.ts";

/** Facts by reading name. A probe with several questions has one reading per question, because each can fail separately. */
export const factsSchema = fields({
  navigation,
  page: pageSchema,
  dom,
  markup,
  requests,
  scripts,
  scriptLibraries,
  hstsPreload,
  plainHttp,
  tls,
  /** Read only if `tls` was, of the same endpoint. */
  tlsOffers,
  crossOrigin,
  dnsCaa,
  dnsIpv6,
  dnsNameServers,
  securityTxt,
  dnssec,
  mailMx,
  mailSpf,
  mailDmarc,
  /** TXT records of `_mta-sts.<domain>`. */
  mailMtaSts: textRecordsSchema,
  /** Read only if `mailMtaSts` has a record. */
  mailMtaStsPolicy,
  /** TXT records of `_smtp._tls.<domain>`. */
  mailTlsRpt: textRecordsSchema,
  /** Read only if the domain has mail hosts. */
  mailDane,
});
export type Facts = Fact<typeof factsSchema>;

export const readingNames = Object.keys(factsSchema.properties) as readonly ReadingName[];

export function isReadingName(name: string): name is ReadingName {
  return Object.hasOwn(factsSchema.properties, name);
}
