/** Probe of offered suites and groups: real servers, and answers by hand where no server supports a suite any more. */
import { createHash, getDiffieHellman } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { siteIdentity } from "../../../support/certificates.ts";
import { cleanUp, keep, onCleanUp } from "../../../support/clean-up.ts";
import {
  alert,
  dheKeyExchange,
  ecdheKeyExchange,
  flight,
  type HelloReply,
  helloRetryRequest,
  oakleyPrimes,
  type ReceivedHello,
  startHelloServer,
} from "../../../support/hello-server.ts";
import { opensslIsMissing, startOpenssl } from "../../../support/openssl-server.ts";
import { acceptedSuites, serveTls, tlsOffersOf } from "../../../support/tls-probe.ts";

afterEach(cleanUp);

const rsa = () => siteIdentity("site.test", { key: "rsa-2048" });
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

/** Accepts the first offered suite of this list. */
const accepting =
  (...suites: readonly number[]): HelloReply =>
  (hello) => {
    const suite = suites.find((code) => hello.suites.includes(code));
    return suite === undefined ? alert(40) : flight(suite);
  };

describe("the runtime's server", () => {
  test("with modern suites refuses everything weak, in few connections", async () => {
    const site = await serveTls(rsa(), { ciphers: "ECDHE-RSA-AES128-GCM-SHA256" });
    expect(acceptedSuites(await tlsOffersOf(site))).toEqual({});
    expect(site.connections).toBeLessThanOrEqual(5);
  });

  test("with TLS 1.3 alone is asked about its hybrid group only", async () => {
    const server = keep(await startHelloServer(() => alert(40)));
    const facts = await tlsOffersOf(server, { "1.2": "refused" });
    expect(acceptedSuites(facts)).toEqual({});
    expect(facts).toMatchObject({ dhe: { answer: "refused" }, weakCurves: { accepted: [], others: "refused" } });
    expect(server.connections).toBe(1);
  });

  test.each([
    ["AES128-SHA", { staticKey: ["AES128-SHA"] }],
    ["AES128-SHA:AES256-SHA:AES128-GCM-SHA256", { staticKey: ["AES128-SHA", "AES256-SHA"] }],
    ["ECDHE-RSA-AES128-SHA256", { cbc: ["ECDHE-RSA-AES128-SHA256"] }],
    ["ECDHE-RSA-AES128-SHA:AES256-SHA", { staticKey: ["AES256-SHA"], cbc: ["ECDHE-RSA-AES128-SHA"] }],
    ["DES-CBC3-SHA", { smallBlock: ["DES-CBC3-SHA"] }],
  ])("with %s", async (ciphers, expected) => {
    const facts = await tlsOffersOf(await serveTls(rsa(), { minVersion: "TLSv1", maxVersion: "TLSv1.2", ciphers }), {
      "1.0": "accepted",
      "1.3": "refused",
    });
    expect(acceptedSuites(facts)).toEqual(expected as never);
  });
});

describe.skipIf(opensslIsMissing())("OpenSSL's server", () => {
  const offers = async (...args: readonly string[]) => tlsOffersOf(keep(await startOpenssl(rsa(), args)), { "1.3": "refused" });

  test.each([
    ["NULL-SHA256", { null: ["NULL-SHA256"] }],
    ["ADH-AES128-SHA256", { anonymous: ["ADH-AES128-SHA256"] }],
    ["CAMELLIA128-SHA256", { staticKey: ["CAMELLIA128-SHA256"] }],
    ["ECDHE-RSA-CAMELLIA128-SHA256", { cbc: ["ECDHE-RSA-CAMELLIA128-SHA256"] }],
  ])("with %s", async (cipher, expected) => {
    const facts = await offers("-tls1_2", "-cipher", `${cipher}:@SECLEVEL=0`);
    expect(acceptedSuites(facts)).toEqual(expected as never);
  });

  test("with the group of its configuration for DHE", async () => {
    const folder = mkdtempSync(join(tmpdir(), "assay-dh-"));
    onCleanUp(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "dh.pem");
    const { stdout } = Bun.spawnSync(["openssl", "genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt", "group:modp_1536"]);
    writeFileSync(file, stdout);
    const facts = await offers("-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0", "-dhparam", file);
    expect(facts.dhe).toEqual({ answer: "accepted", group: { bits: 1_536, primeSha256: sha256(getDiffieHellman("modp5").getPrime()) } });
    expect(facts.weakCurves.others).toBe("refused");
  });

  test.each([
    ["P-192", ["secp192r1"], "not-asked"],
    ["sect571r1", ["sect571r1"], "refused"],
    ["sect571r1:sect163k1", ["sect163k1"], "not-asked"],
    ["X25519:P-256", [], "refused"],
  ] as const)("with the curves %s", async (groups, accepted, others) => {
    const facts = await offers("-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0", "-groups", groups);
    expect(facts.weakCurves).toEqual({ accepted, others });
  });
});

