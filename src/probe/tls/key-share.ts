/** The client's half of the key exchange of TLS 1.3 (RFC 8446 section 4.2.8), for the groups that nearly every server has. */
import { createECDH, createPublicKey, diffieHellman, type ECDH, generateKeyPairSync } from "node:crypto";

export interface KeyShare {
  /** Code of the named group. */
  readonly group: number;
  /** As it stands in the hello. */
  readonly publicKey: Buffer;
  /** The shared secret, or null when what the server sent is no key of this group. */
  agree(serverKey: Buffer): Buffer | null;
}

export const x25519 = 0x001d;
export const secp256r1 = 0x0017;
export const secp384r1 = 0x0018;

/** Fresh keys, most wanted first: a server that has none of these groups asks for another hello. */
export function newKeyShares(): readonly KeyShare[] {
  return [x25519Share(), curveShare(secp256r1, "prime256v1"), curveShare(secp384r1, "secp384r1")];
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

/** A point that is not on the curve, for example: written by whoever answers. */
function orNull(agree: (serverKey: Buffer) => Buffer): KeyShare["agree"] {
  return (serverKey) => {
    try {
      return agree(serverKey);
    } catch {
      return null;
    }
  };
}
