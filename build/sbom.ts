/** Software bill of materials in CycloneDX 1.6: https://cyclonedx.org/docs/1.6/json/ */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { type BundledPart, lockedPackage, lockFile } from "./bundled.ts";
import { foreignGroups } from "./foreign-parts.ts";
import type { SourceState } from "./source-state.ts";

// reads: node_modules/
const root = resolve(import.meta.dirname, "..");
const programRef = "assay";

export interface SbomOptions extends SourceState {
  /** Whether the browser is left out. */
  readonly slim: boolean;
}

/** The document as JSON. The same source gives the same text. */
export function sbomOf(parts: readonly BundledPart[], { version, commit, epochS, slim }: SbomOptions): string {
  const components = [...parts.map(npmComponent), bunComponent(), ...foreignComponents(slim)];
  const content = { version, commit, components };
  const bom = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
    version: 1,
    metadata: {
      timestamp: new Date(epochS * 1000).toISOString(),
      component: {
        type: "application",
        "bom-ref": programRef,
        name: "assay",
        version,
        licenses: licencesOf("MIT"),
        ...(commit === null ? {} : { properties: [{ name: "assay:commit", value: commit }] }),
      },
    },
    components,
    dependencies: [
      { ref: programRef, dependsOn: components.map((component) => component["bom-ref"]).sort() },
      ...parts.map((part) => ({ ref: purlOf(part), dependsOn: requiredBy(part, parts) })),
    ],
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

function npmComponent({ name, version, licence, sha512 }: Omit<BundledPart, "path" | "author" | "texts">) {
  const ref = purlOf({ name, version });
  const hashes = [{ alg: "SHA-512", content: sha512 }];
  return { type: "library", "bom-ref": ref, name, version, hashes, licenses: licencesOf(licence), purl: ref };
}

/** The runtime: its package is a launcher, and the compiler copies the program that it starts. */
function bunComponent() {
  return npmComponent({ name: "bun", ...lockedPackage("node_modules/bun"), licence: "MIT" });
}

function foreignComponents(slim: boolean) {
  const browser = slim ? null : browserVersion();
  return foreignGroups
    .filter(({ isBrowser }) => !(slim && isBrowser))
    .flatMap(({ title, parts }) =>
      parts.map(({ name, licence, url }) => ({
        type: "library",
        "bom-ref": `${title}/${name}`,
        name,
        // Scanners for vulnerabilities find Chromium by this name.
        ...(name.startsWith("Chromium") && browser !== null
          ? { version: browser, cpe: `cpe:2.3:a:google:chrome:${browser}:*:*:*:*:*:*:*` }
          : {}),
        licenses: licencesOf(licence),
        externalReferences: [{ type: "website", url }],
      })),
    );
}

/** Version of the embedded browser, from the user agent inside it. @throws Error if it has no version */
function browserVersion(): string {
  const browser = brotliDecompressSync(readFileSync(join(root, "node_modules/@sparticuz/chromium/bin/chromium.br")));
  for (let at = browser.indexOf("Chrome/"); at !== -1; at = browser.indexOf("Chrome/", at + 1)) {
    const version = /^Chrome\/(\d+\.\d+\.\d+\.\d+)/.exec(browser.toString("latin1", at, at + 40))?.[1];
    if (version !== undefined) return version;
  }
  throw new Error("the embedded browser does not name its version");
}

function licencesOf(expression: string) {
  return / (AND|OR|WITH) /.test(expression) ? [{ expression }] : [{ license: { id: expression } }];
}

function purlOf({ name, version }: Pick<BundledPart, "name" | "version">): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** Bundled packages that the package names as dependencies, as Node resolves them: the nearest folder upwards. */
function requiredBy({ path }: BundledPart, parts: readonly BundledPart[]): readonly string[] {
  const { dependencies = {}, optionalDependencies = {} } = lockFile.packages[path] ?? {};
  const found = Object.keys({ ...dependencies, ...optionalDependencies }).map((name) => {
    for (let folder = `${path}/`; folder !== ""; ) {
      const bundled = parts.find((part) => part.path === `${folder}node_modules/${name}`);
      if (bundled !== undefined) return purlOf(bundled);
      folder = folder.slice(0, folder.lastIndexOf("node_modules/"));
    }
    const top = parts.find((part) => part.path === `node_modules/${name}`);
    return top === undefined ? null : purlOf(top);
  });
  return found.filter((ref) => ref !== null).sort();
}

/** UUID of version 8 from a hash, RFC 9562 section 5.8: the same content has the same one. */
function uuidOf(text: string): string {
  const bytes = createHash("sha256").update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
