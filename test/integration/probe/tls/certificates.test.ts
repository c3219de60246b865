/** TLS probe: certificate chains, their flaws and their trust. */
import { X509Certificate } from "node:crypto";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { rootCertificates } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { openEgress } from "../../../../src/egress/dial.ts";
import { certificateNamesMax, certificatesMax } from "../../../../src/evidence/limits.ts";
import type { CertificateUsage, TlsFacts } from "../../../../src/evidence/tls-facts.ts";
import { probeTls } from "../../../../src/probe/tls/tls.ts";
import {
  type CertificateOptions,
  makeAuthority,
  type ServerIdentity,
  selfSigned,
  siteIdentity,
  testAuthority,
  untrustedAuthority,
} from "../../../support/certificates.ts";
import { cleanUp, keep, onCleanUp } from "../../../support/clean-up.ts";
import { startDnsServer } from "../../../support/dns-server.ts";
import { startFlight } from "../../../support/flight-server.ts";
import { egressTo } from "../../../support/servers.ts";
import { serveTls, tlsFactsOf } from "../../../support/tls-probe.ts";

afterEach(cleanUp);

describe("certificates", () => {
  test("a valid one, with all facts", async () => {
    const leaf = testAuthority().intermediate.issue({
      commonName: "site.test",
      names: ["site.test", "*.site.test", "192.0.2.1"],
      key: "rsa-2048",
    });
    const chainPem = leaf.pem + testAuthority().intermediate.pem;
    const facts = await tlsFactsOf(await serveTls({ certificateChainPem: chainPem, privateKeyPem: leaf.privateKeyPem }));
    expect(facts).toMatchObject({
      host: "site.test",
      port: 443,
      address: "127.0.0.1",
      negotiated: { protocol: "TLSv1.3", cipher: expect.stringMatching(/^TLS_/) },
      chainAsSent: true,
      certificatesDropped: 0,
      hostMatches: true,
      trusted: true,
      trustedBy: "operator",
      untrustedBecause: null,
    });
    expect(facts.chain).toEqual([
      {
        subject: "CN=site.test",
        issuer: "CN=Assay test issuing CA",
        names: ["site.test", "*.site.test", "192.0.2.1"],
        namesDropped: 0,
        validFrom: expect.stringMatching(/^20\d\d-.*Z$/),
        validTo: expect.stringMatching(/^20\d\d-.*Z$/),
        keyType: "rsa",
        keyBits: 2_048,
        curve: null,
        rsaExponent: "10001",
        signatureAlgorithm: "ecdsa-with-SHA256",
        signatureHash: "sha256",
        serialNumber: expect.stringMatching(/^[0-9A-F]+$/),
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        selfSigned: false,
        trustAnchor: false,
        usage: { authority: false, keyUsage: ["digitalSignature", "keyEncipherment"], extendedKeyUsage: ["serverAuth"] },
      },
      expect.objectContaining({
        subject: "CN=Assay test issuing CA",
        keyType: "ec",
        keyBits: 256,
        curve: "prime256v1",
        names: [],
        selfSigned: false,
      }),
    ]);
  });

  test.each([
    ["expired", true, null, true],
    ["not-yet-valid", true, null, true],
    ["wrong-host", true, null, false],
    ["no-names", true, null, false],
    ["self-signed", false, "DEPTH_ZERO_SELF_SIGNED_CERT", true],
    ["unknown-root", false, "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", true],
    ["missing-intermediate", false, "UNABLE_TO_VERIFY_LEAF_SIGNATURE", true],
  ] as const)("%s", async (flaw, trusted, untrustedBecause, hostMatches) => {
    for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
      const facts = await tlsFactsOf(await serveTls(siteIdentity("site.test", { flaw }), { minVersion: maxVersion, maxVersion }));
      expect(facts).toMatchObject({ trusted, untrustedBecause, hostMatches });
    }
  });

  const chainOf = (...certificates: { readonly pem: string }[]) => certificates.map(({ pem }) => pem).join("");
  const { root, intermediate } = testAuthority();
  const leaf = intermediate.issue({ commonName: "site.test", names: ["site.test"] });
  const identity = (certificateChainPem: string, { privateKeyPem } = leaf): ServerIdentity => ({ certificateChainPem, privateKeyPem });

  test("an unknown root in the chain", async () => {
    const untrusted = untrustedAuthority();
    const own = untrusted.intermediate.issue({ names: ["site.test"] });
    const facts = await tlsFactsOf(await serveTls(identity(chainOf(own, untrusted.intermediate, untrusted.root), own)));
    expect(facts).toMatchObject({ trusted: false, untrustedBecause: "SELF_SIGNED_CERT_IN_CHAIN" });
    expect(facts.chain.map(({ selfSigned }) => selfSigned)).toEqual([false, false, true]);
  });

  test("an unordered chain with unrelated certificates still leads to the root", async () => {
    const facts = await tlsFactsOf(await serveTls(identity(chainOf(leaf, untrustedAuthority().root, root, intermediate))));
    expect(facts).toMatchObject({ trusted: true, chainAsSent: true });
    expect(facts.chain).toHaveLength(4);
  });

  test("an expired leaf with an incomplete chain is not trusted", async () => {
    const facts = await tlsFactsOf(
      await serveTls(siteIdentity("site.test", { flaw: "missing-intermediate", validTo: new Date(Date.now() - 1_000) })),
    );
    expect(facts).toMatchObject({ trusted: false, untrustedBecause: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
  });

  describe("the path to the root", () => {
    const ago = { validTo: new Date(Date.now() - 1_000) };
    const named = (options: CertificateOptions) => root.issue({ commonName: "Twin CA", authority: true, ...options });
    const subjects = ({ path }: TlsFacts) => path?.map(({ subject, trustAnchor }) => `${subject}${trustAnchor ? " (root)" : ""}`);
    const current = named({});
    const own = current.issue({ commonName: "site.test", names: ["site.test"] });
    const expired = named({ ...ago, privateKeyPem: current.privateKeyPem });

    test("an expired intermediate affects dates, not trust", async () => {
      const facts = await tlsFactsOf(await serveTls(identity(chainOf(own, expired), own)));
      expect(facts).toMatchObject({ trusted: true, untrustedBecause: null });
      expect(subjects(facts)).toEqual(["CN=Twin CA", "CN=Assay test root (root)"]);
      expect(Date.parse(facts.path?.[0]?.validTo ?? "")).toBeLessThan(Date.now());
    });

    test("a valid twin beside it, in any order", async () => {
      for (const twins of [
        [expired, current],
        [current, expired],
      ]) {
        const facts = await tlsFactsOf(await serveTls(identity(chainOf(own, ...twins), own)));
        expect(facts.trusted).toBe(true);
        expect(Date.parse(facts.path?.[0]?.validTo ?? "")).toBeGreaterThan(Date.now());
      }
    });

    test("a root that has expired", async () => {
      const old = selfSigned({ commonName: "Old root", authority: true, ...ago });
      const below = old.issue({ names: ["site.test"] });
      const facts = await tlsFactsOf(await serveTls(identity(below.pem, below)), { caPems: [old.pem] });
      expect(facts.trusted).toBe(true);
      expect(subjects(facts)).toEqual(["CN=Old root (root)"]);
    });

    test("none without trust", async () => {
      expect((await tlsFactsOf(await serveTls(siteIdentity("site.test", { flaw: "self-signed" })))).path).toBeNull();
    });
  });

  test.each<[string, CertificateOptions, CertificateUsage]>([
    ["a server", {}, { authority: false, keyUsage: ["digitalSignature", "keyEncipherment"], extendedKeyUsage: ["serverAuth"] }],
    [
      "an authority",
      { authority: true },
      { authority: true, keyUsage: ["digitalSignature", "keyCertSign", "cRLSign"], extendedKeyUsage: null },
    ],
    ["no stated usage", { keyUsage: null, extendedKeyUsage: null }, { authority: false, keyUsage: null, extendedKeyUsage: null }],
    [
      "clients",
      { extendedKeyUsage: ["1.2.3.4", "1.3.6.1.5.5.7.3.2"] },
      { authority: false, keyUsage: ["digitalSignature", "keyEncipherment"], extendedKeyUsage: ["clientAuth", "1.2.3.4"] },
    ],
  ])("the usage of a certificate for %s", async (_words, options, usage) => {
    const facts = await tlsFactsOf(await serveTls(siteIdentity("site.test", options)));
    expect(facts.chain[0]?.usage).toEqual(usage);
    expect(facts.untrustedBecause).toBe(usage.extendedKeyUsage?.[0] === "clientAuth" ? "INVALID_PURPOSE" : null);
  });

  test("an issuer that is not an authority", async () => {
    const impostor = intermediate.issue({ commonName: "impostor", names: ["impostor.test"] });
    const own = impostor.issue({ names: ["site.test"] });
    expect(await tlsFactsOf(await serveTls(identity(chainOf(own, impostor, intermediate), own)))).toMatchObject({
      trusted: false,
      untrustedBecause: "INVALID_CA",
    });
  });

  test("an issuer with the right name and another key", async () => {
    const double = makeAuthority("Assay test").intermediate;
    const own = double.issue({ names: ["site.test"] });
    const facts = await tlsFactsOf(await serveTls(identity(chainOf(own, intermediate), own)));
    expect(facts.trusted).toBe(false);
  });

  test("a self-signed certificate that the operator trusts, and one that the operator does not trust", async () => {
    const own = selfSigned({ commonName: "site.test", names: ["site.test"], authority: true });
    const site = await serveTls(identity(own.pem, own));
    expect(await tlsFactsOf(site, { caPems: [`some words\n${untrustedAuthority().root.pem}${own.pem}`] })).toMatchObject({ trusted: true });
    expect(await tlsFactsOf(site)).toMatchObject({ trusted: false, untrustedBecause: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  });

  test("trustedBy: a public root, the operator's root, and an untrusted one", async () => {
    // The key of a public root is secret, but a flight of TLS 1.1 proves no key.
    const publicRoot = new X509Certificate(rootCertificates[0] ?? "").raw;
    const shown = keep(await startFlight({ version: 0x0302, suite: 0x0005, certificates: [publicRoot] }));
    expect(await tlsFactsOf(shown)).toMatchObject({ trusted: true, trustedBy: "public", chain: [{ trustAnchor: true }] });
    const site = await serveTls(identity(chainOf(leaf, intermediate, root)));
    const facts = await tlsFactsOf(site);
    expect(facts).toMatchObject({ trusted: true, trustedBy: "operator" });
    expect(facts.chain.map(({ trustAnchor }) => trustAnchor)).toEqual([false, false, true]);
    expect(await tlsFactsOf(site, { caPems: [] })).toMatchObject({ trusted: false, trustedBy: null });
  });

  test("a name with two addresses: all connections use the one that answered", async () => {
    const site = createServer({ cert: identity(chainOf(leaf, intermediate)).certificateChainPem, key: leaf.privateKeyPem });
    onCleanUp(() => new Promise((resolve) => site.close(resolve)));
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.2", resolve));
    const dns = keep(await startDnsServer({ "site.test": { A: ["127.0.0.3", "127.0.0.2"] } }));
    const egress = openEgress({ ...egressTo({}), allowPorts: "any", dnsServers: [dns.address] });
    onCleanUp(() => egress.close());
    const { port } = site.address() as AddressInfo;
    const signal = AbortSignal.timeout(30_000);
    const reading = await probeTls({ egress, host: "site.test", port, caPems: [root.pem], signal });
    expect(reading).toMatchObject({ status: "read", facts: { address: "127.0.0.2", trusted: true, hostMatches: true } });
  });

  test("an intermediate that the operator trusts without its root", async () => {
    const facts = await tlsFactsOf(await serveTls(identity(chainOf(leaf, intermediate))), { caPems: [intermediate.pem] });
    expect(facts).toMatchObject({ trusted: true, trustedBy: "operator", untrustedBecause: null });
    expect(facts.chain.map(({ trustAnchor }) => trustAnchor)).toEqual([false, true]);
  });

  test("an unreadable CA file changes nothing", async () => {
    const site = await serveTls(siteIdentity("site.test"));
    const broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";
    expect(await tlsFactsOf(site, { caPems: [broken, root.pem] })).toMatchObject({ trusted: true });
  });

  test.each<CertificateOptions>([{ hash: "md5" }, { hash: "sha1", pss: true }])(
    "a root is trusted even if the runtime cannot verify its signature: %o",
    async (options) => {
      const old = selfSigned({ commonName: "Old root", authority: true, key: "rsa-2048", ...options });
      const facts = await tlsFactsOf(await serveTls(identity(chainOf(leaf, intermediate, old))));
      expect(facts.chain.map(({ selfSigned }) => selfSigned)).toEqual([false, false, true]);
    },
  );

  test("a certificate with a root's name, signed by another key, is not a root", async () => {
    const [one, other] = [makeAuthority("Assay test").root, root];
    const rollover = one.issue({ commonName: "Assay test root", authority: true });
    const facts = await tlsFactsOf(await serveTls(identity(chainOf(leaf, intermediate, other, rollover))));
    expect(facts.chain.map(({ selfSigned }) => selfSigned)).toEqual([false, false, true, false]);
  });

  test("an address as host", async () => {
    const site = await serveTls(siteIdentity("127.0.0.1"));
    expect(await tlsFactsOf(site, { host: "127.0.0.1" })).toMatchObject({ host: "127.0.0.1", hostMatches: true });
    expect(await tlsFactsOf(await serveTls(siteIdentity("127.0.0.2")), { host: "127.0.0.1" })).toMatchObject({ hostMatches: false });
  });

  test.each([
    ["rsa-1024", "rsa", 1_024, null],
    ["ec-p384", "ec", 384, "secp384r1"],
  ] as const)("a key of the kind %s", async (key, keyType, keyBits, curve) => {
    const facts = await tlsFactsOf(await serveTls(siteIdentity("site.test", { key })));
    expect(facts.chain[0]).toMatchObject({ keyType, keyBits, curve });
  });

  test("a SHA-1 signature is recorded", async () => {
    const untrusted = selfSigned({ commonName: "RSA root", authority: true, key: "rsa-2048" });
    const own = untrusted.issue({ names: ["site.test"], hash: "sha1" });
    const facts = await tlsFactsOf(await serveTls(identity(own.pem, own)));
    expect(facts.chain[0]?.signatureAlgorithm).toBe("sha1WithRSAEncryption");
  });

  test("of ten thousand names, all are matched and few are kept", async () => {
    const names = [...Array.from({ length: 10_000 }, (_, index) => `host-${index}.test`), "site.test"];
    const facts = await tlsFactsOf(await serveTls(siteIdentity("other.test", { names }), { maxVersion: "TLSv1.2" }));
    expect(facts.hostMatches).toBe(true);
    expect(facts.chain[0]?.names).toHaveLength(certificateNamesMax);
    expect(facts.chain[0]?.namesDropped).toBe(10_001 - certificateNamesMax);
  });

  test("of fifty certificates, only the first are kept", async () => {
    const others = Array.from({ length: 48 }, () => untrustedAuthority().root);
    const facts = await tlsFactsOf(await serveTls(identity(chainOf(leaf, intermediate, ...others))));
    expect(facts.chain).toHaveLength(certificatesMax);
    expect(facts.certificatesDropped).toBe(50 - certificatesMax);
    expect(facts.trusted).toBe(true);
  });
});
