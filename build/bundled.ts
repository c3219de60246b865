/** Packages whose files the program contains, with version, hash and licence as package-lock.json has them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

// reads: node_modules/, package-lock.json
const root = resolve(import.meta.dirname, "..");
const licenceFileName = /^(licen[sc]e|copying|copyright|notice)[\w.-]*$/i;
/** Libraries in a package's native module have their licences below this folder of it. */
const librariesFolder = "dependencies";

export interface BundledPart {
  /** Its path in package-lock.json. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** SPDX expression. */
  readonly licence: string;
  /** SHA-512 of the package, in hexadecimal digits. */
  readonly sha512: string;
  /** Author, as the package names it, for packages without a licence file; empty if it names none. */
  readonly author: string;
  /** Contents of its licence files, without doubles; empty if it has none. */
  readonly texts: readonly string[];
}

interface LockedPackage {
  readonly version: string;
  readonly integrity: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export const lockFile: LockFile = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));

/** Entry of a package. @throws Error if the lock file lacks it or its SHA-512 */
export function lockedPackage(path: string): LockedPackage & { readonly sha512: string } {
  const locked = lockFile.packages[path];
  const base64 = /^sha512-(\S+)$/.exec(locked?.integrity ?? "")?.[1];
  if (locked === undefined || base64 === undefined) throw new Error(`package-lock.json has no SHA-512 of ${path}: run npm install`);
  return { ...locked, sha512: Buffer.from(base64, "base64").toString("hex") };
}

/**
 * Packages of the given files, by name. Paths are relative to the repository.
 * @throws Error for a package without a licence
 */
export function bundledPackages(files: readonly string[], { slim }: { readonly slim: boolean }): readonly BundledPart[] {
  const folders = files.map((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? null);
  return [...new Set(folders)]
    .filter((folder) => folder !== null && !(slim && folder.endsWith("@sparticuz/chromium")))
    .map((folder) => bundledPart(folder ?? ""))
    .sort((one, other) => compare(one.name, other.name) || compare(one.version, other.version));
}

function bundledPart(folder: string): BundledPart {
  // The packages of another processor lie in a folder of the build.
  const path = folder.slice(folder.indexOf("node_modules/"));
  const { version, license, sha512 } = lockedPackage(path);
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  if (license === undefined) throw new Error(`${name} ${version} names no licence: leave it out, or ask its authors`);
  const about: { readonly author?: string | { readonly name?: string } } = JSON.parse(
    readFileSync(join(root, folder, "package.json"), "utf8"),
  );
  const author = typeof about.author === "string" ? about.author : (about.author?.name ?? "");
  return {
    path,
    name,
    version,
    licence: license,
    sha512,
    author: author.replace(/\s*[<(].*$/, ""),
    texts: licenceTexts(join(root, folder)),
  };
}

function licenceTexts(folder: string): readonly string[] {
  const libraries = join(folder, librariesFolder);
  const files = [
    ...readdirSync(folder).filter((name) => licenceFileName.test(name)),
    ...(existsSync(libraries)
      ? readdirSync(libraries, { recursive: true, encoding: "utf8" })
          .filter((path) => licenceFileName.test(path.slice(path.lastIndexOf("/") + 1)))
          .map((path) => `${librariesFolder}/${path}`)
      : []),
  ].sort(compare);
  return [...new Set(files.map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim()))];
}

/** Compares by code units: the same order in every locale. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
