/** Numbers of the TLS wire format, from RFC 5246, RFC 8446 and the IANA registries. */
import type { TlsVersion } from "../../evidence/limits.ts";

export const versionCodes: Readonly<Record<TlsVersion, number>> = { "1.0": 0x0301, "1.1": 0x0302, "1.2": 0x0303, "1.3": 0x0304 };

/** In TLS 1.3 all encrypted records have type `applicationData` (RFC 8446 section 5.2). */
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
