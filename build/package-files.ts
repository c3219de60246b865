/** Documents of the packages, and what lies in the archive. */
import { join, resolve } from "node:path";
import { programMode, type StagedFile } from "./staged-files.ts";

// reads: build/package/, docs/, CHANGELOG.md, LICENSE

const root = resolve(import.meta.dirname, "..");

/** Pages about an installation, and the files that they link to; pages about the source are left out. Below `docs`. */
export const packagedDocs = [
  "api.md",
  "ci.md",
  "dashboards/assay.json",
  "fleet.md",
  "operate.md",
  "prove.md",
  "scoring.md",
  "sites.md",
  "writing-checks.md",
] as const;

/** Files that are made for each package. */
export interface MadeFiles {
  /** Path of the compiled program. */
  readonly program: string;
  readonly notices: string;
  readonly sbom: string;
}

/** Content of the .tar.gz, below its folder. */
export function archiveFiles({ program, notices, sbom }: MadeFiles): readonly StagedFile[] {
  return [
    { path: "assay", from: program, mode: programMode },
    { path: "THIRD-PARTY-NOTICES", content: notices },
    { path: "assay.cdx.json", content: sbom },
    ...["LICENSE", "CHANGELOG.md"].map((file) => ({ path: file, from: join(root, file) })),
    ...["assay.service", "assay.toml", "Containerfile", "seccomp.json"].map((file) => ({
      path: file,
      from: join(root, "build/package", file),
    })),
    ...packagedDocs.map((file) => ({ path: `docs/${file}`, from: join(root, "docs", file) })),
  ];
}
