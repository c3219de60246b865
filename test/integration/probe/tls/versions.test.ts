/** TLS probe: versions and cipher suites of real servers, also those that the runtime does not support. */
import { afterEach, describe, expect, test } from "vitest";
import { siteIdentity, testAuthority, untrustedAuthority } from "../../../support/certificates.ts";
import { cleanUp, keep } from "../../../support/clean-up.ts";
import { startFlight } from "../../../support/flight-server.ts";
import { opensslIsMissing, startOpenssl } from "../../../support/openssl-server.ts";
import { refusedBut, serveTls, tlsFactsOf } from "../../../support/tls-probe.ts";

afterEach(cleanUp);

/** Facts of a server whose certificate could not be read. */
const withoutCertificate = { chain: [], hostMatches: false, trusted: false, trustedBy: null, untrustedBecause: null, path: null };

describe("versions", () => {
  const all = ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"] as const;
  const names = ["1.0", "1.1", "1.2", "1.3"] as const;
  const ranges = all.flatMap((_, from) => all.slice(from).map((_, count) => [from, from + count] as const));

  test.each(ranges.map(([from, to]) => ({ from, to, words: `${all[from]} to ${all[to]}` })))("$words", async ({ from, to }) => {
    const site = await serveTls(siteIdentity("site.test"), { minVersion: all[from] ?? "TLSv1", maxVersion: all[to] ?? "TLSv1" });
    const facts = await tlsFactsOf(site);
    expect(facts.versions).toEqual(refusedBut(Object.fromEntries(names.slice(from, to + 1).map((name) => [name, "accepted"]))) as never);
    expect(facts.negotiated.protocol).toBe(all[to] ?? "");
    expect(facts.chainAsSent).toBe(true);
    expect(facts.trusted).toBe(true);
  });

  test.each(["rsa-2048", "ec-p384"] as const)("with a key of type %s", async (key) => {
    const facts = await tlsFactsOf(await serveTls(siteIdentity("site.test", { key }), { minVersion: "TLSv1" }));
    expect(Object.values(facts.versions)).toEqual(["accepted", "accepted", "accepted", "accepted"]);
  });
});

test("only 3DES with TLS 1.0, which the runtime's client does not offer", async () => {
  const rsa = siteIdentity("site.test", { key: "rsa-2048" });
  const facts = await tlsFactsOf(await serveTls(rsa, { minVersion: "TLSv1", maxVersion: "TLSv1", ciphers: "DES-CBC3-SHA" }));
  expect(facts).toMatchObject({ versions: refusedBut({ "1.0": "accepted" }), trusted: true, chainAsSent: true });
  expect(facts.negotiated).toEqual({ protocol: "TLSv1", cipher: "DES-CBC3-SHA", alpn: null });
});

