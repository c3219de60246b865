/** Numbers of the TLS wire format, from RFC 5246, RFC 8446 and the IANA registries, and a queue of received bytes. */
import type { TlsVersion } from "../../evidence/limits.ts";

export const versionCodes: Readonly<Record<TlsVersion, number>> = { "1.0": 0x0301, "1.1": 0x0302, "1.2": 0x0303, "1.3": 0x0304 };

/** Record types. In TLS 1.3 all encrypted records have type `applicationData` (RFC 8446 section 5.2). */
export const recordTypes = { changeCipherSpec: 20, alert: 21, handshake: 22, applicationData: 23 } as const;
export const messageTypes = { clientHello: 1, serverHello: 2, certificate: 11, serverKeyExchange: 12, serverHelloDone: 14 } as const;

export const extensionTypes = {
  serverName: 0,
  supportedGroups: 10,
  pointFormats: 11,
  signatureAlgorithms: 13,
  padding: 21,
  extendedMasterSecret: 23,
  supportedVersions: 43,
  keyShare: 51,
  renegotiationInfo: 0xff01,
} as const;

/** Type, version and length. */
export const recordHeaderBytes = 5;
/** Type and length of a handshake message. */
export const messageHeaderBytes = 4;
/** Type and length. */
export const extensionHeaderBytes = 4;

// Queue of received chunks, which are joined only when a read needs several of them.

export class ByteQueue {
  #chunks: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#chunks.push(bytes);
    this.#length += bytes.length;
  }

  /** The first `count` bytes, without removing them; null while fewer have arrived. */
  peek(count: number): Buffer | null {
    if (this.#length < count) return null;
    if ((this.#chunks[0]?.length ?? 0) < count) this.#chunks = [Buffer.concat(this.#chunks)];
    return (this.#chunks[0] ?? Buffer.alloc(0)).subarray(0, count);
  }

  take(count: number): Buffer | null {
    const bytes = this.peek(count);
    const first = this.#chunks[0];
    if (bytes === null || first === undefined) return bytes;
    if (first.length === count) this.#chunks.shift();
    else this.#chunks[0] = first.subarray(count);
    this.#length -= count;
    return bytes;
  }
}
