/** Every bound on what a scan may bring back, in one place: an attacker writes all of it. */

/** Longer header values are stored cut, and the checks that read them answer `notChecked` (specification, section 8). */
export const headerValueCharsMax = 512;
/** Header fields kept of one response; browsers themselves stop at a few hundred. */
export const headerFieldsMax = 200;
/** Characters kept of a header field's name. */
export const headerNameCharsMax = 128;
/** Set-Cookie lines kept of one page load. */
export const setCookieLinesMax = 100;
/** Redirect answers kept of one chain; Chromium gives up at 20 of its own accord. */
export const hopsMax = 20;
/** Characters kept of any URL in evidence. */
export const urlCharsMax = 2_048;
/** Meta elements kept of a document. */
export const metaElementsMax = 50;
/** Characters kept of a meta element's content: as generous as a header value, so that both are judged alike. */
export const metaContentCharsMax = headerValueCharsMax;
/** Scripts, style sheets and the like kept of a document. */
export const subresourcesMax = 500;
/** Characters kept of an integrity attribute: three SHA-512 hashes fit. */
export const integrityCharsMax = 512;
/** Forms kept of a document. */
export const formsMax = 100;
/** Insecure requests kept of a page load. */
export const insecureRequestsMax = 100;
/** Certificates kept of a presented chain. */
export const certificatesMax = 12;
/** Subject alternative names kept of one certificate; the host is matched against all of them first. */
export const certificateNamesMax = 100;
/** Characters kept of a distinguished name or a single certificate name. */
export const certificateNameCharsMax = 256;
/** DNS records kept of one answer. */
export const dnsRecordsMax = 50;
/** Characters kept of one DNS record's text. */
export const dnsRecordCharsMax = 1_024;
/** Characters kept of a text record where SPF records are looked for: lists of addresses grow longer than other records. */
export const spfRecordCharsMax = 4_096;
/** Questions put to evaluate one SPF record: past 10 lookups it is invalid anyway (RFC 7208 section 4.6.4). */
export const spfQuestionsMax = 40;
/** Names asked on a DMARC tree walk (RFC 9989 section 4.10). */
export const dmarcWalkNamesMax = 8;
/** Receivers of DMARC reports that are asked whether they agree. */
export const reportReceiversMax = 10;
/** Bytes read of an MTA-STS policy: the limit that RFC 8461 section 3.2 recommends. */
export const mtaStsPolicyBytesMax = 65_536;
/** Bytes read of a well-known file; a longer one is stored cut. */
export const wellKnownBytesMax = 102_400;
/** Findings a single check may report of one scan. */
export const findingsPerCheckMax = 20;
/** Characters kept of one value that a finding quotes. */
export const findingValueCharsMax = 200;
