/** TLS probe against real servers: every version, every certificate flaw, and peers without TLS. */
import { X509Certificate } from "node:crypto";
import { createServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { rootCertificates } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { openEgress } from "../../../../src/egress/dial.ts";
import type { Reading } from "../../../../src/evidence/evidence.ts";
import type { TlsFacts } from "../../../../src/evidence/facts.ts";
import { certificateNamesMax, certificatesMax } from "../../../../src/evidence/limits.ts";
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
import { startDnsServer } from "../../../support/dns-server.ts";
import { startFlight } from "../../../support/flight-server.ts";
import { hasOpenssl, startOpenssl } from "../../../support/openssl-server.ts";
import { closedPort, egressTo, startHttps, startTcp, type TlsOptions } from "../../../support/servers.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

function keep<T extends { stop(): unknown }>(server: T): T {
  cleanUp.push(() => server.stop());
  return server;
}

interface ProbeOptions {
  readonly host?: string;
  readonly caPems?: readonly string[];
  readonly deadlineMs?: number;
}

async function probe(
  server: { readonly port: number },
  { host = "site.test", caPems, deadlineMs = 5_000 }: ProbeOptions = {},
): Promise<Reading<TlsFacts>> {
  const egress = openEgress(egressTo({ [`${host}:443`]: server }));
  cleanUp.push(() => egress.close());
  const signal = AbortSignal.timeout(deadlineMs);
  return probeTls({ egress, host, port: 443, caPems: caPems ?? [testAuthority().root.pem], signal });
}

async function factsOf(server: { readonly port: number }, options?: ProbeOptions): Promise<TlsFacts> {
  const reading = await probe(server, options);
  if (reading.status === "failed") throw new Error(`failed: ${reading.because}`);
  return reading.facts;
}

async function serve(identity: ServerIdentity, options?: TlsOptions) {
  return keep(await startHttps(identity, { "*": {} }, options));
}

/** Result for a server that handles every connection as given. */
async function failure(onConnection: (socket: Socket) => void, deadlineMs?: number): Promise<string> {
  const reading = await probe(keep(await startTcp(onConnection)), deadlineMs === undefined ? {} : { deadlineMs });
  return reading.status === "failed" ? reading.because : "read";
}

const refusedBut = (accepted: Partial<TlsFacts["versions"]>) => ({
  "1.0": "refused",
  "1.1": "refused",
  "1.2": "refused",
  "1.3": "refused",
  ...accepted,
});

describe("versions", () => {
  const all = ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"] as const;
  const names = ["1.0", "1.1", "1.2", "1.3"] as const;
  const ranges = all.flatMap((_, from) => all.slice(from).map((_, count) => [from, from + count] as const));

  test.each(ranges.map(([from, to]) => ({ from, to, words: `${all[from]} to ${all[to]}` })))("$words", async ({ from, to }) => {
    const site = await serve(siteIdentity("site.test"), { minVersion: all[from] ?? "TLSv1", maxVersion: all[to] ?? "TLSv1" });
    const facts = await factsOf(site);
    expect(facts.versions).toEqual(refusedBut(Object.fromEntries(names.slice(from, to + 1).map((name) => [name, "accepted"]))) as never);
    expect(facts.negotiated.protocol).toBe(all[to] ?? "");
    expect(facts.chainAsSent).toBe(true);
    expect(facts.trusted).toBe(true);
  });

  test.each(["rsa-2048", "ec-p384"] as const)("with a key of type %s", async (key) => {
    const facts = await factsOf(await serve(siteIdentity("site.test", { key }), { minVersion: "TLSv1" }));
    expect(Object.values(facts.versions)).toEqual(["accepted", "accepted", "accepted", "accepted"]);
  });
});

test("only 3DES with TLS 1.0, which the runtime's client does not offer", async () => {
  const rsa = siteIdentity("site.test", { key: "rsa-2048" });
  const facts = await factsOf(await serve(rsa, { minVersion: "TLSv1", maxVersion: "TLSv1", ciphers: "DES-CBC3-SHA" }));
  expect(facts).toMatchObject({ versions: refusedBut({ "1.0": "accepted" }), trusted: true, chainAsSent: true });
  expect(facts.negotiated).toEqual({ protocol: "TLSv1", cipher: "DES-CBC3-SHA", alpn: null });
});

describe.skipIf(!hasOpenssl)(`versions of OpenSSL's server${hasOpenssl ? "" : " (skipped: no openssl on this machine)"}`, () => {
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
  ])("%s, which the runtime cannot speak", async (_words, args, versions, cipher) => {
    const facts = await factsOf(keep(await startOpenssl(rsa, args)));
    expect(facts.versions).toEqual(versions as never);
    expect(facts.negotiated.cipher).toBe(cipher);
    expect(facts.negotiated.alpn).toBeNull();
    expect(facts.chain).toHaveLength(2);
    expect(facts.trusted).toBe(true);
  });

  test("all versions, with a HelloRetryRequest for another key share", async () => {
    const args = ["-cipher", "ALL:@SECLEVEL=0", "-groups", "P-384"];
    const facts = await factsOf(keep(await startOpenssl(rsa, args)));
    expect(Object.values(facts.versions)).toEqual(["accepted", "accepted", "accepted", "accepted"]);
  });

  const withRoot = { ...rsa, certificateChainPem: rsa.certificateChainPem + untrustedAuthority().root.pem };

  test.each([
    ["TLS_AES_128_GCM_SHA256", "X25519"],
    ["TLS_AES_256_GCM_SHA384", "P-256"],
    ["TLS_CHACHA20_POLY1305_SHA256", "P-384"],
  ])("only 1.3, with %s and %s: the chain is as sent", async (suite, group) => {
    const facts = await factsOf(keep(await startOpenssl(withRoot, ["-tls1_3", "-ciphersuites", suite, "-groups", group])));
    expect(facts).toMatchObject({ versions: refusedBut({ "1.3": "accepted" }), chainAsSent: true, trusted: true });
    expect(facts.chain.map(({ subject }) => subject)).toEqual(["CN=site.test", "CN=Assay test issuing CA", "CN=Strange root"]);
  });

  test.each([
    ["a group without key share in the hello", ["-groups", "P-521"]],
    ["a suite that cannot be decrypted", ["-ciphersuites", "TLS_AES_128_CCM_SHA256"]],
  ])("only 1.3, with %s: the chain is the runtime's path, if any", async (_words, args) => {
    const reading = await probe(keep(await startOpenssl(withRoot, ["-tls1_3", ...args])));
    if (reading.status === "read") expect(reading.facts).toMatchObject({ versions: refusedBut({ "1.3": "accepted" }), chainAsSent: false });
    else expect(reading.because).toBe("unsupported");
  });

  test("OpenSSL's defaults: old versions are enabled, but the security level allows no signature for them", async () => {
    const facts = await factsOf(keep(await startOpenssl(rsa, [])));
    expect(facts.versions["1.3"]).toBe("accepted");
    expect(facts.versions["1.2"]).toBe("accepted");
    // Its internal_error alert means that it has no signature algorithm for them.
    expect(facts.versions["1.0"]).toBe("refused");
    expect(facts.versions["1.1"]).toBe("refused");
  });

  test("a server that requires a client certificate", async () => {
    for (const version of ["-tls1_2", "-tls1_3"]) {
      const facts = await factsOf(keep(await startOpenssl(rsa, [version, "-Verify", "1", "-verify_return_error"])));
      expect(facts.chain[0]?.names).toEqual(["site.test"]);
    }
  });

  test("a rare key type", async () => {
    const facts = await factsOf(keep(await startOpenssl(siteIdentity("site.test", { key: "ed25519" }), [])));
    expect(facts.chain[0]).toMatchObject({ keyType: "ed25519", keyBits: 256, curve: null });
  });
});

