/** The TLS probe against real servers: every version, every flaw of a certificate, and peers that speak no TLS at all. */
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

interface Wish {
  readonly host?: string;
  readonly caPems?: readonly string[];
  readonly deadlineMs?: number;
}

async function probe(
  server: { readonly port: number },
  { host = "site.test", caPems, deadlineMs = 5_000 }: Wish = {},
): Promise<Reading<TlsFacts>> {
  const egress = openEgress(egressTo({ [`${host}:443`]: server }));
  cleanUp.push(() => egress.close());
  const signal = AbortSignal.timeout(deadlineMs);
  return probeTls({ egress, host, port: 443, caPems: caPems ?? [testAuthority().root.pem], signal });
}

async function factsOf(server: { readonly port: number }, wish?: Wish): Promise<TlsFacts> {
  const reading = await probe(server, wish);
  if (reading.status === "failed") throw new Error(`failed: ${reading.because}`);
  return reading.facts;
}

async function serve(identity: ServerIdentity, wish?: TlsOptions) {
  return keep(await startHttps(identity, { "*": {} }, wish));
}

/** What came of a server that does this with every connection. */
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

  test.each(["rsa-2048", "ec-p384"] as const)("with a key of the kind %s", async (key) => {
    const facts = await factsOf(await serve(siteIdentity("site.test", { key }), { minVersion: "TLSv1" }));
    expect(Object.values(facts.versions)).toEqual(["accepted", "accepted", "accepted", "accepted"]);
  });
});

test("3DES alone with TLS 1.0, which the runtime's client does not offer", async () => {
  const rsa = siteIdentity("site.test", { key: "rsa-2048" });
  const facts = await factsOf(await serve(rsa, { minVersion: "TLSv1", maxVersion: "TLSv1", ciphers: "DES-CBC3-SHA" }));
  expect(facts).toMatchObject({ versions: refusedBut({ "1.0": "accepted" }), trusted: true, chainAsSent: true });
  expect(facts.negotiated).toEqual({ protocol: "TLSv1", cipher: "DES-CBC3-SHA", alpn: null });
});

