/** First entry of an archive: what the backup holds, by which every other entry is checked. */
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { BackupError } from "./backup-error.ts";

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
  /** In the order of the archive; the store comes first. */
  files: Type.Array(fields({ name: Type.String({ maxLength: nameCharsMax }), bytes: wholeNumber, sha256 }), { maxItems: filesMax }),
  /** Paths of what lay outside of the data directory; null for what lay inside, or did not exist. */
  outside: fields({
    config: Type.Union([Type.String({ maxLength: pathCharsMax }), Type.Null()]),
    checks: Type.Union([Type.String({ maxLength: pathCharsMax }), Type.Null()]),
  }),
});

export type Manifest = Static<typeof schema>;
export type ManifestFile = Manifest["files"][number];
export type ManifestTable = Manifest["tables"][number];

export const formatVersion = 1;

/** @throws BackupError */
export function parseManifest(bytes: Uint8Array, archive: string): Manifest {
  const manifest = parsedJson(bytes);
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

function parsedJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}

/** Relative paths of the known files and below the known folders, without `.`, `..` and empty parts. */
function isAllowedName(name: string): boolean {
  const parts = name.split("/");
  if (!parts.every(isPathPart)) return false;
  return parts[0] === outsideName ? isShared(parts.slice(1)) : name === storeName || name === seedName || isShared(parts);
}

/** May lie inside or outside of the data directory. */
function isShared([first, ...rest]: readonly string[]): boolean {
  return first === configName ? rest.length === 0 : first === checksName && rest.length > 0;
}

/** A name within a folder, as every file system takes it. */
function isPathPart(part: string): boolean {
  return (
    part !== "" && part !== "." && part !== ".." && !part.includes("\0") && !part.includes("/") && Buffer.byteLength(part) <= nameBytesMax
  );
}
