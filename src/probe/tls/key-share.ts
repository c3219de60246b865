/** Key shares of TLS 1.3 (RFC 8446 section 4.2.8), for the groups that nearly every server supports. */
import { createECDH, createPublicKey, diffieHellman, type ECDH, generateKeyPairSync } from "node:crypto";

export interface KeyShare {
  readonly group: number;
  readonly publicKey: Buffer;
  /** The shared secret; null for an invalid key of the server. */
  agree(serverKey: Buffer): Buffer | null;
}

export const x25519 = 0x001d;
export const secp256r1 = 0x0017;
export const secp384r1 = 0x0018;
export const secp521r1 = 0x0019;

/** New keys in order of preference. A server without these groups answers with a HelloRetryRequest. */
export function createKeyShares(): readonly KeyShare[] {
  return [x25519Share(), curveShare(secp256r1, "prime256v1"), curveShare(secp384r1, "secp384r1")];
}

/** For servers with P-521 alone: its keys take long to generate. */
export function createRareKeyShares(): readonly KeyShare[] {
  return [curveShare(secp521r1, "secp521r1")];
}

function x25519Share(): KeyShare {
  const { publicKey, privateKey } = generateKeyPairSync("x25519");
  return {
    group: x25519,
    publicKey: Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url"),
    agree: orNull((serverKey) => {
      const key = { kty: "OKP", crv: "X25519", x: serverKey.toString("base64url") };
      return diffieHellman({ privateKey, publicKey: createPublicKey({ key, format: "jwk" }) });
    }),
  };
}

function curveShare(group: number, name: string): KeyShare {
  const keys: ECDH = createECDH(name);
  return { group, publicKey: keys.generateKeys(), agree: orNull((serverKey) => keys.computeSecret(serverKey)) };
}

/** The server's key is untrusted: for example, its point may not be on the curve. */
function orNull(agree: (serverKey: Buffer) => Buffer): KeyShare["agree"] {
  return (serverKey) => {
    try {
      return agree(serverKey);
    } catch {
      return null;
    }
  };
}
