/** Decryption of the handshake trace of RFC 8448 section 3, and of hostile variants. */
import { X509Certificate } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createKeyShares } from "../../../../src/probe/tls/client-hello.ts";
import { serverHandshakeTrafficSecret, serverRecordDecryptor } from "../../../../src/probe/tls/handshake-keys.ts";
import {
  type CreateDecryptor,
  readCertificates,
  readServerHello,
  readTls13Certificates,
  ServerFlightReader,
} from "../../../../src/probe/tls/server-flight.ts";
import { randomRuns } from "../../../support/random-runs.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ""), "hex");

const clientHello = hex(`
  010000c00303cb34ecb1e78163ba1c38c6dacb196a6dffa21a8d9912ec18a2ef6283024dece7000006130113031302010000910000000b000900000673657276
  6572ff01000100000a00140012001d0017001800190100010101020103010400230000003300260024001d002099381de560e4bd43d23d8e435a7dbafeb3c06e
  51c13cae4d5413691e529aaf2c002b0003020304000d0020001e040305030603020308040805080604010501060102010402050206020202002d00020101001c
  00024001`);
const serverHello = hex(`
  020000560303a6af06a4121860dc5e6e60249cd34c95930c8ac5cb1434dac155772ed3e2692800130100002e00330024001d0020c9828876112095fe66762bdb
  f7c672e156d6cc253b833df1dd69b1b04e751f0f002b00020304`);
const sharedSecret = hex("8bd4054fb55b9d63fdfbacf9f04b9f0d35e6d63f537563efd46272900f89492d");
/** EncryptedExtensions, Certificate, CertificateVerify and Finished, encrypted. */
const encryptedFlight = hex(`
  17030302a2d1ff334a56f5bff6594a07cc87b580233f500f45e489e7f33af35edf7869fcf40aa40aa2b8ea73f848a7ca07612ef9f945cb960b4068905123ea78
  b111b429ba9191cd05d2a389280f526134aadc7fc78c4b729df828b5ecf7b13bd9aefb0e57f271585b8ea9bb355c7c79020716cfb9b1183ef3ab20e37d57a6b9
  d7477609aee6e122a4cf51427325250c7d0e509289444c9b3a648f1d71035d2ed65b0e3cdd0cbae8bf2d0b227812cbb360987255cc744110c453baa4fcd61092
  8d809810e4b7ed1a8fd991f06aa6248204797e36a6a73b70a2559c09ead686945ba246ab66e5edd8044b4c6de3fcf2a89441ac66272fd8fb330ef8190579b368
  4596c960bd596eea520a56a8d650f563aad27409960dca63d3e688611ea5e22f4415cf9538d51a200c27034272968a264ed6540c84838d89f72c24461aad6d26
  f59ecaba9acbbb317b66d902f4f292a36ac1b639c637ce343117b659622245317b49eeda0c6258f100d7d961ffb138647e92ea330faeea6dfa31c7a84dc3bd7e
  1b7a6c7178af36879018e3f252107f243d243dc7339d5684c8b0378bf30244da8c87c843f5e56eb4c5e8280a2b48052cf93b16499a66db7cca71e4599426f7d4
  61e66f99882bd89fc50800becca62d6c74116dbd2972fda1fa80f85df881edbe5a37668936b335583b599186dc5c6918a396fa48a181d6b6fa4f9d62d513afbb
  992f2b992f67f8afe67f76913fa388cb5630c8ca01e0c65d11c66a1e2ac4c85977b7c7a6999bbf10dc35ae69f5515614636c0b9b68c19ed2e31c0b3b66763038
  ebba42f3b38edc0399f3a9f23faa63978c317fc9fa66a73f60f0504de93b5b845e275592c12335ee340bbc4fddd502784016e4b3be7ef04dda49f4b440a30cb5
  d2af939828fd4ae3794e44f94df5a631ede42c1719bfdabf0253fe5175be898e750edc53370d2b`);
const aes128 = 0x1301;

const record = (type: number, payload: Buffer) =>
  Buffer.concat([Buffer.from([type, 3, 3, payload.length >> 8, payload.length & 255]), payload]);
const decryptTrace: CreateDecryptor = ({ suite }, message) => serverRecordDecryptor(suite, sharedSecret, [clientHello, message]);

function flightOf(bytes: Buffer, createDecryptor: CreateDecryptor = decryptTrace, chunkBytes = bytes.length) {
  const reader = new ServerFlightReader(createDecryptor);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    if (reader.push(bytes.subarray(at, at + chunkBytes))) break;
  }
  return reader.flight;
}

