/** The Debian package: control files, documentation and unit around the program. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type MadeFiles, packagedDocs } from "./package-files.ts";
import { programMode, type StagedFile, stage, tarGz } from "./staged-files.ts";

// reads: build/package/, docs/, CHANGELOG.md, LICENSE
const root = resolve(import.meta.dirname, "..");
const sources = join(root, "build/package");
const maintainer = "the assay authors <assay@packages.invalid>";
export interface DebOptions extends MadeFiles {
  readonly architecture: "amd64" | "arm64";
  /** Version as Debian writes it. */
  readonly version: string;
  /** Settings beside the settings of `assay.toml`. */
  readonly settings: string;
  readonly recommends: string;
  /** Date of every file, in seconds since 1970. */
  readonly epochS: number;
}

/** Version in Debian's order: a pre-release is older than its release. */
export function debianVersion(version: string): string {
  return version.replace("-", "~");
}

/** Writes the package. Its files are staged below a folder that exists. */
export async function packDeb(folder: string, outfile: string, options: DebOptions): Promise<void> {
  const files = installedFiles(options);
  const [control, data] = [join(folder, "control"), join(folder, "data")];
  stage(control, controlFiles(files, options), options.epochS);
  stage(data, files, options.epochS);
  const members = [
    { name: "debian-binary", bytes: Buffer.from("2.0\n") },
    { name: "control.tar.gz", bytes: await tarGz(control, ".") },
    { name: "data.tar.gz", bytes: await tarGz(data, ".") },
  ];
  writeFileSync(outfile, Buffer.concat([Buffer.from("!<arch>\n"), ...members.flatMap((member) => arMember(member, options.epochS))]));
}

/** Head, content, and padding to an even length: deb(5), ar(5). */
function arMember({ name, bytes }: { readonly name: string; readonly bytes: Uint8Array }, epochS: number): readonly Uint8Array[] {
  const fields = [
    name.padEnd(16),
    String(epochS).padEnd(12),
    "0".padEnd(6),
    "0".padEnd(6),
    "100644".padEnd(8),
    String(bytes.length).padEnd(10),
  ];
  return [Buffer.from(`${fields.join("")}\`\n`), bytes, Buffer.from(bytes.length % 2 === 0 ? "" : "\n")];
}

/** Content of the package, below the root of the system. */
export function installedFiles({
  program,
  notices,
  sbom,
  settings,
  version,
  epochS,
}: Omit<DebOptions, "architecture" | "recommends">): readonly StagedFile[] {
  const doc = "usr/share/doc/assay";
  const source = (name: string) => readFileSync(join(sources, name), "utf8");
  return [
    { path: "usr/bin/assay", from: program, mode: programMode },
    { path: "usr/lib/systemd/system/assay.service", content: source("assay.service") },
    { path: "etc/assay/assay.toml", content: `${source("assay.toml")}${settings}` },
    { path: "usr/share/lintian/overrides/assay", content: source("lintian-overrides") },
    { path: `${doc}/copyright`, content: copyright() },
    { path: `${doc}/changelog.gz`, content: gzip(debianChangelog(version, epochS)) },
    { path: `${doc}/CHANGELOG.md.gz`, content: gzip(changelog()) },
    { path: `${doc}/THIRD-PARTY-NOTICES.gz`, content: gzip(notices) },
    { path: `${doc}/assay.cdx.json`, content: sbom },
    ...packagedDocs.map((name) => ({ path: `${doc}/${name}`, from: join(root, "docs", name) })),
  ];
}

function controlFiles(files: readonly StagedFile[], { architecture, version, recommends }: DebOptions): readonly StagedFile[] {
  const contents = files.map((file) => ({ path: file.path, bytes: "from" in file ? readFileSync(file.from) : Buffer.from(file.content) }));
  const kibibytes = Math.ceil(contents.reduce((sum, { bytes }) => sum + bytes.length, 0) / 1024);
  const control = [
    "Package: assay",
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${maintainer}`,
    `Installed-Size: ${kibibytes}`,
    "Depends: adduser, libc6 (>= 2.25), libgcc-s1",
    ...(recommends === "" ? [] : [`Recommends: ${recommends}`]),
    "Section: web",
    "Priority: optional",
    "Description: scanner for the security of web pages",
    " assay loads a web page in a real browser, asks its host by TLS, DNS and HTTP,",
    " and reports how secure it is, with what to do about each finding. It serves",
    " pages and an API, and scans from the command line.",
  ];
  const sums = contents
    .filter(({ path }) => !path.startsWith("etc/"))
    .map(({ path, bytes }) => `${createHash("md5").update(bytes).digest("hex")}  ${path}\n`);
  return [
    { path: "control", content: `${control.join("\n")}\n` },
    { path: "conffiles", content: "/etc/assay/assay.toml\n" },
    { path: "md5sums", content: sums.join("") },
    ...["postinst", "prerm", "postrm"].map((name) => ({ path: name, from: join(sources, name), mode: programMode })),
  ];
}

/** The documents lie beside it, and not in a folder. */
function changelog(): string {
  return readFileSync(join(root, "CHANGELOG.md"), "utf8").replaceAll("](docs/", "](");
}

function copyright(): string {
  const [, holder = "", ...text] = readFileSync(join(root, "LICENSE"), "utf8").trim().split(/\n\n/);
  return [
    "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/",
    "Upstream-Name: assay",
    "Comment: The program contains components of others. THIRD-PARTY-NOTICES.gz and",
    " `assay licences` have their licences.",
    "",
    "Files: *",
    `Copyright: ${holder.replace(/^Copyright \(c\) /, "")}`,
    "License: Expat",
    ...text
      .join("\n\n")
      .split("\n")
      .map((line) => ` ${line === "" ? "." : line}`),
    "",
  ].join("\n");
}

function debianChangelog(version: string, epochS: number): string {
  const date = new Date(epochS * 1000).toUTCString().replace("GMT", "+0000");
  return `assay (${version}) unstable; urgency=medium\n\n  * CHANGELOG.md.gz lists the changes of each version.\n\n -- ${maintainer}  ${date}\n`;
}

function gzip(text: string): Uint8Array {
  return Bun.gzipSync(Buffer.from(text), { level: 9 });
}
