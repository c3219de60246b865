/** Generates the type declarations of the plugin API as one file of ambient modules, from the declarations that tsc emits. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { factTypes, isSchemaFile } from "./fact-types.ts";

// reads: src/authoring/, src/check/
const root = resolve(import.meta.dirname, "..");

/** Not named `.d.ts`: the compiler would take its modules in place of the source. */
export const pluginTypesFile = resolve(root, "src/authoring/assay-check.txt");

/** Modules by name, with their entry below `src`. The first one holds all declarations that the others use. */
const modules = [
  { name: "assay/check", entry: "check/index" },
  { name: "assay/check/parsers", entry: "check/parsers" },
  { name: "assay/check/testing", entry: "authoring/testing" },
] as const;

/** Exports of the tester itself, which authors do not call. */
const internalNames = ["collectTestedTables", "TestedTable"];

/** A top-level statement of a declaration file, with its comment. */
interface Declaration {
  readonly name: string;
  /** Declaration without `export` and `declare`. */
  readonly text: string;
}

interface Declared {
  readonly declarations: readonly Declaration[];
  /** Exported names, with the declared name of each. */
  readonly exports: ReadonlyMap<string, string>;
  /** Names exported from other files, as `name` or `name as other`; `*` for all. */
  readonly reExports: readonly { readonly from: string; readonly names: readonly string[] }[];
}

export function pluginTypes(): string {
  const files = emittedDeclarations();
  const all = declarationsByName(files);
  const [main, ...others] = modules.map(({ name, entry }) => ({ name, exports: exportsOf(entry, files) }));
  if (main === undefined) throw new Error("there are no modules");
  const ofMain = reachable(main.exports.values(), all, new Set());
  const inMain = new Set(ofMain.map(({ name }) => name));
  const blocks = others.map(({ name, exports }) => {
    const own = reachable([...exports.values()], all, inMain);
    const used = importsOf(name, own, exports, main.exports, inMain);
    return moduleText(name, used === "" ? [] : [used], own, exports, main.exports);
  });
  const head = "/** Types of the plugin API of assay, written by `assay checks new`. Do not edit. */\n";
  return [head, moduleText(main.name, [], ofMain, main.exports, new Map()), ...blocks].join("\n");
}

