/** Runs in a thread: imports plugin files, to load and validate them. It needs no built-in check, so the thread starts fast. */
import type { CheckTexts, Locale } from "../check/check.ts";
import { type AnyCheck, type CheckDefinition, registeredChecks } from "../check/registry.ts";
import type { TextPosition } from "../parse/text.ts";
import type { LoadedPlugin, PluginSnapshot } from "./catalog.ts";
import { type DeclarationFault, faultAt, faultOfFile, type PluginFault, placeOfProperty, placeOfWord } from "./fault.ts";
import { assertRecordable, type ModuleRecord, onUncaughtErrors, type Pins, RefusedModule, recordModules } from "./plugin-modules.ts";
import { faultsOfCheck, unknownKeysOf } from "./validate.ts";

/** Wait after each import for timers of 0 milliseconds and for promises. */
const strayMs = 2;

/** A check file of the folder. */
export interface CheckFile {
  /** File name without its ending. */
  readonly key: string;
  /** Absolute path in the folder. */
  readonly file: string;
  /** Path without symbolic links, as the runtime uses it. */
  readonly realPath: string;
}

/** Task of the loading thread: plain data. */
export interface LoadTask {
  /** Check files in name order. */
  readonly files: readonly CheckFile[];
  readonly pins: Pins | null;
}

/** `loading` precedes each file, so that a file that never ends can be named. */
export type LoadMessage =
  | { readonly type: "loading"; readonly file: string }
  | { readonly type: "loaded"; readonly plugin: LoadedPlugin }
  | { readonly type: "refused"; readonly faults: readonly PluginFault[] }
  | { readonly type: "end"; readonly snapshot: PluginSnapshot };

/** Imports every file and posts what it registered, or its faults. */
export async function loadPluginFiles({ files, pins }: LoadTask, post: (message: LoadMessage) => void): Promise<void> {
  const record = recordModules(pins);
  for (const file of files) {
    post({ type: "loading", file: file.file });
    const outcome = await loadPluginFile(file, record);
    post("faults" in outcome ? { type: "refused", faults: outcome.faults } : { type: "loaded", plugin: outcome });
  }
  post({ type: "end", snapshot: record.snapshot(files) });
}

async function loadPluginFile(
  { key, file, realPath }: CheckFile,
  record: ModuleRecord,
): Promise<LoadedPlugin | { readonly faults: readonly PluginFault[] }> {
  const before = registeredChecks().length;
  try {
    assertRecordable(realPath);
    await importPlugin(realPath);
  } catch (error) {
    const fault = importFault(error, realPath, record);
    return { faults: [fault.file === realPath ? { ...fault, file } : fault] };
  }
  const source = record.sourceOf(realPath) ?? "";
  const fault = (place: TextPosition | null, reason: string) => faultAt(file, place ?? placeOfWord(source, ["registerCheck("]), reason);
  const checks = registeredChecks().slice(before);
  const [check] = checks;
  if (check === undefined || checks.length > 1) {
    const named = checks.length === 0 ? "0" : `${checks.length} (${checks.map((one) => String(one.key)).join(", ")})`;
    return { faults: [fault(placeOfProperty(source, ["key", "key"]), `must register exactly one check, but registered ${named}`)] };
  }
  if (check.key !== key)
    return { faults: [fault(placeOfProperty(source, ["key"]), `its key is "${check.key}", but must equal the file name, "${key}"`)] };
  const located = ({ path, reason }: DeclarationFault) => fault(placeOfProperty(source, path), reason);
  const unknownKeys = unknownKeysOf(check).map(located);
  const faults = faultsOfCheck(check).map(located);
  // A misspelt key is often the cause of a missing one.
  if (faults.length > 0) return { faults: [...faults, ...unknownKeys] };
  const codePlaces = Object.keys(check.findings).map((code) => [code, placeOfProperty(source, ["findings", code])] as const);
  return {
    file: { path: file, sha256: record.sha256Of(realPath), digest: record.digestOf(realPath) },
    definition: definitionOf(check),
    codePlaces: Object.fromEntries(codePlaces),
    unknownKeys,
  };
}

/** Imports a file. Also throws early errors of its timers and promises, which would otherwise end each judging thread. */
async function importPlugin(path: string): Promise<void> {
  let late: { readonly error: unknown } | null = null;
  const stop = onUncaughtErrors((error) => {
    late ??= { error };
  });
  try {
    await import(path);
    await new Promise((resolve) => setTimeout(resolve, strayMs));
  } finally {
    stop();
  }
  // Assigned by the listener, which the compiler does not see.
  const found = late as { readonly error: unknown } | null;
  if (found !== null) throw found.error;
}

/** Definition of a check without its code and other values that cannot be cloned. */
export function definitionOf({ judge: _judge, ...definition }: AnyCheck): LoadedPlugin["definition"] {
  return JSON.parse(JSON.stringify(definition)) as CheckDefinition & { readonly texts: Readonly<Record<Locale, CheckTexts>> };
}

/** Syntax errors come as a list, each with its position. Others are searched in the stack, then in the source. */
export function importFault(error: unknown, file: string, record: ModuleRecord): PluginFault {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  if (first instanceof RefusedModule) return faultOfFile(first.file, first.message);
  const { message, position, stack } = Object(first) as Partial<BuildMessage> & { readonly stack?: unknown };
  const reason = typeof message === "string" ? message : `threw ${String(first)}`;
  if (position) return faultAt(position.file || file, position, reason);
  for (const [, path = "", line, column] of String(stack ?? "").matchAll(/(\/[^\n()]+?):(\d+):(\d+)\)?(?=\n|$)/g)) {
    if (record.sourceOf(path) !== undefined) return faultAt(path, { line: Number(line), column: Number(column) }, reason);
  }
  const named = /imported from (\/\S+)/.exec(reason)?.[1];
  const importer = named !== undefined && record.sourceOf(named) !== undefined ? named : file;
  const quoted = [...reason.matchAll(/["']([^"']+)["']/g)].map((match) => match[1] ?? "");
  return faultAt(importer, placeOfWord(record.sourceOf(importer) ?? "", quoted), reason);
}
