/** `npm run package`: programs, Debian packages, archives, bills of materials and their sums below dist/packages. */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { fetchArm64 } from "./arm64.ts";
import { debianVersion, packDeb } from "./deb.ts";
import { archiveFiles } from "./package-files.ts";
import { compileProgram } from "./program.ts";
import { sbomOf } from "./sbom.ts";
import { type SourceState, sourceState } from "./source-state.ts";
import { stage, tarGz } from "./staged-files.ts";

const usage = `Usage: npm run package -- [--version V] [--out DIR] [--arch x64|arm64]...

Makes, for each processor, a Debian package, a .tar.gz and a CycloneDX bill of materials, and SHA256SUMS of all of them.
  --version V   version of the program and of its packages; that of package.json by default
  --out DIR     folder of the results; dist/packages by default
  --arch A      only this processor; x64 and arm64 by default. npm has no browser for arm64, so its program has none
The same commit gives the same bytes. SOURCE_DATE_EPOCH replaces the date of the commit.`;

// reads: build/package/, docs/, CHANGELOG.md, LICENSE
const root = resolve(import.meta.dirname, "..");
/** Semantic version without build metadata, which cannot become part of every file name. */
const versionFormat = /^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$/;

const architectures = {
  x64: { debian: "amd64", slim: false, settings: "", recommends: "" },
  arm64: {
    debian: "arm64",
    slim: true,
    settings: '\n# This program contains no browser.\n[browser]\npath = "/usr/bin/chromium-headless-shell"\n',
    recommends: "chromium-headless-shell",
  },
} as const;
type Architecture = keyof typeof architectures;

/** Makes all packages of one processor. Returns their paths. */
async function packageFor(architecture: Architecture, source: SourceState, out: string): Promise<readonly string[]> {
  const { debian, slim, settings, recommends } = architectures[architecture];
  const { version, commit, epochS } = source;
  const work = mkdtempSync(join(out, ".work-"));
  try {
    const cross = architecture === "arm64" ? await fetchArm64(join(root, "dist/arm64")) : undefined;
    const program = join(work, "assay");
    const { parts, notices } = await compileProgram({
      outfile: program,
      slim,
      version,
      commit,
      ...(cross === undefined ? {} : { cross }),
    });
    const sbom = sbomOf(parts, { ...source, slim });
    const name = `assay-${version}-linux-${architecture}${slim ? "-slim" : ""}`;
    const results = {
      deb: join(out, `assay_${debianVersion(version)}_${debian}.deb`),
      tar: join(out, `${name}.tar.gz`),
      sbom: join(out, `${name}.cdx.json`),
    };
    await packDeb(work, results.deb, {
      architecture: debian,
      version: debianVersion(version),
      program,
      notices,
      sbom,
      settings,
      recommends,
      epochS,
    });
    stage(join(work, name), archiveFiles({ program, notices, sbom }), epochS);
    writeFileSync(results.tar, await tarGz(work, name));
    writeFileSync(results.sbom, sbom);
    return Object.values(results);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function sumLine(path: string): string {
  return `${createHash("sha256").update(readFileSync(path)).digest("hex")}  ${basename(path)}\n`;
}

/** Returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      version: { type: "string" },
      out: { type: "string" },
      arch: { type: "string", multiple: true },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    console.log(usage);
    return 0;
  }
  const found = sourceState();
  const source = { ...found, version: values.version ?? found.version };
  if (!versionFormat.test(source.version)) throw new Error(`--version ${source.version} is no version such as 1.2.3 or 1.2.3-rc.1`);
  const wanted = values.arch ?? Object.keys(architectures);
  const unknown = wanted.find((name) => !(name in architectures));
  if (unknown !== undefined) throw new Error(`--arch ${unknown} is not one of ${Object.keys(architectures).join(", ")}`);
  const out = resolve(values.out ?? join(root, "dist/packages"));
  mkdirSync(out, { recursive: true });

  const paths: string[] = [];
  for (const name of wanted) paths.push(...(await packageFor(name as Architecture, source, out)));
  writeFileSync(join(out, "SHA256SUMS"), paths.sort().map(sumLine).join(""));
  for (const path of paths) console.log(`${path}: ${(statSync(path).size / 1e6).toFixed(1)} MB`);
  console.log(`${join(out, "SHA256SUMS")}\nassay ${source.version}, commit ${source.commit ?? "unknown"}`);
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`package: ${(error as Error).message}`);
  // The compiler's own messages.
  if (error instanceof AggregateError) for (const one of error.errors) console.error(String(one));
  process.exitCode = 1;
}