describe.skipIf(!hasOpenssl)(`versions of OpenSSL's server${hasOpenssl ? "" : " (skipped: no openssl on this machine)"}`, () => {
  const rsa = siteIdentity("site.test", { key: "rsa-2048" });

  test.each([
    [
      "Camellia alone with TLS 1.0",
      ["-tls1", "-cipher", "CAMELLIA256-SHA:@SECLEVEL=0"],
      refusedBut({ "1.0": "accepted" }),
      "CAMELLIA256-SHA",
    ],
    [
      "DHE alone with TLS 1.2",
      ["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"],
      refusedBut({ "1.2": "accepted" }),
      "DHE-RSA-AES128-GCM-SHA256",
    ],
    [
      "Camellia alone with TLS 1.1",
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

  test("all versions, with the retry that another key share needs", async () => {
    const args = ["-cipher", "ALL:@SECLEVEL=0", "-groups", "P-384"];
    const facts = await factsOf(keep(await startOpenssl(rsa, args)));
    expect(Object.values(facts.versions)).toEqual(["accepted", "accepted", "accepted", "accepted"]);
  });

  const withRoot = { ...rsa, certificateChainPem: rsa.certificateChainPem + untrustedAuthority().root.pem };

  test.each([
    ["TLS_AES_128_GCM_SHA256", "X25519"],
    ["TLS_AES_256_GCM_SHA384", "P-256"],
    ["TLS_CHACHA20_POLY1305_SHA256", "P-384"],
  ])("1.3 alone, with %s and %s: the chain is what was sent", async (suite, group) => {
    const facts = await factsOf(keep(await startOpenssl(withRoot, ["-tls1_3", "-ciphersuites", suite, "-groups", group])));
    expect(facts).toMatchObject({ versions: refusedBut({ "1.3": "accepted" }), chainAsSent: true, trusted: true });
    expect(facts.chain.map(({ subject }) => subject)).toEqual(["CN=site.test", "CN=Assay test issuing CA", "CN=Strange root"]);
  });

  test.each([
    ["a group of which no half was sent along", ["-groups", "P-521"]],
    ["a suite that cannot be opened", ["-ciphersuites", "TLS_AES_128_CCM_SHA256"]],
  ])("1.3 alone, with %s: the path is what the runtime built, if it could", async (_words, args) => {
    const reading = await probe(keep(await startOpenssl(withRoot, ["-tls1_3", ...args])));
    if (reading.status === "read") expect(reading.facts).toMatchObject({ versions: refusedBut({ "1.3": "accepted" }), chainAsSent: false });
    else expect(reading.because).toBe("unsupported");
  });

  test("as it comes: old versions are switched on, but the level of security lets no key sign for them", async () => {
    const facts = await factsOf(keep(await startOpenssl(rsa, [])));
    expect(facts.versions["1.3"]).toBe("accepted");
    expect(facts.versions["1.2"]).toBe("accepted");
    // It says internal_error, and means that it has no signature for them.
    expect(facts.versions["1.0"]).toBe("refused");
    expect(facts.versions["1.1"]).toBe("refused");
  });

  test("a server that assertsAllowed on a client's certificate", async () => {
    for (const version of ["-tls1_2", "-tls1_3"]) {
      const facts = await factsOf(keep(await startOpenssl(rsa, [version, "-Verify", "1", "-verify_return_error"])));
      expect(facts.chain[0]?.names).toEqual(["site.test"]);
    }
  });

  test("a key of a kind that few servers have", async () => {
    const facts = await factsOf(keep(await startOpenssl(siteIdentity("site.test", { key: "ed25519" }), [])));
    expect(facts.chain[0]).toMatchObject({ keyType: "ed25519", keyBits: 256, curve: null });
  });
});

describe("peers that misbehave", () => {
  const record = (type: number, ...payload: number[]) => Buffer.from([type, 3, 3, payload.length >> 8, payload.length & 255, ...payload]);
  const answering = (bytes: Buffer) => (socket: Socket) => void socket.once("data", () => socket.end(bytes));

  test("nobody listens", async () => {
    expect(await probe({ port: await closedPort() })).toEqual({ status: "failed", because: "refused" });
  });
  test("silence", async () => expect(await failure(() => {}, 300)).toBe("timeout"));
  test("a reset", async () =>
    expect(await failure((socket) => void socket.once("data", () => socket.resetAndDestroy()))).toBe("unreachable"));
  test("an end", async () => expect(await failure((socket) => void socket.once("data", () => socket.end()))).toBe("unreachable"));
  test("plain HTTP", async () => expect(await failure(answering(Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")))).toBe("invalid"));
  test("SSH, which speaks first", async () => expect(await failure((socket) => void socket.write("SSH-2.0-x\r\n"))).toBe("invalid"));
  test("one wrong byte and silence", async () => expect(await failure((socket) => void socket.write("S"), 1_000)).toBe("invalid"));
  test("refusal by an alert", async () => expect(await failure(answering(record(21, 2, 40)))).toBe("tls"));
  test("records without end", async () => {
    const endless = Buffer.concat(Array.from({ length: 100 }, () => Buffer.concat([record(22, ...Array<number>(16_000).fill(0))])));
    expect(await failure((socket) => void socket.once("data", () => socket.write(endless)))).toBe("tls");
  });

  test("a certificate of a stranger's host is read all the same", async () => {
    const facts = await factsOf(await serve(siteIdentity("site.test", { flaw: "wrong-host" })));
    expect(facts).toMatchObject({ hostMatches: false, trusted: true });
  });
});

describe("a hand-made server of another age", () => {
  test("RC4 alone with TLS 1.1", async () => {
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

  test("a certificate that is none", async () => {
    for (const certificates of [[Buffer.from("no certificate")], []]) {
      const server = keep(await startFlight({ version: 0x0303, suite: 0x002f, certificates }));
      expect(await probe(server)).toEqual({ status: "failed", because: "unsupported" });
    }
  });

  test("what is no certificate further up is dropped", async () => {
    const { intermediate } = testAuthority();
    const chain = [intermediate.issue({ names: ["site.test"] }).der, Buffer.from("no certificate"), intermediate.der];
    const facts = await factsOf(keep(await startFlight({ version: 0x0303, suite: 0x002f, certificates: chain })));
    expect(facts).toMatchObject({ trusted: true, certificatesDropped: 1 });
    expect(facts.chain).toHaveLength(2);
  });
});

describe("a server that takes few connections at once", () => {
  test.each([0, 1, 2, 3])("%i besides the first: those that were cut are asked again", async (more) => {
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

describe("a middlebox that is silent to old versions", () => {
  test("costs time, not the facts", async () => {
    const site = await serve(siteIdentity("site.test"));
    const box = keep(
      await startTcp((socket) => {
        socket.once("data", (hello: Buffer) => {
          // The version within the hello, behind the record's header.
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
  test("a good one, in full", async () => {
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

  test("an unknown root that is sent along", async () => {
    const strange = untrustedAuthority();
    const own = strange.intermediate.issue({ names: ["site.test"] });
    const facts = await factsOf(await serve(identity(chainOf(own, strange.intermediate, strange.root), own)));
    expect(facts).toMatchObject({ trusted: false, untrustedBecause: "SELF_SIGNED_CERT_IN_CHAIN" });
    expect(facts.chain.map(({ selfSigned }) => selfSigned)).toEqual([false, false, true]);
  });

  test("a chain out of order, with strangers in it, still leads to the root", async () => {
    const facts = await factsOf(await serve(identity(chainOf(leaf, untrustedAuthority().root, root, intermediate))));
    expect(facts).toMatchObject({ trusted: true, chainAsSent: true });
    expect(facts.chain).toHaveLength(4);
  });

  test("an expired leaf whose chain is broken as well is not trusted", async () => {
    const facts = await factsOf(
      await serve(siteIdentity("site.test", { flaw: "missing-intermediate", validTo: new Date(Date.now() - 1_000) })),
    );
    expect(facts).toMatchObject({ trusted: false, untrustedBecause: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
  });

  test("an expired intermediate is about dates", async () => {
    const expired = root.issue({ commonName: "Old issuing CA", authority: true, validTo: new Date(Date.now() - 1_000) });
    const own = expired.issue({ names: ["site.test"] });
    expect(await factsOf(await serve(identity(chainOf(own, expired), own)))).toMatchObject({ trusted: true });
  });

  test("an issuer that is no authority", async () => {
    const impostor = intermediate.issue({ commonName: "impostor", names: ["impostor.test"] });
    const own = impostor.issue({ names: ["site.test"] });
    expect(await factsOf(await serve(identity(chainOf(own, impostor, intermediate), own)))).toMatchObject({
      trusted: false,
      untrustedBecause: "INVALID_CA",
    });
  });

  test("an issuer of the right name with another key", async () => {
    const double = makeAuthority("Assay test").intermediate;
    const own = double.issue({ names: ["site.test"] });
    const facts = await factsOf(await serve(identity(chainOf(own, intermediate), own)));
    expect(facts.trusted).toBe(false);
  });

  test("a root that the operator trusts by itself, and one that he does not", async () => {
    const own = selfSigned({ commonName: "site.test", names: ["site.test"], authority: true });
    const site = await serve(identity(own.pem, own));
    expect(await factsOf(site, { caPems: [`some words\n${untrustedAuthority().root.pem}${own.pem}`] })).toMatchObject({ trusted: true });
    expect(await factsOf(site)).toMatchObject({ trusted: false, untrustedBecause: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  });

  test("who is trusted: a public root that is shown for a server, an operator's, nobody's", async () => {
    // Nobody has the key of a public root, but a flight of TLS 1.1 proves no key.
    const publicRoot = new X509Certificate(rootCertificates[0] ?? "").raw;
    const shown = keep(await startFlight({ version: 0x0302, suite: 0x0005, certificates: [publicRoot] }));
    expect(await factsOf(shown)).toMatchObject({ trusted: true, trustedBy: "public", chain: [{ trustAnchor: true }] });
    const site = await serve(identity(chainOf(leaf, intermediate, root)));
    const facts = await factsOf(site);
    expect(facts).toMatchObject({ trusted: true, trustedBy: "operator" });
    expect(facts.chain.map(({ trustAnchor }) => trustAnchor)).toEqual([false, false, true]);
    expect(await factsOf(site, { caPems: [] })).toMatchObject({ trusted: false, trustedBy: null });
  });

  test("a name with two addresses: the one that answered is the one that is judged", async () => {
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

  test("an intermediate that the operator trusts, and not its root", async () => {
    const facts = await factsOf(await serve(identity(chainOf(leaf, intermediate))), { caPems: [intermediate.pem] });
    expect(facts).toMatchObject({ trusted: true, trustedBy: "operator", untrustedBecause: null });
    expect(facts.chain.map(({ trustAnchor }) => trustAnchor)).toEqual([false, true]);
  });

  test("a CA file that cannot be read changes nothing", async () => {
    const site = await serve(siteIdentity("site.test"));
    const broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";
    expect(await factsOf(site, { caPems: [broken, root.pem] })).toMatchObject({ trusted: true });
  });

  test.each<CertificateOptions>([{ hash: "md5" }, { hash: "sha1", pss: true }])(
    "a root whose own signature the runtime does not verify is a root all the same: %o",
    async (wish) => {
      const old = selfSigned({ commonName: "Old root", authority: true, key: "rsa-2048", ...wish });
      const facts = await factsOf(await serve(identity(chainOf(leaf, intermediate, old))));
      expect(facts.chain.map(({ selfSigned }) => selfSigned)).toEqual([false, false, true]);
    },
  );

  test("a certificate of the same name that another key signed is no root", async () => {
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

  test("a signature by SHA-1 is told", async () => {
    const strange = selfSigned({ commonName: "RSA root", authority: true, key: "rsa-2048" });
    const own = strange.issue({ names: ["site.test"], hash: "sha1" });
    const facts = await factsOf(await serve(identity(own.pem, own)));
    expect(facts.chain[0]?.signatureAlgorithm).toBe("sha1WithRSAEncryption");
  });

  test("ten thousand names: all are matched, few are kept", async () => {
    const names = [...Array.from({ length: 10_000 }, (_, index) => `host-${index}.test`), "site.test"];
    const facts = await factsOf(await serve(siteIdentity("other.test", { names }), { maxVersion: "TLSv1.2" }));
    expect(facts.hostMatches).toBe(true);
    expect(facts.chain[0]?.names).toHaveLength(certificateNamesMax);
    expect(facts.chain[0]?.namesDropped).toBe(10_001 - certificateNamesMax);
  });

  test("fifty certificates are cut", async () => {
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
