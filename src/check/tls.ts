/** Evaluates certificates at the instant of a scan, as browsers do, and Diffie-Hellman primes. */
import type { Reading } from "../evidence/evidence.ts";
import type { CertificateFacts, PathCertificate, TlsFacts } from "../evidence/tls-facts.ts";

export type Validity = "valid" | "expired" | "not-yet-valid";

/** Validity at an ISO 8601 instant; null if a date is unreadable. RFC 5280 section 4.1.2.5: both ends belong to the period. */
export function validityAt(certificate: Pick<CertificateFacts, "validFrom" | "validTo">, at: string): Validity | null {
  const [now, from, to] = [at, certificate.validFrom, certificate.validTo].map((date) => Date.parse(date)) as [number, number, number];
  if (Number.isNaN(now) || Number.isNaN(from) || Number.isNaN(to)) return null;
  if (now < from) return "not-yet-valid";
  return now > to ? "expired" : "valid";
}

/** False if browsers show a certificate warning. An unreadable chain counts as accepted. */
export function isCertificateAccepted(tls: TlsFacts, at: string): boolean {
  const [leaf] = tls.chain;
  if (leaf === undefined) return true;
  if (!tls.trusted || !tls.hostMatches || missingServerUsage(tls) !== null || hasWeakSignature(tls)) return false;
  return [leaf, ...issuersOnPath(tls)].every((certificate) => (validityAt(certificate, at) ?? "valid") === "valid");
}

/** True if the probe reached this host, and browsers show a certificate warning there. */
export function isCertificateRejected(tls: Reading<TlsFacts>, host: string, at: string): boolean {
  return tls.status === "read" && tls.facts.host === host && !isCertificateAccepted(tls.facts, at);
}

/** True if nothing is known about the certificate: the endpoint was not read, or only its versions. */
export function isCertificateUnread(tls: Reading<TlsFacts>): boolean {
  return tls.status === "failed" || tls.facts.chain.length === 0;
}

/** Issuers from the server's certificate to the root. Empty without a path, and for evidence that does not contain it. */
export function issuersOnPath({ path }: TlsFacts): readonly PathCertificate[] {
  return path ?? [];
}

/**
 * The usage that TLS servers need and the server's certificate excludes; null if it may be used. Certificates without these
 * extensions allow every usage (RFC 5280 sections 4.2.1.3 and 4.2.1.12).
 */
export function missingServerUsage({ chain: [leaf], negotiated: { cipher } }: TlsFacts): string | null {
  const { keyUsage = null, extendedKeyUsage = null } = leaf?.usage ?? {};
  if (extendedKeyUsage !== null && !extendedKeyUsage.some((usage) => usage === "serverAuth" || usage === "anyExtendedKeyUsage")) {
    return "serverAuth";
  }
  const needed = keyUsageFor(cipher);
  return needed !== null && keyUsage !== null && !keyUsage.includes(needed) ? needed : null;
}

/** RFC 5246 section 7.4.2: the server signs its key share, or uses the key of its certificate itself. Null for an unknown suite. */
function keyUsageFor(cipher: string): string | null {
  if (/^(TLS_|ECDHE-|DHE-)/.test(cipher)) return "digitalSignature";
  if (cipher.startsWith("ECDH-")) return "keyAgreement";
  return cipher.startsWith("0x") ? null : "keyEncipherment";
}

/** Validity period in milliseconds; null if a date is unreadable. RFC 5280 section 4.1.2.5: the last second belongs to it. */
export function lifetimeMs({ validFrom, validTo }: CertificateFacts): number | null {
  const lastedMs = Date.parse(validTo) - Date.parse(validFrom);
  return Number.isNaN(lastedMs) ? null : lastedMs + 1_000;
}

/** False for self-signed certificates and trust anchors: browsers do not verify their signatures. */
export function hasSignatureThatCounts({ selfSigned, trustAnchor }: CertificateFacts): boolean {
  return !selfSigned && !trustAnchor;
}

/** Names of hashes that are broken or below today's required strength. Browsers refuse all of them. */
const weakHashes = new Map([
  ["md2", "MD2"],
  ["md4", "MD4"],
  ["md5", "MD5"],
  ["sha1", "SHA-1"],
  ["sha224", "SHA-224"],
]);

/** Name of a weak hash; null for any other. */
export function weakHashName(signatureHash: string | null): string | null {
  return weakHashes.get(signatureHash ?? "") ?? null;
}

