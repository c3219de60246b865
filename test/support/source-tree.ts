/** The source tree as data for the tests that guard its structure: files, imports, comments and long functions. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../..");

export interface SourceImport {
  /** Module name, or the path from the root for a relative import. */
  readonly name: string;
  /** Whether the import is gone at run time. */
  readonly typeOnly: boolean;
}

export interface SourceFile {
  /** Path from the root. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly SourceImport[];
  /** Files of the tree that the code names by a path from its own folder: entries of threads and processes, documents that it reads. */
  readonly located: readonly string[];
  /** Whether the code computes a path from its own folder that is not written in full. */
  readonly locatesOthers: boolean;
}

/** Paths from the root of all files below a folder. */
export function filesBelow(folder: string, tree = root): readonly string[] {
  return readdirSync(join(tree, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(tree, join(entry.parentPath, entry.name)));
}

export function sourcesBelow(folder: string, tree = root): readonly SourceFile[] {
  return filesBelow(folder, tree)
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => parseSource(path, readFileSync(join(tree, path), "utf8")));
}

/** Does not look at the disk, except for the existence of located files. */
export function parseSource(path: string, text: string): SourceFile {
  return { path, text, imports: importsOf(path, text), ...locationsOf(path, text) };
}

/** Uses of the path of the own file. A path behind it locates a file if it is written in full and the file exists. */
function locationsOf(path: string, text: string): Pick<SourceFile, "located" | "locatesOthers"> {
  const folder = resolve(root, path, "..");
  const uses = text.match(/\bimport\.meta\.(?:dirname|dir|url|path|file)\b/g) ?? [];
  const written = text.matchAll(/\bimport\.meta\.dirname,\s*"([^"]+)"|\bnew URL\("([^"]+)",\s*import\.meta\.url\)/g);
  const located = [...written]
    .map(([, joined, relativeUrl]) => resolve(folder, joined ?? relativeUrl ?? ""))
    .filter((target) => statSync(target, { throwIfNoEntry: false })?.isFile() === true)
    .map((target) => relative(root, target));
  return { located: located.filter((target) => !target.startsWith("..")), locatesOthers: located.length < uses.length };
}

/** Static and dynamic imports of a file, and its re-exports. */
function importsOf(path: string, text: string): readonly SourceImport[] {
  const found = text.matchAll(/^\s*(?:import|export)\b(\s+type\b)?[^;]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm);
  return [...found].map(([, type, from, bare, dynamic]) => {
    const name = from ?? bare ?? dynamic ?? "";
    return { name: name.startsWith(".") ? relative(root, resolve(root, path, "..", name)) : name, typeOnly: type !== undefined };
  });
}

/** Whether `path` is `folder` or lies below it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** Cycles of run-time imports, each as the paths that lead back to its first file. */
export function importCycles(files: readonly SourceFile[]): readonly string[] {
  const targets = new Map(files.map(({ path, imports }) => [path, imports.filter(({ typeOnly }) => !typeOnly).map(({ name }) => name)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) cycles.push([...trail.slice(at), path].join(" > "));
    if (at >= 0 || done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return cycles;
}

/** Top-level functions with their number of lines. The formatter puts their closing brace at the start of a line. */
export function functionsOf({ text }: SourceFile): readonly { readonly name: string; readonly lines: number }[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    const name = /^(?:export )?(?:default )?(?:async )?(?:function\*? (\w+)|const (\w+) = .*=> \{$)/.exec(line);
    if (name === null) return [];
    const end = lines.findIndex((other, index) => index >= at && /^\}/.test(other));
    return [{ name: name[1] ?? name[2] ?? "", lines: end - at + 1 }];
  });
}

export interface Comment {
  /** Number of the first line, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Comments of TypeScript source: block comments, and runs of line comments as one. */
export function commentsOf(source: string): readonly Comment[] {
  const comments: Comment[] = [];
  let run: { line: number; parts: string[] } | null = null;
  let inBlock = false;
  const close = () => {
    if (run !== null && run.parts.length > 0) comments.push({ line: run.line, text: run.parts.join(" ") });
    run = null;
  };
  const add = (line: number, part: string) => {
    run ??= { line, parts: [] };
    if (part.trim() !== "") run.parts.push(part.trim());
  };
  for (const [at, raw] of source.split("\n").entries()) {
    const line = raw.trim();
    const opening: RegExpExecArray | null = inBlock ? null : /^\{?\/\*\*?(.*)$/.exec(line);
    const lineComment = /^\/\/ ?(?!biome-ignore|\/ <reference)(.*)$/.exec(line);
    if (inBlock || opening !== null) {
      if (opening !== null) close();
      const part: string = opening?.[1] ?? line.replace(/^\*(?!\/)/, "");
      if (part.trim().startsWith("@")) close();
      add(at + 1, part.replace(/\*\/.*$/, ""));
      inBlock = !part.includes("*/");
      if (!inBlock) close();
    } else if (lineComment !== null) add(at + 1, lineComment[1] ?? "");
    else {
      close();
      const trailing = /\s\/\/ (.*)$/.exec(raw);
      if (trailing !== null) comments.push({ line: at + 1, text: trailing[1] ?? "" });
    }
  }
  close();
  return comments;
}

/** Sentences of a text, with the number of words of each. */
export function sentencesOf(text: string): readonly { readonly sentence: string; readonly words: number }[] {
  return text
    .split(/(?<=[.!?;:])\s+/)
    .map((sentence) => ({ sentence, words: sentence.split(/\s+/).filter((word) => /[a-z]/i.test(word)).length }));
}
