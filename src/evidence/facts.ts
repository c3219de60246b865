/** Facts that probes record, as plain bounded JSON: as received, without interpretation. One file per kind of probe. */
import type {
  DnsCaaFacts,
  DnsIpv6Facts,
  DnsNameServersFacts,
  DnssecFacts,
  MailDaneFacts,
  MailDmarcFacts,
  MailMxFacts,
  MailSpfFacts,
  TextRecords,
} from "./dns-facts.ts";
import type { CrossOriginFacts, MailMtaStsPolicyFacts, PlainHttpFacts, SecurityTxtFacts } from "./http-facts.ts";
import type { MarkupFacts } from "./markup-facts.ts";
import type { DomFacts, HstsPreloadFacts, NavigationFacts, PageFacts, RequestsFacts } from "./page-facts.ts";
import type { ScriptLibrariesFacts, ScriptsFacts } from "./script-facts.ts";
import type { TlsFacts, TlsOffersFacts } from "./tls-facts.ts";

/** Facts by reading name. A probe with several questions has one reading per question, because each can fail separately. */
export interface Facts {
  readonly navigation: NavigationFacts;
  readonly page: PageFacts;
  readonly dom: DomFacts;
  readonly markup: MarkupFacts;
  readonly requests: RequestsFacts;
  readonly scripts: ScriptsFacts;
  readonly scriptLibraries: ScriptLibrariesFacts;
  readonly hstsPreload: HstsPreloadFacts;
  readonly plainHttp: PlainHttpFacts;
  readonly tls: TlsFacts;
  /** Read only if `tls` was, of the same endpoint. */
  readonly tlsOffers: TlsOffersFacts;
  readonly crossOrigin: CrossOriginFacts;
  readonly dnsCaa: DnsCaaFacts;
  readonly dnsIpv6: DnsIpv6Facts;
  readonly dnsNameServers: DnsNameServersFacts;
  readonly securityTxt: SecurityTxtFacts;
  readonly dnssec: DnssecFacts;
  readonly mailMx: MailMxFacts;
  readonly mailSpf: MailSpfFacts;
  readonly mailDmarc: MailDmarcFacts;
  /** TXT records of `_mta-sts.<domain>`. */
  readonly mailMtaSts: TextRecords;
  /** Read only if `mailMtaSts` has a record. */
  readonly mailMtaStsPolicy: MailMtaStsPolicyFacts;
  /** TXT records of `_smtp._tls.<domain>`. */
  readonly mailTlsRpt: TextRecords;
  /** Read only if the domain has mail hosts. */
  readonly mailDane: MailDaneFacts;
}
