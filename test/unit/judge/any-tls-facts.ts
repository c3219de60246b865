/** Random facts of TLS endpoints for property tests. */
import fc from "fast-check";
import type { CertificateUsage } from "../../../src/evidence/tls-facts.ts";
import { certificate, weakOffer, weakSuites } from "../../support/evidence.ts";

const seldom = fc.nat({ max: 19 }).map((roll) => roll === 0);
const few = seldom.map((is) => (is ? 1 : 0));
const anyCertificate = fc
  .record({
    validTo: fc.constantFrom(
      "2026-11-01T00:00:00.000Z",
      "2026-11-25T00:00:00.000Z",
      "2026-12-30T00:00:00.000Z",
      "2029-01-01T00:00:00.000Z",
      "?",
    ),
    keyType: fc.constantFrom("rsa", "ec", "dsa", "ed25519", null),
    keyBits: fc.constantFrom(1_024, 2_048, 256, 224, null),
    rsaExponent: fc.constantFrom("10001", "1", null),
    signatureHash: fc.constantFrom("sha256", "sha1", "md5", null),
    names: fc.constantFrom(["site.example"], []),
    selfSigned: fc.boolean(),
    trustAnchor: seldom,
    usage: fc.constantFrom<(CertificateUsage | undefined)[]>(
      undefined,
      { authority: false, keyUsage: ["digitalSignature"], extendedKeyUsage: ["serverAuth"] },
      { authority: true, keyUsage: ["keyCertSign", "cRLSign"], extendedKeyUsage: null },
      { authority: false, keyUsage: null, extendedKeyUsage: ["clientAuth"] },
    ),
  })
  .map(({ usage, ...given }) => certificate(usage === undefined ? given : { ...given, usage }));

const anyWeakOffer = fc.constantFrom(weakOffer(), weakOffer([], "unknown"), weakOffer(["AES128-SHA"]), weakOffer(["RC4-SHA"], "not-asked"));

export const anyTlsFacts = {
  tls: fc.record(
    {
      versions: fc.record({
        "1.0": fc.constantFrom("accepted", "refused", "unknown"),
        "1.1": fc.constantFrom("accepted", "refused", "unknown"),
        "1.2": fc.constantFrom("accepted", "refused", "unknown"),
        "1.3": fc.constantFrom("accepted", "refused", "unknown"),
      }),
      chain: fc.array(anyCertificate, { maxLength: 3 }),
      certificatesDropped: few,
      chainAsSent: fc.boolean(),
      hostMatches: fc.boolean(),
      trusted: fc.boolean(),
      trustedBy: fc.constantFrom("public", "operator", null),
      untrustedBecause: fc.constantFrom("DEPTH_ZERO_SELF_SIGNED_CERT", null),
      path: fc.oneof(fc.constant(null), fc.array(anyCertificate, { maxLength: 2 })),
    },
    { requiredKeys: [] },
  ),
  tlsOffers: fc.record({
    weakSuites: fc
      .record({ null: anyWeakOffer, rc4: anyWeakOffer, staticKey: anyWeakOffer, cbc: anyWeakOffer }, { requiredKeys: [] })
      .map((offers) => weakSuites(offers).weakSuites),
    dhe: fc.constantFrom(
      { answer: "refused", group: null } as const,
      { answer: "unknown", group: null } as const,
      { answer: "accepted", group: { bits: 1_024, primeSha256: "00".repeat(32) } } as const,
    ),
    weakCurves: fc.record({
      accepted: fc.subarray(["sect571r1", "secp192r1"]),
      others: fc.constantFrom("refused", "unknown", "not-asked"),
    }),
  }),
};