describe("faulty peers", () => {
  const record = (type: number, ...payload: number[]) => Buffer.from([type, 3, 3, payload.length >> 8, payload.length & 255, ...payload]);
  const answering = (bytes: Buffer) => (socket: Socket) => void socket.once("data", () => socket.end(bytes));

  test("a closed port", async () => {
    expect(await probe({ port: await closedPort() })).toEqual({ status: "failed", because: "refused" });
  });
  test("silence", async () => expect(await failure(() => {}, 300)).toBe("timeout"));
  test("a reset", async () =>
    expect(await failure((socket) => void socket.once("data", () => socket.resetAndDestroy()))).toBe("unreachable"));
  test("a closed connection", async () =>
    expect(await failure((socket) => void socket.once("data", () => socket.end()))).toBe("unreachable"));
  test("plain HTTP", async () => expect(await failure(answering(Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")))).toBe("invalid"));
  test("SSH, whose server sends first", async () => expect(await failure((socket) => void socket.write("SSH-2.0-x\r\n"))).toBe("invalid"));
  test("one wrong byte, then silence", async () => expect(await failure((socket) => void socket.write("S"), 1_000)).toBe("invalid"));
  test("an alert", async () => expect(await failure(answering(record(21, 2, 40)))).toBe("tls"));
  test("endless records", async () => {
    const endless = Buffer.concat(Array.from({ length: 100 }, () => Buffer.concat([record(22, ...Array<number>(16_000).fill(0))])));
    expect(await failure((socket) => void socket.once("data", () => socket.write(endless)))).toBe("tls");
  });

  test("a certificate of another host is read as well", async () => {
    const facts = await factsOf(await serve(siteIdentity("site.test", { flaw: "wrong-host" })));
    expect(facts).toMatchObject({ hostMatches: false, trusted: true });
  });
});

describe("an old server", () => {
  test("only RC4 with TLS 1.1", async () => {
    const { intermediate } = testAuthority();
    const certificates = [intermediate.issue({ names: ["site.test"] }).der, intermediate.der];
    const server = keep(await startFlight({ version: 0x0302, suite: 0x0005, certificates }));
    expect(await factsOf(server)).toMatchObject({
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
      expect(await probe(server)).toEqual({ status: "failed", because: "unsupported" });
    }
  });

  test("invalid intermediates are dropped", async () => {
    const { intermediate } = testAuthority();
    const chain = [intermediate.issue({ names: ["site.test"] }).der, Buffer.from("no certificate"), intermediate.der];
    const facts = await factsOf(keep(await startFlight({ version: 0x0303, suite: 0x002f, certificates: chain })));
    expect(facts).toMatchObject({ trusted: true, certificatesDropped: 1 });
    expect(facts.chain).toHaveLength(2);
  });
});

describe("a server that limits simultaneous connections", () => {
  test.each([0, 1, 2, 3])("to %i besides the first: closed ones are retried", async (more) => {
    const site = await serve(siteIdentity("site.test"), { minVersion: "TLSv1" });
    let open = 0;
    const box = keep(
      await startTcp((socket) => {
        if (open > more) {
          socket.resetAndDestroy();
          return;
        }
        open++;
        const onward = connect(site.port, "127.0.0.1");
        socket.pipe(onward).pipe(socket);
        onward.on("error", () => socket.destroy());
        socket.once("close", () => {
          open--;
          onward.destroy();
        });
      }),
    );
    const facts = await factsOf(box);
    expect(Object.values(facts.versions)).toEqual(["accepted", "accepted", "accepted", "accepted"]);
  });
});

describe("a middlebox that drops old versions", () => {
  test("costs time, but no facts", async () => {
    const site = await serve(siteIdentity("site.test"));
    const box = keep(
      await startTcp((socket) => {
        socket.once("data", (hello: Buffer) => {
          // The version of the hello, after the record header.
          if (hello.readUInt16BE(9) < 0x0303) return;
          const onward = connect(site.port, "127.0.0.1", () => {
            onward.write(hello);
            socket.pipe(onward).pipe(socket);
          });
          onward.on("error", () => socket.destroy());
          socket.once("close", () => onward.destroy());
        });
      }),
    );
    const facts = await factsOf(box, { deadlineMs: 1_500 });
    expect(facts.versions).toEqual({ "1.0": "unknown", "1.1": "unknown", "1.2": "accepted", "1.3": "accepted" });
  });
});

describe("certificates", () => {
  test("a valid one, with all facts", async () => {
    const leaf = testAuthority().intermediate.issue({
      commonName: "site.test",
      names: ["site.test", "*.site.test", "192.0.2.1"],
      key: "rsa-2048",
    });
    const chainPem = leaf.pem + testAuthority().intermediate.pem;
    const facts = await factsOf(await serve({ certificateChainPem: chainPem, privateKeyPem: leaf.privateKeyPem }));
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
      const facts = await factsOf(await serve(siteIdentity("site.test", { flaw }), { minVersion: maxVersion, maxVersion }));
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
    const facts = await factsOf(await serve(identity(chainOf(own, untrusted.intermediate, untrusted.root), own)));
    expect(facts).toMatchObject({ trusted: false, untrustedBecause: "SELF_SIGNED_CERT_IN_CHAIN" });
    expect(facts.chain.map(({ selfSigned }) => selfSigned)).toEqual([false, false, true]);
  });

  test("an unordered chain with unrelated certificates still leads to the root", async () => {
    const facts = await factsOf(await serve(identity(chainOf(leaf, untrustedAuthority().root, root, intermediate))));
    expect(facts).toMatchObject({ trusted: true, chainAsSent: true });
    expect(facts.chain).toHaveLength(4);
  });

  test("an expired leaf with an incomplete chain is not trusted", async () => {
    const facts = await factsOf(
      await serve(siteIdentity("site.test", { flaw: "missing-intermediate", validTo: new Date(Date.now() - 1_000) })),
    );
    expect(facts).toMatchObject({ trusted: false, untrustedBecause: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
  });

  test("an expired intermediate affects dates, not trust", async () => {
    const expired = root.issue({ commonName: "Old issuing CA", authority: true, validTo: new Date(Date.now() - 1_000) });
    const own = expired.issue({ names: ["site.test"] });
    expect(await factsOf(await serve(identity(chainOf(own, expired), own)))).toMatchObject({ trusted: true });
  });

  test("an issuer that is not an authority", async () => {
    const impostor = intermediate.issue({ commonName: "impostor", names: ["impostor.test"] });
    const own = impostor.issue({ names: ["site.test"] });
    expect(await factsOf(await serve(identity(chainOf(own, impostor, intermediate), own)))).toMatchObject({
      trusted: false,
      untrustedBecause: "INVALID_CA",
    });
  });

  test("an issuer with the right name and another key", async () => {
    const double = makeAuthority("Assay test").intermediate;
    const own = double.issue({ names: ["site.test"] });
    const facts = await factsOf(await serve(identity(chainOf(own, intermediate), own)));
    expect(facts.trusted).toBe(false);
  });

  test("a self-signed certificate that the operator trusts, and one that the operator does not trust", async () => {
    const own = selfSigned({ commonName: "site.test", names: ["site.test"], authority: true });
    const site = await serve(identity(own.pem, own));
    expect(await factsOf(site, { caPems: [`some words\n${untrustedAuthority().root.pem}${own.pem}`] })).toMatchObject({ trusted: true });
    expect(await factsOf(site)).toMatchObject({ trusted: false, untrustedBecause: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  });

  test("trustedBy: a public root, the operator's root, and an untrusted one", async () => {
    // The key of a public root is secret, but a flight of TLS 1.1 proves no key.
    const publicRoot = new X509Certificate(rootCertificates[0] ?? "").raw;
    const shown = keep(await startFlight({ version: 0x0302, suite: 0x0005, certificates: [publicRoot] }));
    expect(await factsOf(shown)).toMatchObject({ trusted: true, trustedBy: "public", chain: [{ trustAnchor: true }] });
    const site = await serve(identity(chainOf(leaf, intermediate, root)));
    const facts = await factsOf(site);
    expect(facts).toMatchObject({ trusted: true, trustedBy: "operator" });
    expect(facts.chain.map(({ trustAnchor }) => trustAnchor)).toEqual([false, false, true]);
    expect(await factsOf(site, { caPems: [] })).toMatchObject({ trusted: false, trustedBy: null });
  });

  test("a name with two addresses: all connections use the one that answered", async () => {
    const site = createServer({ cert: identity(chainOf(leaf, intermediate)).certificateChainPem, key: leaf.privateKeyPem });
    cleanUp.push(() => new Promise((resolve) => site.close(resolve)));
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.2", resolve));
    const dns = keep(await startDnsServer({ "site.test": { A: ["127.0.0.3", "127.0.0.2"] } }));
    const egress = openEgress({ ...egressTo({}), allowPorts: "any", dnsServers: [dns.address] });
    cleanUp.push(() => egress.close());
    const { port } = site.address() as AddressInfo;
    const signal = AbortSignal.timeout(5_000);
    const reading = await probeTls({ egress, host: "site.test", port, caPems: [root.pem], signal });
    expect(reading).toMatchObject({ status: "read", facts: { address: "127.0.0.2", trusted: true, hostMatches: true } });
  });

  test("an intermediate that the operator trusts without its root", async () => {
    const facts = await factsOf(await serve(identity(chainOf(leaf, intermediate))), { caPems: [intermediate.pem] });
    expect(facts).toMatchObject({ trusted: true, trustedBy: "operator", untrustedBecause: null });
    expect(facts.chain.map(({ trustAnchor }) => trustAnchor)).toEqual([false, true]);
  });

  test("an unreadable CA file changes nothing", async () => {
    const site = await serve(siteIdentity("site.test"));
    const broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";
    expect(await factsOf(site, { caPems: [broken, root.pem] })).toMatchObject({ trusted: true });
  });

  test.each<CertificateOptions>([{ hash: "md5" }, { hash: "sha1", pss: true }])(
    "a root is trusted even if the runtime cannot verify its signature: %o",
    async (options) => {
      const old = selfSigned({ commonName: "Old root", authority: true, key: "rsa-2048", ...options });
      const facts = await factsOf(await serve(identity(chainOf(leaf, intermediate, old))));
      expect(facts.chain.map(({ selfSigned }) => selfSigned)).toEqual([false, false, true]);
    },
  );

  test("a certificate with a root's name, signed by another key, is not a root", async () => {
    const [one, other] = [makeAuthority("Assay test").root, root];
    const rollover = one.issue({ commonName: "Assay test root", authority: true });
    const facts = await factsOf(await serve(identity(chainOf(leaf, intermediate, other, rollover))));
    expect(facts.chain.map(({ selfSigned }) => selfSigned)).toEqual([false, false, true, false]);
  });

  test("an address as host", async () => {
    const site = await serve(siteIdentity("127.0.0.1"));
    expect(await factsOf(site, { host: "127.0.0.1" })).toMatchObject({ host: "127.0.0.1", hostMatches: true });
    expect(await factsOf(await serve(siteIdentity("127.0.0.2")), { host: "127.0.0.1" })).toMatchObject({ hostMatches: false });
  });

  test.each([
    ["rsa-1024", "rsa", 1_024, null],
    ["ec-p384", "ec", 384, "secp384r1"],
  ] as const)("a key of the kind %s", async (key, keyType, keyBits, curve) => {
    const facts = await factsOf(await serve(siteIdentity("site.test", { key })));
    expect(facts.chain[0]).toMatchObject({ keyType, keyBits, curve });
  });

  test("a SHA-1 signature is recorded", async () => {
    const untrusted = selfSigned({ commonName: "RSA root", authority: true, key: "rsa-2048" });
    const own = untrusted.issue({ names: ["site.test"], hash: "sha1" });
    const facts = await factsOf(await serve(identity(own.pem, own)));
    expect(facts.chain[0]?.signatureAlgorithm).toBe("sha1WithRSAEncryption");
  });

  test("of ten thousand names, all are matched and few are kept", async () => {
    const names = [...Array.from({ length: 10_000 }, (_, index) => `host-${index}.test`), "site.test"];
    const facts = await factsOf(await serve(siteIdentity("other.test", { names }), { maxVersion: "TLSv1.2" }));
    expect(facts.hostMatches).toBe(true);
    expect(facts.chain[0]?.names).toHaveLength(certificateNamesMax);
    expect(facts.chain[0]?.namesDropped).toBe(10_001 - certificateNamesMax);
  });

  test("of fifty certificates, only the first are kept", async () => {
    const others = Array.from({ length: 48 }, () => untrustedAuthority().root);
    const facts = await factsOf(await serve(identity(chainOf(leaf, intermediate, ...others))));
    expect(facts.chain).toHaveLength(certificatesMax);
    expect(facts.certificatesDropped).toBe(50 - certificatesMax);
    expect(facts.trusted).toBe(true);
  });
});

test("a good server costs few connections", async () => {
  const site = await serve(siteIdentity("site.test"));
  await factsOf(site);
  expect(site.connections).toBe(2);
});
