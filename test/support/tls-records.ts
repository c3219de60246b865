/** Encodes records, messages and numbers of TLS, for servers that answer by hand. */

export function tlsRecord(type: number, version: number, content: Buffer): Buffer {
  return Buffer.concat([uint(type, 1), uint(version, 2), uint(content.length, 2), content]);
}

export function handshakeMessage(type: number, body: Buffer): Buffer {
  return Buffer.concat([uint(type, 1), uint(body.length, 3), body]);
}

export function uint(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}