describe.skipIf(opensslIsMissing())("versions of OpenSSL's server", () => {
  const rsa = siteIdentity("site.test", { key: "rsa-2048" });

  test.each([
    [
      "only Camellia with TLS 1.0",
      ["-tls1", "-cipher", "CAMELLIA256-SHA:@SECLEVEL=0"],
      refusedBut({ "1.0": "accepted" }),
      "CAMELLIA256-SHA",
    ],
    [
      "only DHE with TLS 1.2",
      ["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"],
      refusedBut({ "1.2": "accepted" }),
      "DHE-RSA-AES128-GCM-SHA256",
    ],
    [
      "only Camellia with TLS 1.1",
      ["-tls1_1", "-cipher", "CAMELLIA128-SHA:@SECLEVEL=0"],
      refusedBut({ "1.1": "accepted" }),
      "CAMELLIA128-SHA",
    ],
  ])("%s, which the runtime does not support", async (_words, args, versions, cipher) => {
    const facts = await tlsFactsOf(keep(await startOpenssl(rsa, args)));
    expect(facts.versions).toEqual(versions as never);
    expect(facts.negotiated.cipher).toBe(cipher);
    expect(facts.negotiated.alpn).toBeNull();
    expect(facts.chain).toHaveLength(2);
    expect(facts.trusted).toBe(true);
  });

  test("all versions, with a HelloRetryRequest for another key share", async () => {
    const args = ["-cipher", "ALL:@SECLEVEL=0", "-groups", "P-384"];
    const facts = await tlsFactsOf(keep(await startOpenssl(rsa, args)));
    expect(Object.values(facts.versions)).toEqual(["accepted", "accepted", "accepted", "accepted"]);
  });

  const withRoot = { ...rsa, certificateChainPem: rsa.certificateChainPem + untrustedAuthority().root.pem };

  test.each([
    ["TLS_AES_128_GCM_SHA256", "X25519"],
    ["TLS_AES_256_GCM_SHA384", "P-256"],
    ["TLS_CHACHA20_POLY1305_SHA256", "P-384"],
    ["TLS_AES_128_GCM_SHA256", "P-521"],
  ])("only 1.3, with %s and %s: the chain is as sent", async (suite, group) => {
    const facts = await tlsFactsOf(keep(await startOpenssl(withRoot, ["-tls1_3", "-ciphersuites", suite, "-groups", group])));
    expect(facts).toMatchObject({ versions: refusedBut({ "1.3": "accepted" }), chainAsSent: true, trusted: true });
    expect(facts.chain.map(({ subject }) => subject)).toEqual(["CN=site.test", "CN=Assay test issuing CA", "CN=Strange root"]);
  });

  test.each([
    ["a group without key share in the hello", ["-groups", "ffdhe2048"]],
    ["a suite that cannot be decrypted", ["-ciphersuites", "TLS_AES_128_CCM_SHA256"]],
  ])("only 1.3, with %s: the versions are read, but no certificate", async (_words, args) => {
    const facts = await tlsFactsOf(keep(await startOpenssl(withRoot, ["-tls1_3", ...args])));
    expect(facts).toMatchObject({ versions: refusedBut({ "1.3": "accepted" }), ...withoutCertificate });
    expect(facts.negotiated.protocol).toBe("TLSv1.3");
  });

  test("OpenSSL's defaults: old versions are enabled, but the security level allows no signature for them", async () => {
    const facts = await tlsFactsOf(keep(await startOpenssl(rsa, [])));
    expect(facts.versions["1.3"]).toBe("accepted");
    expect(facts.versions["1.2"]).toBe("accepted");
    // Its internal_error alert means that it has no signature algorithm for them.
    expect(facts.versions["1.0"]).toBe("refused");
    expect(facts.versions["1.1"]).toBe("refused");
  });

  test("a server that requires a client certificate", async () => {
    for (const version of ["-tls1_2", "-tls1_3"]) {
      const facts = await tlsFactsOf(keep(await startOpenssl(rsa, [version, "-Verify", "1", "-verify_return_error"])));
      expect(facts.chain[0]?.names).toEqual(["site.test"]);
    }
  });

  test("a rare key type", async () => {
    const facts = await tlsFactsOf(keep(await startOpenssl(siteIdentity("site.test", { key: "ed25519" }), [])));
    expect(facts.chain[0]).toMatchObject({ keyType: "ed25519", keyBits: 256, curve: null });
  });
});

describe("an old server", () => {
  test("only RC4 with TLS 1.1", async () => {
    const { intermediate } = testAuthority();
    const certificates = [intermediate.issue({ names: ["site.test"] }).der, intermediate.der];
    const server = keep(await startFlight({ version: 0x0302, suite: 0x0005, certificates }));
    expect(await tlsFactsOf(server)).toMatchObject({
      versions: refusedBut({ "1.1": "accepted" }),
      negotiated: { protocol: "TLSv1.1", cipher: "RC4-SHA", alpn: null },
      chainAsSent: true,
      hostMatches: true,
      trusted: true,
    });
  });

  test("an invalid certificate", async () => {
    for (const certificates of [[Buffer.from("no certificate")], []]) {
      const server = keep(await startFlight({ version: 0x0303, suite: 0x002f, certificates }));
      expect(await tlsFactsOf(server)).toMatchObject({
        versions: refusedBut({ "1.2": "accepted" }),
        negotiated: { protocol: "TLSv1.2", cipher: "AES128-SHA" },
        ...withoutCertificate,
        certificatesDropped: certificates.length,
      });
    }
  });

  test("invalid intermediates are dropped", async () => {
    const { intermediate } = testAuthority();
    const chain = [intermediate.issue({ names: ["site.test"] }).der, Buffer.from("no certificate"), intermediate.der];
    const facts = await tlsFactsOf(keep(await startFlight({ version: 0x0303, suite: 0x002f, certificates: chain })));
    expect(facts).toMatchObject({ trusted: true, certificatesDropped: 1 });
    expect(facts.chain).toHaveLength(2);
  });
});