describe("answers by hand", () => {
  const offers = async (reply: HelloReply, versions?: Parameters<typeof tlsOffersOf>[1]) =>
    tlsOffersOf(keep(await startHelloServer(reply)), versions);

  test("one suite of every broken kind", async () => {
    const facts = await offers(accepting(0x0002, 0x0034, 0x0003, 0x0005, 0x000a));
    expect(acceptedSuites(facts)).toEqual({
      null: ["NULL-SHA"],
      anonymous: ["ADH-AES128-SHA"],
      export: ["EXP-RC4-MD5"],
      rc4: ["RC4-SHA"],
      smallBlock: ["DES-CBC3-SHA"],
    });
  });

  test("export suites in TLS 1.0 alone", async () => {
    const facts = await offers(
      ({ version, suites }) => (version === 0x0301 && suites.includes(0x0003) ? flight(0x0003, { version }) : null),
      {
        "1.0": "accepted",
      },
    );
    expect(acceptedSuites(facts)).toEqual({ export: ["EXP-RC4-MD5"] });
  });

  test("CBC in TLS 1.0 alone, beside a version with modern suites", async () => {
    const facts = await offers(
      ({ version, suites }) => (version === 0x0301 && suites.includes(0x002f) ? flight(0x002f, { version }) : null),
      { "1.0": "accepted" },
    );
    expect(acceptedSuites(facts)).toEqual({ staticKey: ["AES128-SHA"] });
  });

  test("a hybrid group, asked for without key shares", async () => {
    const facts = await offers(({ version, groups }) => (version === 0x0304 && groups.includes(0x11ec) ? helloRetryRequest(0x11ec) : null));
    expect(facts.hybrid).toEqual({ answer: "accepted", group: "X25519MLKEM768" });
    expect((await offers(() => alert(40))).hybrid).toEqual({ answer: "refused", group: null });
    // A retry for another group, such as X25519, accepts nothing that was offered.
    expect((await offers(() => helloRetryRequest(0x001d))).hybrid).toEqual({ answer: "unknown", group: null });
  });

  test("a Diffie-Hellman group, for a hello without groups of RFC 7919", async () => {
    const hellos: ReceivedHello[] = [];
    const facts = await offers((hello) => {
      if (!hello.suites.includes(0x009e)) return null;
      hellos.push(hello);
      return flight(0x009e, { keyExchange: dheKeyExchange(oakleyPrimes.group1) });
    });
    expect(facts.dhe).toEqual({ answer: "accepted", group: { bits: 768, primeSha256: sha256(oakleyPrimes.group1) } });
    expect(hellos.map(({ groups }) => groups)).toEqual([[]]);
  });

  test("a Diffie-Hellman suite without readable parameters", async () => {
    const facts = await offers(({ suites }) => (suites.includes(0x009e) ? flight(0x009e, { keyExchange: Buffer.from([0, 9, 1]) }) : null));
    expect(facts.dhe).toEqual({ answer: "accepted", group: null });
  });

  test("a curve that was not offered is not a weak one", async () => {
    const facts = await offers(accepting(0xc02f));
    expect(facts.weakCurves).toEqual({ accepted: [], others: "unknown" });
    const strong = await offers(({ suites }) => (suites.includes(0xc02f) ? flight(0xc02f, { keyExchange: ecdheKeyExchange(23) }) : null));
    expect(strong.weakCurves).toEqual({ accepted: [], others: "refused" });
  });
});

describe("no clear answer is unknown", () => {
  const everythingUnknown = {
    ...Object.fromEntries(["null", "anonymous", "export", "rc4", "smallBlock", "staticKey", "cbc"].map((kind) => [kind, ["?"]])),
  };

  test.each([
    ["a reset", () => "reset"],
    ["a closed connection", () => "close"],
    ["an alert about an internal error", () => alert(80)],
    ["an alert about an unknown name", () => alert(112)],
    ["another protocol", () => Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")],
    ["a suite that was not offered", () => flight(0xc02f)],
    ["an unfinished flight", ({ suites }: ReceivedHello) => flight(suites[0] ?? 0).subarray(0, 200)],
  ] as const satisfies readonly (readonly [string, HelloReply])[])("%s", async (_words, reply) => {
    const server = keep(await startHelloServer(reply));
    const facts = await tlsOffersOf(server, { "1.0": "accepted" });
    expect(acceptedSuites(facts)).toEqual(everythingUnknown);
    expect(facts.dhe.answer).toBe("unknown");
    expect(facts.weakCurves.others).toBe("unknown");
    expect(server.connections).toBeLessThanOrEqual(12);
  });

  test("silence, after which no more hellos are sent", async () => {
    const server = keep(await startHelloServer(() => "silence"));
    expect(acceptedSuites(await tlsOffersOf(server))).toEqual(everythingUnknown);
    expect(server.connections).toBe(4);
  });

  test("a middlebox that resets hellos without a modern suite does not hide that it accepts CBC", async () => {
    const facts = await tlsOffersOf(
      keep(
        await startHelloServer(({ suites }) => (suites.includes(0xc013) ? flight(0xc013, { keyExchange: ecdheKeyExchange(23) }) : "reset")),
      ),
    );
    expect(acceptedSuites(facts)).toMatchObject({ cbc: ["ECDHE-RSA-AES128-SHA", "?"], rc4: ["?"] });
  });
});

test("a server that accepts everything costs at most twelve connections", async () => {
  const server = keep(
    await startHelloServer(({ suites }) => {
      return flight(suites[0] ?? 0);
    }),
  );
  const facts = await tlsOffersOf(server, { "1.0": "accepted", "1.1": "accepted" });
  expect(facts.weakSuites.null.accepted).toEqual(["NULL-MD5"]);
  expect(server.connections).toBeLessThanOrEqual(12);
});
