/**
 * Archive of a backup: manifest, writing and reading. A reader trusts nothing: every entry must match the manifest, in order.
 * The format is tar, compressed by Zstandard, and a frame with the SHA-256 of all bytes before it. Debian's tar reads it
 * (`tar --zstd --list --file F`), so that a backup can be opened without assay. Measured on 119 MB: 0.3 s to write and 40 MB; gzip takes
 * 1.4 s and 51 MB.
 */

import { createReadStream, createWriteStream, readSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Extract, extract, type Pack, pack } from "tar-stream";
import { readDiskSpace, systemErrorCode, withFile } from "../base/disk.ts";
import { tryOr } from "../base/try-or.ts";
import { DataDirError } from "../store/data-dir.ts";

/** The message is one sentence for the operator. Nothing was changed, and no unfinished file is left. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "its disk is full",
  EDQUOT: "the quota of its disk is used up",
  EFBIG: "the file would be larger than allowed",
  EIO: "its disk is full or failing",
  EROFS: "its disk is read-only",
  EACCES: "it is not permitted",
  EPERM: "it is not permitted",
  ENOENT: "it does not exist",
  ENOTDIR: "a part of its path is a file",
  EISDIR: "it is a folder",
  ELOOP: "it is a symbolic link",
  ENAMETOOLONG: "its name is too long",
};

/** Runs what reads or writes below `place`; an error of the system becomes a `BackupError` that names it. */
export async function withPlace<T>(place: string, doing: string, action: () => Promise<T> | T): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof BackupError || error instanceof DataDirError) throw error;
    const code = systemErrorCode(error);
    throw code === null ? error : new BackupError(`${place} cannot be ${doing}: ${reasons[code] ?? error.message}`);
  }
}

const compressionLevel = 3;
const digestBytes = 32;
/** Skippable frame (RFC 8878 section 3.1.2): decoders pass over it. */
const frameHeaderBytes = 8;
const skippableMagic = 0x184d2a50;

const trailerBytes = frameHeaderBytes + digestBytes;

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

export const manifestName = "manifest.json";
/** Bounds of what an archive may claim; a hostile one is refused before anything is written. */
export const manifestBytesMax = 4 * 1024 ** 2;
export const filesMax = 2_000;
const tablesMax = 100;
export const nameCharsMax = 1_024;
const nameBytesMax = 255;
const pathCharsMax = 4_096;

export const storeName = "store/data.mdb";
export const configName = "assay.toml";
export const seedName = "nats-head.nk";
export const checksName = "checks";
/** Copies of what lay outside of the data directory. A restore puts them into this folder of it, where nothing reads them. */
export const outsideName = "outside";

const sha256 = Type.String({ pattern: "^[0-9a-f]{64}$" });
const wholeNumber = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const fields = <P extends Parameters<typeof Type.Object>[0]>(properties: P) => Type.Object(properties, { additionalProperties: true });

const schema = fields({
  format: Type.Literal("assay-backup"),
  /** Rises when an older program could not restore the archive. */
  formatVersion: Type.Integer({ minimum: 1 }),
  /** Release that made it. */
  assay: Type.String({ maxLength: 100 }),
  createdAt: Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$" }),
  schema: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  tables: Type.Array(fields({ table: Type.String({ maxLength: 200 }), rows: wholeNumber, lost: wholeNumber, sha256 }), {
    maxItems: tablesMax,
  }),
  /** Files in the order of the archive; the store comes first. */
  files: Type.Array(fields({ name: Type.String({ maxLength: nameCharsMax }), bytes: wholeNumber, sha256 }), { maxItems: filesMax }),
  /** Paths of what lay outside of the data directory; null if a path lay inside, or did not exist. */
  outside: fields({
    config: Type.Union([Type.String({ maxLength: pathCharsMax }), Type.Null()]),
    checks: Type.Union([Type.String({ maxLength: pathCharsMax }), Type.Null()]),
  }),
});

export type Manifest = Static<typeof schema>;
export type ManifestFile = Manifest["files"][number];

export const formatVersion = 1;

/** @throws BackupError */
export function parseManifest(bytes: Uint8Array, archive: string): Manifest {
  const manifest: unknown = tryOr(() => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)), null);
  const version = (manifest as { readonly formatVersion?: unknown } | null)?.formatVersion;
  if (typeof version === "number" && version > formatVersion)
    throw new BackupError(`${archive} was made by a newer assay (format ${version}, this one knows ${formatVersion}); use that version`);
  if (!Value.Check(schema, manifest)) throw new BackupError(`${archive} is not a backup of assay, or is damaged: its manifest is invalid`);
  const names = manifest.files.map(({ name }) => name);
  const wrong = names.find((name) => !isAllowedName(name)) ?? names.find((name, at) => names.indexOf(name) !== at);
  if (wrong !== undefined) throw new BackupError(`${archive} holds a file that no backup has: ${JSON.stringify(wrong.slice(0, 100))}`);
  if (names[0] !== storeName) throw new BackupError(`${archive} holds no store`);
  return manifest;
}

