/** Encoding of the hellos that offer one version each. */
import { describe, expect, test } from "vitest";
import { offeredSuites, suiteName } from "../../../../src/probe/tls/cipher-suites.ts";
import { clientHello, createKeyShares } from "../../../../src/probe/tls/client-hello.ts";
import { versionCodes } from "../../../../src/probe/tls/tls-wire.ts";

const versions = ["1.0", "1.1", "1.2", "1.3"] as const;

/** Parses a hello according to RFC 8446 section 4.1.2. */
function parseHello(hello: Buffer) {
  const sessionEnd = 9 + 2 + 32 + 1 + (hello[43] ?? 0);
  const suitesEnd = sessionEnd + 2 + hello.readUInt16BE(sessionEnd);
  const extensions = new Map<number, Buffer>();
  const extensionsAt = suitesEnd + 2 + 2;
  for (let at = extensionsAt; at < hello.length; at += 4 + hello.readUInt16BE(at + 2)) {
    extensions.set(hello.readUInt16BE(at), hello.subarray(at + 4, at + 4 + hello.readUInt16BE(at + 2)));
  }
  return {
    recordVersion: hello.readUInt16BE(1),
    recordLength: hello.readUInt16BE(3),
    messageLength: hello.readUIntBE(6, 3),
    version: hello.readUInt16BE(9),
    suites: hello.subarray(sessionEnd + 2, suitesEnd).length / 2,
    extensionsLength: hello.readUInt16BE(suitesEnd + 2),
    bytesOfExtensions: hello.length - extensionsAt,
    extensions,
  };
}

describe.each(versions)("for TLS %s", (version) => {
  const hello = clientHello(version, "www.site.test", createKeyShares());
  const parts = parseHello(hello);

  test("all lengths are correct, and avoid the sizes on which some servers hang (RFC 7685)", () => {
    expect(parts.recordLength).toBe(hello.length - 5);
    expect(parts.messageLength).toBe(hello.length - 9);
    expect(parts.extensionsLength).toBe(parts.bytesOfExtensions);
    expect(hello.length - 5).toBeGreaterThanOrEqual(512);
  });

  test("contains the version in the field that this version reads", () => {
    expect(parts.recordVersion).toBe(0x0301);
    expect(parts.version).toBe(version === "1.3" ? 0x0303 : versionCodes[version]);
    expect(parts.extensions.get(43)?.toString("hex")).toBe(version === "1.3" ? "020304" : undefined);
    expect(parts.extensions.has(13)).toBe(version === "1.2" || version === "1.3");
  });

  test("contains key shares in TLS 1.3 only", () => {
    // RFC 8446 section 4.2.8: X25519 with 32 bytes, then uncompressed points of P-256 and P-384.
    const shares = parts.extensions.get(51)?.toString("hex");
    if (version === "1.3") {
      expect(shares).toMatch(/^[0-9a-f]{4}001d0020[0-9a-f]{64}0017004104[0-9a-f]{128}0018006104[0-9a-f]{192}$/);
    } else expect(shares).toBeUndefined();
  });

  test("contains the host name, unless the host is an address", () => {
    expect(parts.extensions.get(0)?.subarray(5).toString()).toBe("www.site.test");
    expect(parseHello(clientHello(version, null, [])).extensions.has(0)).toBe(false);
  });

  test("offers each suite once, including weak ones", () => {
    const suites = offeredSuites(version);
    expect(parts.suites).toBe(suites.length);
    expect(new Set(suites).size).toBe(suites.length);
    expect(suites.map(suiteName)).toEqual(
      expect.arrayContaining(["DES-CBC3-SHA", "RC4-SHA", "DHE-RSA-AES128-SHA", "ECDHE-RSA-AES128-SHA"]),
    );
  });
});

describe("with an offer of its own", () => {
  test("contains these suites and groups alone", () => {
    const parts = parseHello(clientHello("1.2", "site.test", [], { suites: [0x0005], groups: [0x0017, 0x0001] }));
    expect(parts.suites).toBe(1);
    expect(parts.extensions.get(10)?.toString("hex")).toBe("000400170001");
    expect(parts.bytesOfExtensions).toBe(parts.extensionsLength);
  });

  test("without groups, lacks both extensions for elliptic curves", () => {
    const { extensions } = parseHello(clientHello("1.2", "site.test", [], { suites: [0x0033], groups: [] }));
    expect([10, 11].some((type) => extensions.has(type))).toBe(false);
  });

  test("for TLS 1.3 without key shares, asks for a HelloRetryRequest", () => {
    const { extensions } = parseHello(clientHello("1.3", "site.test", [], { suites: [0x1301], groups: [0x11ec] }));
    expect(extensions.get(51)?.toString("hex")).toBe("0000");
    expect(extensions.get(10)?.toString("hex")).toBe("000211ec");
  });
});

test("an unknown suite is named by its number", () => expect(suiteName(0x00ff)).toBe("0x00ff"));
