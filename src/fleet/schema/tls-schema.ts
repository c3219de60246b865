/** Schema of the facts about TLS endpoints and certificates. */
import { certificateNameCharsMax, certificateNamesMax, certificatesMax, certificateUsagesMax } from "../../evidence/limits.ts";
import type {
  CertificateFacts,
  CertificateUsage,
  FiniteFieldGroup,
  PathCertificate,
  TlsFacts,
  TlsOffersFacts,
  TlsVersionAnswer,
  WeakSuiteOffer,
} from "../../evidence/tls-facts.ts";
import { count, fields, flag, list, literalOf, orAbsent, orNull, schemaFor, text, wholeNumber } from "./fields.ts";
import { url } from "./http-schema.ts";
import { addressCharsMax, protocolCharsMax } from "./page-schema.ts";

/** Characters of a dotted object identifier of 64 bytes. */
const identifierCharsMax = 320;
/** Key usages of RFC 5280 section 4.2.1.3. */
const keyUsagesMax = 9;
/** The chain and as many roots. */
const pathCertificatesMax = 2 * certificatesMax;
/** Hex characters of a SHA-256. */
const fingerprintCharsMax = 64;
/** Suites or curves of one kind that few hellos find. */
const acceptedMax = 8;
const portMax = 65_535;

const certificateText = text(certificateNameCharsMax);
const identifier = text(identifierCharsMax);
const fingerprint = text(fingerprintCharsMax);
const protocolName = text(protocolCharsMax);

const usage = schemaFor<CertificateUsage>()(
  fields({
    authority: flag,
    keyUsage: orNull(list(identifier, keyUsagesMax)),
    extendedKeyUsage: orNull(list(identifier, certificateUsagesMax)),
  }),
);

/** The dates of an unreadable certificate are any text. */
const pathFields = { subject: certificateText, validFrom: certificateText, validTo: certificateText, fingerprint, trustAnchor: flag };
const pathCertificate = schemaFor<PathCertificate>()(fields(pathFields));

const certificate = schemaFor<CertificateFacts>()(
  fields({
    ...pathFields,
    issuer: certificateText,
    names: list(certificateText, certificateNamesMax),
    namesDropped: count,
    keyType: orNull(identifier),
    keyBits: orNull(count),
    curve: orNull(identifier),
    rsaExponent: orNull(certificateText),
    signatureAlgorithm: orNull(identifier),
    signatureHash: orNull(identifier),
    serialNumber: certificateText,
    selfSigned: flag,
    usage: orAbsent(usage),
  }),
);

const versionAnswer = schemaFor<TlsVersionAnswer>()(literalOf("accepted", "refused", "unknown"));
const endpoint = { host: url, port: wholeNumber(portMax) };

const tls = schemaFor<TlsFacts>()(
  fields({
    ...endpoint,
    address: text(addressCharsMax),
    negotiated: fields({ protocol: protocolName, cipher: protocolName, alpn: orNull(protocolName) }),
    versions: fields({ "1.0": versionAnswer, "1.1": versionAnswer, "1.2": versionAnswer, "1.3": versionAnswer }),
    chain: list(certificate, certificatesMax),
    certificatesDropped: count,
    chainAsSent: flag,
    hostMatches: flag,
    trusted: flag,
    trustedBy: orNull(literalOf("public", "operator")),
    untrustedBecause: orNull(certificateText),
    path: orAbsent(orNull(list(pathCertificate, pathCertificatesMax))),
  }),
);

const others = literalOf("refused", "unknown", "not-asked");
const accepted = list(protocolName, acceptedMax);
const offer = schemaFor<WeakSuiteOffer>()(fields({ accepted, others }));
const group = schemaFor<FiniteFieldGroup>()(fields({ bits: count, primeSha256: fingerprint }));

const tlsOffers = schemaFor<TlsOffersFacts>()(
  fields({
    ...endpoint,
    weakSuites: fields({ null: offer, anonymous: offer, export: offer, rc4: offer, smallBlock: offer, staticKey: offer, cbc: offer }),
    dhe: fields({ answer: versionAnswer, group: orNull(group) }),
    weakCurves: fields({ accepted, others }),
    hybrid: fields({ answer: versionAnswer, group: orNull(protocolName) }),
  }),
);

/** By name of the reading. */
export const tlsSchemas = { tls, tlsOffers };