/** Relative paths of the known files and below the known folders, without `.`, `..` and empty parts. */
function isAllowedName(name: string): boolean {
  const parts = name.split("/");
  if (!parts.every(isPathPart)) return false;
  return parts[0] === outsideName ? isShared(parts.slice(1)) : name === storeName || name === seedName || isShared(parts);
}

/** Whether the file may lie inside or outside of the data directory. */
function isShared([first, ...rest]: readonly string[]): boolean {
  return first === configName ? rest.length === 0 : first === checksName && rest.length > 0;
}

/** A name within a folder, as every file system takes it. */
function isPathPart(part: string): boolean {
  return (
    part !== "" && part !== "." && part !== ".." && !part.includes("\0") && !part.includes("/") && Buffer.byteLength(part) <= nameBytesMax
  );
}

/** Space that stays free: 128 MiB, or a twentieth of a small disk. */
const keptBytesMax = 128 * 1024 ** 2;
const keptShare = 1 / 20;
const bytesPerMegabyte = 1_000_000;

/** @throws BackupError unless the disk of this folder can take so many bytes. */
export function assertSpace(folder: string, bytes: number): void {
  const { freeBytes, totalBytes } = readDiskSpace(folder);
  const kept = Math.min(keptBytesMax, Math.floor(totalBytes * keptShare));
  if (freeBytes - kept >= bytes) return;
  const [has, needs] = [freeBytes, bytes + kept].map((amount) => (Math.max(0, amount) / bytesPerMegabyte).toFixed(1));
  throw new BackupError(`the disk of ${folder} has no room: ${has} MB are free, and ${needs} MB are needed`);
}

const archiveMode = 0o600;
/** Size of the chunks in which files are read. */
export const chunkBytes = 1024 ** 2;

/** The archive must not exist. It is on disk when the promise resolves. @throws the error of the file system or of `stop` */
export async function writeArchive(
  archive: string,
  { manifest, folder, stop }: { readonly manifest: Manifest; readonly folder: string; readonly stop: AbortSignal },
): Promise<void> {
  const tar = pack();
  // The pipeline reports errors; without listeners, errors of destroyed streams would end the process.
  tar.on("error", () => {});
  const hash = openArchiveHash();
  const compressor = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: compressionLevel } });
  const output = createWriteStream(archive, { flags: "wx", mode: archiveMode });
  const written = pipeline(tar, compressor, whileSpace(dirname(archive)), hash.stream, output, { signal: stop });
  const [end, feeding] = await Promise.allSettled([written, feed(tar, manifest, folder)]);
  // A full disk ends the feeding too, by an error that does not name the reason.
  for (const { status, reason } of [end, feeding] as readonly { status: string; reason?: unknown }[])
    if (status === "rejected") throw stop.aborted ? stop.reason : reason;
  await writeFile(archive, hash.trailer(), { flag: "a", flush: true });
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
  const first = tar.entry({ name: manifestName, mode: archiveMode, mtime }, `${JSON.stringify(manifest, null, 1)}\n`);
  first.on("error", () => {});
  for (const { name, bytes } of manifest.files) {
    const entry = tar.entry({ name, size: bytes, mode: archiveMode, mtime });
    await pipeline(createReadStream(join(folder, name), { highWaterMark: chunkBytes }), entry);
  }
  tar.finalize();
}

/** Headers, long names and padding; also what is decompressed ahead. More is a decompression bomb. */
const overheadBytesMax = 16 * 1024 ** 2;

type Entry = Extract extends AsyncIterable<infer E> ? E : never;

interface ArchiveReader {
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
  const reading = pipeline(source, hash.stream, createZstdDecompress(), bounded, tar, { signal: stop });
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
  withFile(archive, "r", (file) => readSync(file, found, 0, trailerBytes, at));
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

async function readFile(
  entry: Entry,
  expected: ManifestFile,
  { archive, openFile, counts }: Pick<ArchiveReader, "openFile"> & { readonly archive: string; readonly counts: Counts },
): Promise<void> {
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

/** Errors of tar and Zstandard mean damage; errors of the system are named. */
function readingFault(error: unknown, archive: string): unknown {
  if (!(error instanceof Error) || error instanceof BackupError || error instanceof DataDirError) return error;
  if ("syscall" in error) return new BackupError(`${archive} cannot be read: ${error.message}`);
  return new BackupError(`${archive} is cut off or damaged, or not a backup of assay (${error.message})`);
}
