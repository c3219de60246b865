/** Archives of backups written by hand, true or hostile. */
import { writeFileSync } from "node:fs";
import { zstdCompressSync } from "node:zlib";
import { type Header, pack } from "tar-stream";
import { type Manifest, manifestName, openArchiveHash } from "../../src/backup/archive.ts";

export interface ArchiveEntry extends Omit<Partial<Header>, "size"> {
  readonly name: string;
  readonly content?: string | Uint8Array;
}

/** The uncompressed bytes. */
export async function tarOf(entries: readonly ArchiveEntry[]): Promise<Buffer> {
  const tar = pack();
  for (const { content, ...header } of entries) tar.entry(header, content === undefined ? "" : Buffer.from(content));
  tar.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function writeHandMade(path: string, entries: readonly ArchiveEntry[]): Promise<void> {
  await writeWithTrailer(path, zstdCompressSync(await tarOf(entries)));
}

/** With the right sum of all bytes, which anybody can compute. */
export async function writeWithTrailer(path: string, compressed: Uint8Array): Promise<void> {
  const hash = openArchiveHash();
  hash.stream.end(compressed);
  for await (const _chunk of hash.stream);
  writeFileSync(path, Buffer.concat([compressed, hash.trailer()]));
}

/** Entries of a backup as `createBackup` writes them. */
export function entriesOf(manifest: Manifest, contents: Readonly<Record<string, Uint8Array>>): readonly ArchiveEntry[] {
  const files = manifest.files.map(({ name }) => ({ name, content: contents[name] ?? "" }));
  return [{ name: manifestName, content: JSON.stringify(manifest) }, ...files];
}