/** True if browsers need this certificate of the chain. Without a path, any may be needed. */
export function isOnTrustPath({ chain: [leaf], path }: TlsFacts, { fingerprint }: CertificateFacts): boolean {
  if (path === undefined || path === null || fingerprint === leaf?.fingerprint) return true;
  return path.some((issuer) => issuer.fingerprint === fingerprint);
}

function hasWeakSignature(tls: TlsFacts): boolean {
  return tls.chain.some(
    (certificate) =>
      hasSignatureThatCounts(certificate) && weakHashName(certificate.signatureHash) !== null && isOnTrustPath(tls, certificate),
  );
}

// Diffie-Hellman primes that attackers know. Groups of less than 1024 bits are not listed, because their length decides.

/**
 * SHA-256 of each prime, by its origin. Findings in every language name the origin, so it has no words of one language. Primes of up to
 * 1536 bits that many servers share: Logjam (weakdh.org, 2015) precomputes such a prime once for all of them. RFC 5114: groups of unknown
 * origin with small subgroups, which RFC 8247 section 2.4 abandons. The number of Socat is not a prime. The primes come from nmap's
 * script ssl-dh-params and of testssl.sh.
 */
const primesByOrigin: Readonly<Record<string, readonly string[]>> = {
  "Apache mod_ssl 2.2": [
    "f79d1db3c955a28fdeca462670a0712efee4b588c7858e4943883f903bd1354b",
    "bf910d9df4e0b2e76cda7443f592aa118e33ba2c224ebc27fb8978d873c8c2e3",
  ],
  "nginx < 1.11": ["8ae47dca3d24e9b64640062686da234dcabada26b0da6f090c5449c1338d9a11"],
  Java: ["cc21a33dd1a3edf40bf636b5496e4aede198a437a8548e0cc1a621424e42419b"],
  "OpenSSL 1024": ["66d0bf38b0bdfacf2fdae33f35102ab6079fd5ff0feff8e436a4063745c72739"],
  "Oakley group 2 (RFC 2409)": ["3f35a3f5f6c4376a744acad409bb22f8d897f949d2311d885adaa890981b67a0"],
  "Oakley group 5 (RFC 3526)": ["64fcc83ec403930bf18393dbc883ccaa1fbb08ac876f77f7aa99748ca945019b"],
  "RFC 5114 (2.1)": ["44c55cfee5c075927cf682da5b681bdecbd5c3eb0784c14f5dce7610f0ef133d"],
  "RFC 5114 (2.2)": ["bfe545862ca102ad1eeddb5fbfa5bf855ac4995c56a8b408ce3fe099dce93a9d"],
  "RFC 5114 (2.3)": ["0b7835722cb619827610c2549fdda5587421686c4409a13865e76225522ddcc9"],
  "weakdh.org": [
    "74a5cce5b6a93eb755e2f48250dc7cb3ea529484af916e1368034b6f70eb25fc",
    "196085cb4281d1ff18efaad097bc1ec0af2581444026a6a3018b1479f6d89cdb",
    "80571b97f71f89727ab0c40bb73b4f01a420469abd814b7b35090c8d6dff62b0",
    "5f856a00120eee6d6b87ef8f596aefbbd284f8a611c8329a713d37cdec2a27b0",
    "deb671287187265a5383df13708d3a757735f4af22dd171265385822f5aca5b9",
    "bc19c041491e550f381d09415a82e1b359410e8e243744cc545a342455f5fcd8",
    "ac0ff7a415f003c6503d4c126f2929769e6f3f89c29efa450764212fa13e2069",
    "2b07d24b932aa7a015c45a3f06e75ba71cb8cff8d33980acebf628afff1c101e",
    "8523c72057043833089915168751620b02dd60206beaa3ddb65df468acc9584e",
    "52d4faa53003b8349dac3e984a6423bc1ab6ab927f1855d94757185f71b5d97d",
  ],
  "SKIP 1024": ["6215d41bb617b390082b066d6856f8b361d6c77f316a84301f7c9717a8681485"],
  HAProxy: ["486e235226a927b22b9389bf43377084cb9be4c303f08fd490613ab4d9dfbd31"],
  "Socat <= 1.7.3.0": ["ac10fa3c5965ca361c07b3511140eb0a5cc89d92417708b1c13d07dc24770e22"],
};

const origins = new Map(Object.entries(primesByOrigin).flatMap(([origin, primes]) => primes.map((prime) => [prime, origin] as const)));

/** Origin of the prime with this SHA-256 in lower-case hex; null for a prime that is not known as weak. */
export function knownWeakPrime(sha256: string): string | null {
  return origins.get(sha256) ?? null;
}