/** Declarations by path below `src`, without extension. */
function emittedDeclarations(): ReadonlyMap<string, Declared> {
  const work = mkdtempSync(join(tmpdir(), "assay-plugin-types-"));
  try {
    const options = { noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: join(work, "out"), rootDir: join(root, "src") };
    const project = {
      extends: join(root, "tsconfig.json"),
      compilerOptions: { ...options, typeRoots: [join(root, "node_modules/@types")] },
      include: [],
      files: modules.map(({ entry }) => join(root, `src/${entry}.ts`)),
    };
    writeFileSync(join(work, "tsconfig.json"), JSON.stringify(project));
    const { exitCode, stdout } = Bun.spawnSync([join(root, "node_modules/.bin/tsc"), "-p", work]);
    if (exitCode !== 0) throw new Error(`tsc emits no declarations:\n${stdout}`);
    const names = readdirSync(options.outDir, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".d.ts"))
      .sort();
    const facts = factTypes();
    return new Map(
      names.map((name) => {
        const path = name.slice(0, -".d.ts".length);
        return [path, withFactTypes(path, parsed(name, readFileSync(join(options.outDir, name), "utf8")), facts)];
      }),
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Types in place of schemas, which are not part of the plugin API. */
function withFactTypes(path: string, declared: Declared, facts: ReadonlyMap<string, string>): Declared {
  if (!path.startsWith("evidence/")) return declared;
  const isKept = (name: string) => facts.has(name) || !isSchemaFile(path);
  return {
    declarations: declared.declarations
      .filter(({ name }) => isKept(name))
      .map(({ name, text }) => ({ name, text: facts.get(name) ?? text })),
    exports: new Map([...declared.exports].filter(([name]) => isKept(name))),
    reExports: declared.reExports,
  };
}

/** Statements of a declaration file, each with the comments before it. A type may hold comments in the first column too. */
function statementsOf(text: string): readonly { readonly comment: string; readonly statement: string }[] {
  const parts = `\n${text}`.split(/^(?=(?:export|import|declare|type|interface|const|function|class|enum)\b)/m);
  const comments = parts.map((part) => /(?:\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)*$/.exec(part)?.[0] ?? "");
  return parts.slice(1).map((part, at) => {
    return { comment: comments[at] ?? "", statement: part.slice(0, part.length - (comments[at + 1] ?? "").length) };
  });
}

function parsed(file: string, text: string): Declared {
  const declarations: Declaration[] = [];
  const exports = new Map<string, string>();
  const reExports: { from: string; names: readonly string[] }[] = [];
  for (const { comment, statement } of statementsOf(text)) {
    const [, star, list = "", from] = /^export (?:type )?(?:(\*)|\{([^}]*)\})(?: from "(.*)")?;/.exec(statement) ?? [];
    if (star !== undefined || list !== "" || statement.startsWith("export {}")) {
      if (from !== undefined) reExports.push({ from: besides(file, from), names: star === undefined ? namesIn(list) : ["*"] });
      continue;
    }
    if (statement.startsWith("import ")) {
      if (/ as (?!const)/.test(statement)) throw new Error(`${file} renames an import, which one flat module cannot: ${statement}`);
      continue;
    }
    const [, keyword, name] = /^(export )?(?:declare )?(?:const|function|interface|type|class|enum) (\w+)/.exec(statement) ?? [];
    if (name === undefined) throw new Error(`${file} has a statement that is not understood: ${statement}`);
    // The first comment of a file describes the file.
    const ownComment = declarations.length === 0 && /\*\/\n\/\*\*/.test(comment) ? comment.slice(comment.lastIndexOf("/**")) : comment;
    const body = statement.replace(/^export /, "").replace(/^declare /, "");
    declarations.push({ name, text: ownComment + body.replace(/import\("[^"]*"\)\./g, "") });
    if (keyword !== undefined) exports.set(name, name);
  }
  return { declarations, exports, reExports };
}

function namesIn(list: string): readonly string[] {
  return list
    .split(",")
    .map((name) => name.trim().replace(/^type /, ""))
    .filter((name) => name !== "");
}

/** Path below `src` of a module that `file` names. */
function besides(file: string, name: string): string {
  return join(file, "..", name).replace(/\.ts$/, "");
}

function declarationsByName(files: ReadonlyMap<string, Declared>): ReadonlyMap<string, Declaration> {
  const all = new Map<string, Declaration>();
  for (const [file, { declarations }] of files) {
    for (const declaration of declarations) {
      const other = all.get(declaration.name);
      if (other !== undefined && other.text !== declaration.text)
        throw new Error(`${file} declares ${declaration.name}, which another file declares too`);
      all.set(declaration.name, declaration);
    }
  }
  return all;
}

/** Exported names of a module, with the declared name of each. */
function exportsOf(entry: string, files: ReadonlyMap<string, Declared>): ReadonlyMap<string, string> {
  const file = files.get(entry);
  if (file === undefined) throw new Error(`tsc emits no declarations of ${entry}`);
  const found = new Map(file.exports);
  for (const { from, names } of file.reExports) {
    const others = exportsOf(from, files);
    for (const listed of names) {
      const [name = "", as = name] = listed.split(" as ");
      if (name === "*") for (const [other, declared] of others) found.set(other, declared);
      else found.set(as, others.get(name) ?? name);
    }
  }
  for (const name of internalNames) found.delete(name);
  return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Declarations of these names and of all names that they use, without names of another module. */
function reachable(names: Iterable<string>, all: ReadonlyMap<string, Declaration>, elsewhere: ReadonlySet<string>): readonly Declaration[] {
  const reached = new Map<string, Declaration>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const declaration = all.get(name);
    if (declaration === undefined || elsewhere.has(name) || reached.has(name)) continue;
    reached.set(name, declaration);
    waiting.push(...wordsOf(declaration));
  }
  return [...all.values()].filter(({ name }) => reached.has(name));
}

/** Names that a declaration refers to: no comments, no literals, and no names of properties and parameters. */
function wordsOf({ text }: Declaration): readonly string[] {
  const code = text.replace(/\/\*\*.*?\*\//gs, "").replace(/"[^"\n]*"/g, "");
  return code.match(/\b\w+\b(?!\??:)/g) ?? [];
}

/** Import statement for what a module uses of the main one. @throws Error for a name that the main module does not export. */
function importsOf(
  module: string,
  own: readonly Declaration[],
  exports: ReadonlyMap<string, string>,
  ofMain: ReadonlyMap<string, string>,
  inMain: ReadonlySet<string>,
): string {
  const ownNames = new Set(own.map(({ name }) => name));
  const used = [...new Set(own.flatMap(wordsOf))].filter((name) => inMain.has(name) && !ownNames.has(name));
  const hidden = [...used, ...exports.values()].filter((name) => inMain.has(name) && !ofMain.has(name));
  if (hidden.length > 0) throw new Error(`${module} uses ${hidden.join(", ")}, which src/check/index.ts does not export`);
  return used.length === 0 ? "" : `import type { ${used.sort().join(", ")} } from "${modules[0].name}";\n`;
}

function moduleText(
  name: string,
  imports: readonly string[],
  own: readonly Declaration[],
  exports: ReadonlyMap<string, string>,
  ofMain: ReadonlyMap<string, string>,
): string {
  const ownNames = new Set(own.map((declaration) => declaration.name));
  const listed = (names: readonly (readonly [string, string])[]) =>
    names.map(([as, declared]) => (as === declared ? as : `${declared} as ${as}`)).join(", ");
  const [local, remote] = [
    [...exports].filter(([, declared]) => ownNames.has(declared)),
    [...exports].filter(([, declared]) => !ownNames.has(declared)),
  ];
  if (remote.some(([, declared]) => ![...ofMain.values()].includes(declared))) throw new Error(`${name} exports unknown names`);
  const body = [
    ...imports,
    ...own.map(({ text }) => text),
    local.length === 0 ? "" : `export { ${listed(local)} };\n`,
    remote.length === 0 ? "" : `export { ${listed(remote)} } from "${modules[0].name}";\n`,
  ].join("");
  return `declare module "${name}" {\n${body.replace(/^(?=.)/gm, "  ")}}\n`;
}
