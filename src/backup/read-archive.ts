/** Reads an archive, of which nothing is believed: types, names, sizes and sums of its entries must be those of its manifest, in order. */
import { closeSync, createReadStream, openSync, readSync, statSync } from "node:fs";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Extract, extract } from "tar-stream";
import { DataDirError } from "../store/data-dir.ts";
import { openArchiveHash, openDecompressor, trailerBytes } from "./archive-stream.ts";
import { BackupError } from "./backup-error.ts";
import { type Manifest, type ManifestFile, manifestBytesMax, manifestName, parseManifest } from "./manifest.ts";

const chunkBytes = 1024 ** 2;
/** Headers, long names and padding; also what is decompressed ahead. More is a decompression bomb. */
const overheadBytesMax = 16 * 1024 ** 2;

type Entry = Extract extends AsyncIterable<infer E> ? E : never;

export interface ArchiveReader {
  /** Called before any file. Whatever it throws ends the reading. */
  readonly onManifest?: (manifest: Manifest) => void;
  /** Receives each file; null reads its sum only. */
  readonly openFile?: ((file: ManifestFile) => Promise<FileSink>) | null;
  readonly stop: AbortSignal;
}

export interface FileSink {
  write(chunk: Uint8Array): Promise<unknown>;
  /** Called after the last chunk, also after an error. */
  close(): Promise<void>;
}

/** Reads all of it and compares every sum. @throws BackupError; the error of `stop` or of the sink */
export async function readArchive(archive: string, { onManifest = () => {}, openFile = null, stop }: ArchiveReader): Promise<Manifest> {
  const contentBytes = regularFileBytes(archive) - trailerBytes;
  if (contentBytes <= 0) throw new BackupError(`${archive} is cut off, or not a backup of assay: it is too short`);
  const counts = { fed: 0, delivered: 0 };
  const bounded = boundedOverhead(archive, counts);
  const tar = extract();
  // The loop below meets the same errors.
  tar.on("error", () => {});
  const hash = openArchiveHash();
  const source = createReadStream(archive, { highWaterMark: chunkBytes, end: contentBytes - 1 });
  const reading = pipeline(source, hash.stream, openDecompressor(), bounded, tar, { signal: stop });
  reading.catch(() => {});
  try {
    let manifest: Manifest | null = null;
    let files = 0;
    for await (const entry of tar) {
      if (manifest === null) {
        manifest = await readManifest(entry, archive, counts);
        onManifest(manifest);
        continue;
      }
      const expected = manifest.files[files++];
      assertExpected(entry, expected, archive);
      await readFile(entry, expected, { archive, openFile, counts });
    }
    await reading;
    assertTrailer(archive, contentBytes, hash.trailer());
    if (manifest === null) throw new BackupError(`${archive} is not a backup of assay: it is empty`);
    if (files < manifest.files.length) throw new BackupError(`${archive} is cut off: ${manifest.files[files]?.name} is missing`);
    return manifest;
  } catch (error) {
    throw stop.aborted ? stop.reason : readingFault(error, archive);
  }
}

/** A pipe or a device could keep the reader waiting, or never end. */
function regularFileBytes(archive: string): number {
  const stats = statSync(archive, { throwIfNoEntry: false });
  if (stats === undefined) throw new BackupError(`${archive} does not exist`);
  if (!stats.isFile()) throw new BackupError(`${archive} is not a file`);
  return stats.size;
}

/** Covers what no other sum does: a cut end, padding, and bytes after the last file. */
function assertTrailer(archive: string, at: number, expected: Buffer): void {
  const found = Buffer.alloc(trailerBytes);
  const file = openSync(archive, "r");
  try {
    readSync(file, found, 0, trailerBytes, at);
  } finally {
    closeSync(file);
  }
  if (!found.equals(expected)) throw new BackupError(`${archive} is cut off or damaged: its SHA-256 is not that of its end`);
}

interface Counts {
  /** Bytes given to the reader of tar. */
  fed: number;
  /** Bytes of contents that it gave back. */
  delivered: number;
}

function boundedOverhead(archive: string, counts: Counts): Transform {
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      counts.fed += chunk.length;
      if (counts.fed - counts.delivered > overheadBytesMax)
        done(new BackupError(`${archive} is not a backup of assay: it holds far more than its files`));
      else done(null, chunk);
    },
  });
}

async function readManifest(entry: Entry, archive: string, counts: Counts): Promise<Manifest> {
  const { name, size = 0, type } = entry.header;
  if (name !== manifestName || type !== "file" || size > manifestBytesMax)
    throw new BackupError(`${archive} is not a backup of assay: it does not begin with its manifest`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry as AsyncIterable<Uint8Array>) {
    counts.delivered += chunk.length;
    chunks.push(chunk);
  }
  return parseManifest(Buffer.concat(chunks), archive);
}

function assertExpected({ header }: Entry, expected: ManifestFile | undefined, archive: string): asserts expected is ManifestFile {
  const { name, type, size } = header;
  const shown = `${type === "file" ? "a file" : (type ?? "something unknown")} named ${JSON.stringify(String(name).slice(0, 100))}`;
  if (type !== "file" || name !== expected?.name)
    throw new BackupError(`${archive} holds ${shown}, which its manifest does not have at this place`);
  if (size !== expected.bytes) throw new BackupError(`${archive} holds ${shown} of another length than its manifest says`);
}

interface FileReading {
  readonly archive: string;
  readonly openFile: ArchiveReader["openFile"];
  readonly counts: Counts;
}

async function readFile(entry: Entry, expected: ManifestFile, { archive, openFile, counts }: FileReading): Promise<void> {
  const hash = new Bun.CryptoHasher("sha256");
  const sink = (await openFile?.(expected)) ?? null;
  try {
    for await (const chunk of entry as AsyncIterable<Uint8Array>) {
      counts.delivered += chunk.length;
      hash.update(chunk);
      await sink?.write(chunk);
    }
  } finally {
    await sink?.close();
  }
  if (hash.digest("hex") !== expected.sha256)
    throw new BackupError(`${archive} is damaged: the SHA-256 of ${expected.name} is not that of its manifest`);
}

/** Errors of tar and Zstandard mean damage; those of the system are named. */
function readingFault(error: unknown, archive: string): unknown {
  if (!(error instanceof Error) || error instanceof BackupError || error instanceof DataDirError) return error;
  if ("syscall" in error) return new BackupError(`${archive} cannot be read: ${error.message}`);
  return new BackupError(`${archive} is cut off or damaged, or not a backup of assay (${error.message})`);
}
