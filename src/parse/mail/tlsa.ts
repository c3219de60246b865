/** Evaluates TLSA records as mail servers do: RFC 6698 section 2.1, RFC 7672 section 3.1. */
import type { TlsaRecord } from "../../evidence/dns-facts.ts";
import { derTags } from "../der.ts";

/** `unusable`: valid, but senders of mail ignore it. `malformed`: the data cannot match any certificate. */
export type TlsaUse = "usable" | "unusable" | "malformed";

/** DANE-TA(2) and DANE-EE(3): mail has no list of trusted authorities that PKIX-TA(0) and PKIX-EE(1) could refer to. */
const mailUsages: readonly number[] = [2, 3];
/** Cert(0) and SPKI(1). */
const selectorMax = 1;
const fullData = 0;
/** Bytes of SHA2-256(1) and SHA2-512(2). */
const digestBytes = new Map([
  [1, 32],
  [2, 64],
]);

export function tlsaUseForMail(record: TlsaRecord): TlsaUse {
  const { usage, selector, matchingType, dataBytes } = record;
  const expectedBytes = matchingType === fullData ? derBytes(record) : digestBytes.get(matchingType);
  if (expectedBytes === undefined) return "unusable";
  if (expectedBytes !== dataBytes) return "malformed";
  return mailUsages.includes(usage) && selector <= selectorMax ? "usable" : "unusable";
}

/** Length of the certificate or key that the data begins with; null if it is not a DER sequence (X.690 section 8.1.3). */
function derBytes({ data }: TlsaRecord): number | null {
  const [tag, first, ...others] = Buffer.from(data, "hex");
  if (tag !== derTags.sequence || first === undefined) return null;
  if (first < longForm) return 2 + first;
  const lengthBytes = first - longForm;
  if (lengthBytes === 0 || lengthBytes > others.length || lengthBytes > lengthBytesMax) return null;
  return 2 + lengthBytes + others.slice(0, lengthBytes).reduce((sum, byte) => sum * 256 + byte, 0);
}

const longForm = 0x80;
/** A TLSA record is shorter than 65,536 bytes (RFC 1035 section 3.2.1). */
const lengthBytesMax = 2;

/** Zone file format, RFC 6698 section 2.2. Data that was cut ends with three dots. */
export function tlsaText({ usage, selector, matchingType, data, dataBytes }: TlsaRecord): string {
  return `${usage} ${selector} ${matchingType} ${data}${data.length < 2 * dataBytes ? "..." : ""}`;
}
