/**
 * The format of an archive: tar, compressed by Zstandard, and a frame with the SHA-256 of all bytes before it. Debian's tar reads it
 * (`tar --zstd --list --file F`), so that a backup can be opened without assay. Measured on 119 MB: 0.3 s to write and 40 MB; gzip takes
 * 1.4 s and 51 MB.
 */
import { Transform } from "node:stream";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";

const compressionLevel = 3;
const digestBytes = 32;
/** Skippable frame (RFC 8878 section 3.1.2): decoders pass over it. */
const frameHeaderBytes = 8;
const skippableMagic = 0x184d2a50;

export const trailerBytes = frameHeaderBytes + digestBytes;

export function openCompressor() {
  return createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: compressionLevel } });
}

export function openDecompressor() {
  return createZstdDecompress();
}

/** Passes bytes on, and hashes them. `trailer` gives the end of an archive of these bytes, once all have passed. */
export function openArchiveHash(): { readonly stream: Transform; trailer(): Buffer } {
  const hash = new Bun.CryptoHasher("sha256");
  const stream = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  return { stream, trailer: () => trailerOf(hash.digest()) };
}

function trailerOf(digest: Uint8Array): Buffer {
  const trailer = Buffer.alloc(trailerBytes);
  trailer.writeUInt32LE(skippableMagic, 0);
  trailer.writeUInt32LE(digestBytes, 4);
  trailer.set(digest, frameHeaderBytes);
  return trailer;
}
