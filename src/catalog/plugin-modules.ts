/** Source files of plugins in a thread: read once, hashed and recorded, or served from such a record. */

import { createHash } from "node:crypto";
import { readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { plugin } from "bun";
import { messageOf } from "../base/log.ts";
import { tryOr } from "../base/try-or.ts";
import * as checkApi from "../check/index.ts";
import * as parserApi from "../check/parsers.ts";
import type { PluginSnapshot } from "./catalog.ts";
import { faultAt, faultOfFile, type PluginFault } from "./fault.ts";

// Hashes that plugin files must have, from a file in the format of sha256sum (`checks.require_sha256`).

/** Lines of 100 characters for twice the files that a folder may have. */
const pinsBytesMax = 256 * 1024;
/** `*` marks a file that was read in binary mode; `\` an escaped name, which is not supported. */
const lineForm = /^([0-9a-f]{64}) [ *](.+)$/;

/** SHA-256 in hexadecimal digits by absolute path. */
export type Pins = ReadonlyMap<string, string>;

/** Pins whose names are relative to `checksDir`. Empty lines and lines that begin with `#` are ignored. */
export function readPins(file: string, checksDir: string): { readonly pins: Pins; readonly faults: readonly PluginFault[] } {
  let text: string;
  try {
    const { mode, size } = statSync(file);
    if ((mode & 0o002) !== 0) return refused(file, "any user may write to this list of hashes; run chmod o-w");
    if (size > pinsBytesMax) return refused(file, `this list of hashes has more than ${pinsBytesMax} bytes`);
    text = readFileSync(file, "utf8");
  } catch (error) {
    return refused(file, `this list of hashes (checks.require_sha256) cannot be read: ${messageOf(error)}`);
  }
  const pins = new Map<string, string>();
  const faults: PluginFault[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [, sha256, name] = lineForm.exec(line) ?? [];
    if (sha256 === undefined || name === undefined)
      faults.push(faultAt(file, { line: at + 1, column: 1 }, "is not a line of sha256sum, as in `sha256sum *.ts`"));
    else pins.set(realPath(resolve(checksDir, name)), sha256);
  }
  return { pins, faults };
}

function refused(file: string, reason: string): { readonly pins: Pins; readonly faults: readonly PluginFault[] } {
  return { pins: new Map(), faults: [faultOfFile(file, reason)] };
}

/** Path without symbolic links; the path itself if the file does not exist. */
export function realPath(path: string): string {
  return tryOr(() => realpathSync(path), path);
}

/** Digits of a hash that is stored with each result. */
const digestChars = 16;
/** Far above a check, so that JSON files with lists fit. */
const moduleBytesMax = 16 * 1024 ** 2;
const modulesBytesMax = 64 * 1024 ** 2;
const modulesMax = 2_000;

/** All modules but packages, which may use another module system and stay on the disk. */
const moduleFiles = /^(?!.*\/node_modules\/).*\.(m?[jt]s|[jt]sx|json)$/;
const packageFiles = /\/node_modules\//;
/** Modules that the program provides. */
const pluginApi: Readonly<Record<string, object>> = { "assay/check": checkApi, "assay/check/parsers": parserApi };

/** A source file that is not allowed. */
export class RefusedModule extends Error {
  override readonly name = "RefusedModule";
  constructor(
    readonly file: string,
    message: string,
  ) {
    super(message);
  }
}

interface RecordedModule {
  readonly sha256: string;
  /** Source text with absolute paths in its imports, so that a replay needs no file. */
  readonly text: string;
  /** Absolute paths. */
  readonly imports: readonly string[];
}

export type ModuleRecord = ReturnType<typeof recordModules>;

/** From now on, files that this thread imports are read once, and refused if `pins` says so. Null pins allow every file. */
export function recordModules(pins: Pins | null) {
  const modules = new Map<string, RecordedModule>();
  const sources = new Map<string, string>();
  let bytesTotal = 0;
  serveModules((path) => {
    const known = modules.get(path);
    if (known !== undefined) return known.text;
    const bytes = moduleBytes(path);
    bytesTotal += bytes.length;
    if (modules.size >= modulesMax || bytesTotal > modulesBytesMax)
      throw new RefusedModule(path, `plugins and their imports have more than ${modulesMax} files or ${modulesBytesMax} bytes`);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    assertPinned(path, sha256, pins);
    const source = bytes.toString("utf8");
    sources.set(path, source);
    const { text, imports } = withAbsoluteImports(path, source, pins);
    modules.set(path, { sha256, text, imports });
    return text;
  });
  /** SHA-256 over a file and all that it imports, wherever they are. */
  function digestOf(path: string): string {
    const reached = new Set([path]);
    for (const each of reached) for (const imported of modules.get(each)?.imports ?? []) reached.add(imported);
    const hash = createHash("sha256");
    for (const each of reached) hash.update(`${modules.get(each)?.sha256}\n`);
    return hash.digest("hex");
  }

  return {
    /** Source text as read; undefined for a file that was not loaded. */
    sourceOf: (path: string): string | undefined => sources.get(path),
    sha256Of: (path: string): string => modules.get(path)?.sha256 ?? "",
    digestOf,
    snapshot: (files: readonly { readonly key: string; readonly realPath: string }[]): PluginSnapshot => ({
      entries: files.map(({ realPath }) => realPath),
      digests: Object.fromEntries(files.map(({ key, realPath }) => [key, digestOf(realPath).slice(0, digestChars)])),
      modules: Object.fromEntries([...modules].map(([path, { text }]) => [path, text])),
    }),
  };
}

/** From now on, files that this thread imports come from the snapshot, and no others can be imported. */
export function replayModules({ modules }: PluginSnapshot): void {
  serveModules(
    (path) => {
      const text = Object.hasOwn(modules, path) ? modules[path] : undefined;
      if (text === undefined) throw new Error(`${path} was not there when the checks were loaded`);
      return text;
    },
    (path) => Object.hasOwn(modules, path),
  );
}

function serveModules(textOf: (path: string) => string, isKnown: (path: string) => boolean = () => false): void {
  provideModules(pluginApi);
  // Plugins must not post messages of this thread: the program could not distinguish them from its own.
  globalThis.postMessage = () => {
    throw new Error("a check must not post messages");
  };
  plugin({
    name: "plugin files",
    setup(build) {
      // Otherwise a file that was deleted cannot be resolved.
      build.onResolve({ filter: /^\// }, ({ path }) => (isKnown(path) ? { path } : undefined));
      build.onLoad({ filter: moduleFiles }, ({ path }) => {
        const text = textOf(path);
        // Bun's own loader for JSON does not take contents.
        if (extname(path) === ".json") return { exports: { default: jsonOf(path, text) }, loader: "object" };
        return { contents: text, loader: loaderOf(path) };
      });
    },
  });
}

/** From now on, files that this thread imports get these modules of the program by name. */
export function provideModules(modules: Readonly<Record<string, object>>): void {
  plugin({
    name: "assay/check",
    setup(build) {
      for (const [name, exports] of Object.entries(modules)) build.module(name, () => ({ exports: { ...exports }, loader: "object" }));
    },
  });
}

function loaderOf(path: string): "js" | "ts" | "jsx" | "tsx" {
  const [, loader] = /([jt]sx?)$/.exec(path) ?? [];
  return loader as "js" | "ts" | "jsx" | "tsx";
}

function jsonOf(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RefusedModule(path, messageOf(error));
  }
}

/** Refuses files that the runtime would load by itself, unhashed and unrecorded. @throws RefusedModule */
export function assertRecordable(path: string): void {
  regularFile(path);
  if (!moduleFiles.test(path))
    throw new RefusedModule(path, "is no .ts or .js file outside node_modules: copy it into the folder of checks");
}

/** @throws RefusedModule */
function moduleBytes(path: string): Buffer {
  const stats = regularFile(path);
  if ((stats.mode & 0o002) !== 0)
    throw new RefusedModule(path, "any user may write to it, but its code runs with this process's rights; run chmod o-w");
  const folder = dirname(path);
  // A user who may write to the folder may replace the file.
  if ((readable(folder, () => statSync(folder)).mode & 0o002) !== 0)
    throw new RefusedModule(path, `any user may write to ${folder}, and so replace this file; run chmod o-w`);
  if (stats.size > moduleBytesMax) throw new RefusedModule(path, `has ${stats.size} bytes; at most ${moduleBytesMax} are read`);
  return readable(path, () => readFileSync(path));
}

/** @throws RefusedModule */
function regularFile(path: string): Stats {
  const stats = readable(path, () => statSync(path));
  if (!stats.isFile()) throw new RefusedModule(path, "is no regular file");
  return stats;
}

function readable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new RefusedModule(path, `cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** @throws RefusedModule */
function assertPinned(path: string, sha256: string, pins: Pins | null): void {
  if (pins === null) return;
  const pinned = pins.get(path);
  if (pinned === undefined) throw new RefusedModule(path, "is not listed in the file of checks.require_sha256");
  if (pinned !== sha256) throw new RefusedModule(path, `has the SHA-256 ${sha256}, but the file of checks.require_sha256 lists ${pinned}`);
}

/** Lines and the columns of all other statements stay as they are. */
function withAbsoluteImports(path: string, source: string, pins: Pins | null): Pick<RecordedModule, "text" | "imports"> {
  const imports: string[] = [];
  let text = source;
  for (const name of importsOf(path, source)) {
    const imported = resolvedImport(name, path);
    if (imported === null) continue;
    if (!moduleFiles.test(imported)) {
      if (pins !== null) throw new RefusedModule(path, `imports ${imported}, whose hash checks.require_sha256 cannot check`);
      if (!packageFiles.test(imported))
        throw new RefusedModule(path, `imports ${imported}, but checks may import .ts, .js and .json files only`);
    }
    imports.push(imported);
    const quoted = new RegExp(`(\\b(?:from|import|require)\\s*\\(?\\s*)(["'\`])${RegExp.escape(name)}\\2`, "g");
    text = text.replace(quoted, (_written, before: string) => `${before}${JSON.stringify(imported)}`);
  }
  return { text, imports };
}

/** Imports of a source; empty if it does not parse: its import then reports the position. */
function importsOf(path: string, source: string): readonly string[] {
  if (extname(path) === ".json") return [];
  return tryOr(() => new Bun.Transpiler({ loader: loaderOf(path) }).scanImports(source).map((found) => found.path), []);
}

/** Path of an imported file; null for modules of the program and the runtime, and for missing files. */
function resolvedImport(name: string, importer: string): string | null {
  if (Object.hasOwn(pluginApi, name)) return null;
  const resolved = tryOr(() => Bun.resolveSync(name, dirname(importer)), "");
  return resolved.startsWith("/") ? resolved : null;
}

/** Passes uncaught errors to `listener` instead of ending this thread. Returns the function that stops this. */
export function onUncaughtErrors(listener: (error: unknown) => void): () => void {
  process.on("uncaughtException", listener);
  process.on("unhandledRejection", listener);
  return () => {
    process.off("uncaughtException", listener);
    process.off("unhandledRejection", listener);
  };
}