describe("the trace of RFC 8448", () => {
  test("derives the server's handshake secret", () => {
    expect(serverHandshakeTrafficSecret("sha256", sharedSecret, [clientHello, serverHello]).toString("hex")).toBe(
      "b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38",
    );
  });

  test("reads the server's key share", () => {
    const { version, suite, keyShare } = readServerHello(serverHello.subarray(4)) ?? {};
    expect({ version, suite, group: keyShare?.group, key: keyShare?.key.toString("hex") }).toEqual({
      version: 0x0304,
      suite: aes128,
      group: 0x001d,
      key: "c9828876112095fe66762bdbf7c672e156d6cc253b833df1dd69b1b04e751f0f",
    });
  });

  test("decrypts the flight only once, in sequence", () => {
    const decrypt = serverRecordDecryptor(aes128, sharedSecret, [clientHello, serverHello]);
    const decrypted = decrypt?.(encryptedFlight);
    expect(decrypted?.type).toBe(22);
    expect(decrypted?.content).toHaveLength(657);
    expect(decrypt?.(encryptedFlight)).toBeNull();
  });

  test("reads the certificate in chunks of any size, after a meaningless ChangeCipherSpec", () => {
    const flight = Buffer.concat([record(22, serverHello), record(20, Buffer.from([1])), encryptedFlight]);
    for (const chunkBytes of [1, 7, 100, 679, 2_000]) {
      const { version, certificates, alert } = flightOf(flight, decryptTrace, chunkBytes);
      expect({ version, alert }).toEqual({ version: 0x0304, alert: null });
      expect(certificates.map((der) => new X509Certificate(der).subject)).toEqual(["CN=rsa"]);
    }
  });
});

describe("no certificates from", () => {
  const hello = record(22, serverHello);
  const helloAndMore = Buffer.concat([serverHello, Buffer.from([8])]);
  test.each([
    ["a modified flight", Buffer.concat([hello, encryptedFlight.subarray(0, -1), Buffer.from([0])])],
    ["a record that is too short to be encrypted", Buffer.concat([hello, record(23, Buffer.from([1, 2, 3]))])],
    ["a message that continues after the hello", Buffer.concat([record(22, helloAndMore), encryptedFlight])],
    ["a second hello", Buffer.concat([hello, hello, encryptedFlight])],
    ["an encrypted record before any hello", encryptedFlight],
  ])("%s", (_words, bytes) => {
    expect(flightOf(bytes).certificates).toEqual([]);
  });

  test("an unknown suite", () => {
    expect(serverRecordDecryptor(0x1304, sharedSecret, [])).toBeNull();
    expect(flightOf(Buffer.concat([hello, encryptedFlight]), () => null).version).toBe(0x0304);
  });

  test("a HelloRetryRequest", () => {
    const retry = Buffer.from(serverHello.subarray(4));
    hex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c").copy(retry, 2);
    expect(readServerHello(retry)?.keyShare).toBeNull();
  });

  test("invalid keys", () => {
    for (const { agree } of createKeyShares()) {
      expect(agree(Buffer.alloc(0))).toBeNull();
      expect(agree(Buffer.alloc(500, 7))).toBeNull();
    }
  });
});

test("both sides of each group agree on the same secret", () => {
  const [ours, theirs] = [createKeyShares(), createKeyShares()];
  for (const [at, share] of ours.entries()) {
    const other = theirs[at];
    expect(share.group).toBe(other?.group);
    expect(share.agree(other?.publicKey ?? Buffer.alloc(0))).toEqual(other?.agree(share.publicKey) ?? null);
    expect(share.agree(other?.publicKey ?? Buffer.alloc(0))?.length).toBeGreaterThanOrEqual(32);
  }
});

test("arbitrary messages cause no exception and no invented data", () => {
  const hello = serverHello.subarray(4);
  const changed = fc.tuple(fc.nat(hello.length - 1), fc.nat(255)).map(([at, byte]) => Uint8Array.from(hello.with(at, byte)));
  fc.assert(
    fc.property(fc.oneof(changed, fc.uint8Array({ maxLength: 200 })), (bytes) => {
      const body = Buffer.from(bytes);
      expect(readServerHello(body)?.keyShare?.key.length ?? 0).toBeLessThanOrEqual(body.length);
      for (const read of [readCertificates, readTls13Certificates]) {
        expect(read(body).reduce((sum, der) => sum + der.length, 0)).toBeLessThanOrEqual(body.length);
      }
    }),
    { numRuns: randomRuns(20_000) },
  );
});
