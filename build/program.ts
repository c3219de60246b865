/** The program as one file: entries, embedded files, version, and the list of what was bundled. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { BunPlugin } from "bun";
import { type BundledPart, bundledPackages } from "./bundled.ts";
import { embedChecks, embedNotices, embedPackages, excludeBrowser, workerEntries } from "./embed.ts";
import { noticesOf } from "./notices.ts";

// reaches: src/main.ts, src/app/placement.ts
// reads: LICENSE
const root = resolve(import.meta.dirname, "..");
/** Threads of the program, as in `src/app/placement.ts`. */
const workers = ["gather", "judge", "picture", "catalog", "author"];

/** Where another processor's packages and runtime come from. */
export interface CrossTarget {
  readonly cpu: "arm64";
  /** Folder like node_modules, with the native packages of that processor. */
  readonly packages: string;
  /** Bun for that processor. */
  readonly runtime: string;
}

export interface ProgramOptions {
  readonly outfile: string;
  /** Whether the browser is left out. */
  readonly slim: boolean;
  readonly version: string;
  readonly commit: string | null;
  /** This machine's processor by default. */
  readonly cross?: CrossTarget;
}

export interface Program {
  /** Packages with a file in the program, by name. */
  readonly parts: readonly BundledPart[];
  /** Licences of all of them. */
  readonly notices: string;
}

/** Compiles the program, for this machine or for another processor. @throws AggregateError with the compiler's messages */
export async function compileProgram({ outfile, slim, version, commit, cross }: ProgramOptions): Promise<Program> {
  const natives = { cpu: cross?.cpu ?? "x64", packages: cross?.packages ?? join(root, "node_modules") } as const;
  const plugins: BunPlugin[] = [embedChecks, embedPackages(natives), ...(slim ? [excludeBrowser] : [])];
  const shared = {
    root: `${root}/`,
    entrypoints: [...["main", ...workers.map((name) => `app/${name}-worker`)].map((name) => `${root}/src/${name}.ts`), ...workerEntries],
    target: "bun" as const,
    format: "esm" as const,
    define: { BUILD_VERSION: JSON.stringify(version), BUILD_COMMIT: JSON.stringify(commit ?? "") },
  } satisfies Bun.BuildConfig;

  const listed = await Bun.build({ ...shared, plugins, metafile: true });
  if (!listed.success || listed.metafile === undefined) throw new AggregateError(listed.logs, "the build failed");
  const files = Object.keys(listed.metafile.inputs).map((path) => relative(root, resolve(root, path)));
  const parts = bundledPackages(files, { slim });
  const notices = noticesOf(parts, { version, slim });

  mkdirSync(dirname(outfile), { recursive: true });
  const noticesFile = `${outfile}.THIRD-PARTY-NOTICES`;
  writeFileSync(noticesFile, `${readFileSync(join(root, "LICENSE"), "utf8")}\n${notices}`);
  const { success, logs } = await Bun.build({
    ...shared,
    plugins: [...plugins, embedNotices(noticesFile)],
    // Parses the code at build time: the binary starts four times as fast.
    bytecode: true,
    // Elysia parses the source of its handlers, which shortened names would break.
    minify: { whitespace: true, syntax: true, identifiers: false },
    // A file in the current folder must not run code or change settings.
    compile: {
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
      ...(cross === undefined ? {} : { target: `bun-linux-${cross.cpu}`, executablePath: cross.runtime }),
    },
  });
  if (!success) throw new AggregateError(logs, "the build failed");
  return { parts, notices };
}
