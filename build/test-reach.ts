/**
 * Which test files reach which files of the tree: by imports, by paths from their own folder, and by declarations.
 * A declaration is a line comment. `reaches:` runs the named files; `reads:` reads them as text, without what they import.
 * A folder ends with a slash and stands for all files below it.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isBelow, root, type SourceFile, sourcesBelow } from "../test/support/source-tree.ts";

// reads: build/, checks/, src/, test/
/** Files that decide how every test is run. */
const decidesAll = ["bunfig.toml", "package-lock.json", "tsconfig.json"];

/** Modules with a name of their own, by tsconfig.json. */
const namedModules: Readonly<Record<string, string>> = {
  "assay/check": "src/check/index.ts",
  "assay/check/parsers": "src/check/parsers.ts",
};

interface Edge {
  readonly from: string;
  /** A file that is only read as text passes on nothing of what it imports. */
  readonly reads: boolean;
  /** Whether the process that runs the one file runs the other too. */
  readonly imports: boolean;
}

interface FolderEdge extends Edge {
  readonly folder: string;
}

export interface TestReach {
  readonly tests: readonly string[];
  /** Edges by the file they lead to. */
  readonly edges: ReadonlyMap<string, readonly Edge[]>;
  readonly folders: readonly FolderEdge[];
}

export interface ReachDeclaration {
  readonly reads: boolean;
  /** Paths from the root; a folder ends with a slash. */
  readonly targets: readonly string[];
}

export function reachDeclarations(text: string): readonly ReachDeclaration[] {
  return [...text.matchAll(/^\/\/ (reaches|reads): (.+)$/gm)].map(([, verb, targets = ""]) => ({
    reads: verb === "reads",
    targets: targets.split(",").map((target) => target.trim()),
  }));
}

/** Reach of the tests among the given files. */
export function reachAmong(files: readonly SourceFile[]): TestReach {
  const edges = new Map<string, Edge[]>();
  const folders: FolderEdge[] = [];
  const add = (target: string, edge: Edge) => {
    if (target.endsWith("/")) folders.push({ ...edge, folder: target.slice(0, -1) });
    else edges.set(target, [...(edges.get(target) ?? []), edge]);
  };
  for (const { path: from, text, imports, located } of files) {
    // Bun does not load what is imported for its types only.
    for (const { name, typeOnly } of imports) if (!typeOnly) add(namedModules[name] ?? name, { from, reads: false, imports: true });
    for (const target of located) add(target, { from, reads: false, imports: false });
    for (const { reads, targets } of reachDeclarations(text)) for (const target of targets) add(target, { from, reads, imports: false });
  }
  return { tests: files.map(({ path }) => path).filter((path) => /\.test\.tsx?$/.test(path)), edges, folders };
}

/** Reach of the tests of a tree, this one by default. Reads every source file, in less than a second. */
export function treeReach(tree = root): TestReach {
  const folders = ["src", "checks", "test", "build"].filter((folder) => existsSync(join(tree, folder)));
  return reachAmong(folders.flatMap((folder) => sourcesBelow(folder, tree)));
}

export interface ReachingTest {
  readonly test: string;
  /** Number of steps to the nearest of the files: 0 for a test that is one of them. */
  readonly distance: number;
  /** Whether the test reaches one of the files by imports only: its own process runs them. */
  readonly imports: boolean;
  /** Whether it reaches one of the files through a thread or a process that it starts. */
  readonly starts: boolean;
}

/** Tests that reach one of the files, the nearest first. `runs`: without the tests that only read the files as text. */
export function reachingTests(
  reach: TestReach,
  files: readonly string[],
  { runs = false }: { readonly runs?: boolean } = {},
): readonly ReachingTest[] {
  const distances = distancesFrom(reach, files, (edge) => !(runs && edge.reads));
  const importing = distancesFrom(reach, files, (edge) => edge.imports);
  const starters = [...importing.keys()].flatMap((path) => edgesTo(reach, path).filter((edge) => !edge.imports && !edge.reads));
  const starting = distancesFrom(
    reach,
    starters.map(({ from }) => from),
    (edge) => !edge.reads,
  );
  return reach.tests
    .flatMap((test) => {
      const distance = distances.get(test);
      return distance === undefined ? [] : [{ test, distance, imports: importing.has(test), starts: starting.has(test) }];
    })
    .toSorted((one, other) => one.distance - other.distance || (one.test < other.test ? -1 : 1));
}

/** Steps from the nearest of the files to each file that reaches it. */
function distancesFrom(reach: TestReach, files: readonly string[], isUsed: (edge: Edge) => boolean): ReadonlyMap<string, number> {
  const distances = new Map(files.map((path) => [path, 0]));
  // A map yields entries that are added while it is walked: nearest first.
  for (const [path, distance] of distances)
    for (const edge of edgesTo(reach, path))
      if (!distances.has(edge.from) && isUsed(edge) && (!edge.reads || distance === 0)) distances.set(edge.from, distance + 1);
  return distances;
}

function edgesTo(reach: TestReach, path: string): readonly Edge[] {
  return [...(reach.edges.get(path) ?? []), ...reach.folders.filter(({ folder }) => isBelow(path, folder))];
}

export interface ChosenTests {
  readonly reaching: readonly string[];
  readonly leftOut: readonly string[];
}

/** Divides the tests by whether a change of these files, paths from the root, can alter their outcome. Removed files count too. */
export function testsReaching(
  changed: readonly string[],
  { reach = treeReach(), tests = reach.tests }: { readonly reach?: TestReach; readonly tests?: readonly string[] } = {},
): ChosenTests {
  const reached = new Set(reachingTests(reach, changed).map(({ test }) => test));
  const all = changed.some((path) => decidesAll.includes(path));
  return { reaching: tests.filter((test) => all || reached.has(test)), leftOut: tests.filter((test) => !all && !reached.has(test)) };
}
