/** Writes an archive from files that no longer change. */
import { createReadStream, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type Pack, pack } from "tar-stream";
import { openArchiveHash, openCompressor } from "./archive-stream.ts";
import { assertSpace } from "./disk-space.ts";
import { type Manifest, manifestName } from "./manifest.ts";

const fileMode = 0o600;
const chunkBytes = 1024 ** 2;

/** The archive must not exist. It is on disk when the promise resolves. @throws the error of the file system; that of `stop` */
export async function writeArchive(
  archive: string,
  { manifest, folder, stop }: { readonly manifest: Manifest; readonly folder: string; readonly stop: AbortSignal },
): Promise<void> {
  const tar = pack();
  // The pipeline reports errors; without listeners, those of streams that it destroys would end the process.
  tar.on("error", () => {});
  const hash = openArchiveHash();
  const output = createWriteStream(archive, { flags: "wx", mode: fileMode });
  const written = pipeline(tar, openCompressor(), whileSpace(dirname(archive)), hash.stream, output, { signal: stop });
  const [end, feeding] = await Promise.allSettled([written, feed(tar, manifest, folder)]);
  // A full disk ends the feeding too, by an error that does not name the reason.
  for (const { status, reason } of [end, feeding] as readonly { status: string; reason?: unknown }[])
    if (status === "rejected") throw stop.aborted ? stop.reason : reason;
  await append(archive, hash.trailer());
}

/** Passes bytes on until the disk has no more to spare than the server needs. */
function whileSpace(folder: string) {
  return async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      assertSpace(folder, chunk.length);
      yield chunk;
    }
  };
}

async function feed(tar: Pack, manifest: Manifest, folder: string): Promise<void> {
  const mtime = new Date(manifest.createdAt);
  const first = tar.entry({ name: manifestName, mode: fileMode, mtime }, `${JSON.stringify(manifest, null, 1)}\n`);
  first.on("error", () => {});
  for (const { name, bytes } of manifest.files) {
    const entry = tar.entry({ name, size: bytes, mode: fileMode, mtime });
    await pipeline(createReadStream(join(folder, name), { highWaterMark: chunkBytes }), entry);
  }
  tar.finalize();
}

async function append(archive: string, trailer: Uint8Array): Promise<void> {
  const file = await open(archive, "a");
  try {
    await file.writeFile(trailer);
    await file.sync();
  } finally {
    await file.close();
  }
}
