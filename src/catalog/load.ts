/** Loads the catalog. The code of plugins runs in a thread with a deadline, never in the calling one. */
import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Worker } from "node:worker_threads";
import { messageOf } from "../base/log.ts";
import { builtInCatalog, type Catalog, catalogWith, type LoadedPlugin, type PluginSnapshot } from "./catalog.ts";
import { CatalogError, describeFault, faultAt, faultOfFile, type PluginFault } from "./fault.ts";
import { type Pins, readPins, realPath } from "./plugin-modules.ts";
import type { CheckFile, LoadMessage, LoadTask } from "./plugin-thread.ts";

/** Limit of plugin files: more files indicate the wrong folder. */
const pluginFilesMax = 500;
const reasonCharsMax = 500;
/** A thread starts within a second, and a file loads within milliseconds. */
const loadMsMax = 10_000;

export interface CatalogOptions {
  /** Folder of plugins. A missing folder counts as empty; null disables plugins. */
  readonly checksDir: string | null;
  /** List of hashes in the format of sha256sum: other plugin files are faults. */
  readonly pinsFile?: string | null;
  /** Unknown keys are warnings of the catalog, or faults. */
  readonly unknownKeys: "warn" | "refuse";
  /** Entry of the thread, `src/app/catalog-worker.ts`; its place differs in a compiled binary. */
  readonly workerFile: string;
  /** Limit for loading all files, in milliseconds. */
  readonly deadlineMs?: number;
}

/** Either the whole catalog, or every fault that was found. */
export type CatalogOutcome =
  | { readonly catalog: Catalog; readonly faults: null }
  | { readonly catalog: null; readonly faults: readonly PluginFault[] };

/** Loads the built-in checks and the check files of the folder. Without such files no thread is started. Never rejects for a plugin. */
export async function loadCatalogSafely(options: CatalogOptions): Promise<CatalogOutcome> {
  const { checksDir, pinsFile = null, unknownKeys } = options;
  if (checksDir === null) return { catalog: builtInCatalog(), faults: null };
  const dir = resolve(checksDir);
  const pinned = pinsFile === null ? null : readPins(pinsFile, dir);
  if (pinned !== null && pinned.faults.length > 0) return { catalog: null, faults: pinned.faults };
  const pins = pinned?.pins ?? null;
  const listed = await checkFilesIn(dir);
  const { files } = listed;
  const absent = absentPins(pins, pinsFile ?? "");
  const { plugins, snapshot, faults } = files.length === 0 ? nothingLoaded : await loadInThread({ files, pins }, options);
  const all = [...listed.faults, ...absent, ...faults, ...faultsBetween(plugins)];
  if (unknownKeys === "refuse") all.push(...plugins.flatMap((plugin) => plugin.unknownKeys));
  if (all.length > 0) return { catalog: null, faults: presentable(all) };
  return { catalog: snapshot === null ? builtInCatalog() : catalogWith(plugins, snapshot), faults: null };
}

/** @throws CatalogError with every fault that was found. */
export async function loadCatalog(options: CatalogOptions): Promise<Catalog> {
  const { catalog, faults } = await loadCatalogSafely(options);
  if (catalog === null) throw new CatalogError(faults);
  return catalog;
}

interface ThreadOutcome {
  readonly plugins: readonly LoadedPlugin[];
  /** Result of the thread; null if it did not finish. */
  readonly snapshot: PluginSnapshot | null;
  readonly faults: readonly PluginFault[];
}

const nothingLoaded: ThreadOutcome = { plugins: [], snapshot: null, faults: [] };

/** A file that ends the thread or exceeds the deadline hides the files after it. */
function loadInThread(task: LoadTask, { workerFile, deadlineMs = loadMsMax }: CatalogOptions): Promise<ThreadOutcome> {
  const plugins: LoadedPlugin[] = [];
  const faults: PluginFault[] = [];
  let current = task.files[0]?.file ?? workerFile;
  const { promise, resolve } = Promise.withResolvers<PluginSnapshot | string>();
  const worker = new Worker(workerFile, { workerData: task });
  const timer = setTimeout(() => resolve(`did not finish loading within ${deadlineMs / 1000} seconds`), deadlineMs);
  worker.on("message", (message: LoadMessage) => {
    if (message.type === "loading") current = message.file;
    else if (message.type === "loaded") plugins.push(message.plugin);
    else if (message.type === "refused") faults.push(...message.faults);
    else resolve(message.snapshot);
  });
  worker.on("error", (error) => resolve(`broke its thread while it loaded: ${messageOf(error)}`));
  worker.on("exit", () => resolve("ended its thread while it loaded, as process.exit and an await without end do"));
  return promise.then(async (ended) => {
    clearTimeout(timer);
    await worker.terminate();
    if (typeof ended !== "string") return { plugins, snapshot: ended, faults };
    return { plugins, snapshot: null, faults: [...faults, faultOfFile(current, ended)] };
  });
}

interface ListedFiles {
  readonly files: readonly CheckFile[];
  readonly faults: readonly PluginFault[];
}

/** Leaves out names with a leading `_` (shared code), tests and `.d.ts` files. */
export function isCheckFileName(name: string): boolean {
  return /\.[tj]s$/.test(name) && !/\.(d|test)\.[tj]s$/.test(name) && !name.startsWith("_");
}

async function checkFilesIn(dir: string): Promise<ListedFiles> {
  let names: readonly string[];
  try {
    names = await readdir(dir);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? { files: [], faults: [] } : noFiles(dir, `this folder cannot be read: ${message}`);
  }
  const listed = names.filter(isCheckFileName).sort();
  if (listed.length === 0) return { files: [], faults: [] };
  if (listed.length > pluginFilesMax)
    return noFiles(dir, `this folder has ${listed.length} check files; at most ${pluginFilesMax} are loaded`);
  if (((await stat(dir)).mode & 0o002) !== 0)
    return noFiles(dir, "any user may write to this folder, but its code runs with this process's rights; run chmod o-w");
  const files = listed.map((name) => ({
    key: name.replace(/\.[tj]s$/, ""),
    file: join(dir, name),
    realPath: realPath(join(dir, name)),
  }));
  const builtIn = new Set(builtInCatalog().checks.map(({ key }) => key));
  const shadowing = files.filter(({ key }) => builtIn.has(key));
  return {
    files: files.filter((file) => !shadowing.includes(file)),
    faults: shadowing.map(({ file, key }) => faultOfFile(file, `"${key}" is the key of a built-in check; rename the file and its key`)),
  };
}

function noFiles(dir: string, reason: string): ListedFiles {
  return { files: [], faults: [faultOfFile(dir, reason)] };
}

/** Faults of pinned checks without a file: a missing check would change every score. */
function absentPins(pins: Pins | null, pinsFile: string): readonly PluginFault[] {
  const absent = [...(pins?.keys() ?? [])].filter((path) => !existsSync(path));
  return absent.map((path) => faultOfFile(pinsFile, `lists ${path}, which does not exist`));
}

/** Codes that a plugin shares with another check: API consumers rely on codes, so each has one meaning. */
function faultsBetween(plugins: readonly LoadedPlugin[]): readonly PluginFault[] {
  const owners = new Map(builtInCatalog().checks.flatMap(({ key, findings }) => Object.keys(findings).map((code) => [code, key])));
  return plugins.flatMap(({ definition: { key, findings }, file, codePlaces }) => {
    return Object.keys(findings).flatMap((code): readonly PluginFault[] => {
      const owner = owners.get(code);
      if (owner === undefined) {
        owners.set(code, key);
        return [];
      }
      return [faultAt(file.path, codePlaces[code] ?? null, `"${owner}" and "${key}" both declare the code "${code}"`)];
    });
  });
}

/** Faults without duplicates: a broken shared file is named once. Reasons quote plugins, so they are cut. */
function presentable(faults: readonly PluginFault[]): readonly PluginFault[] {
  const short = faults.map((fault) => ({ ...fault, reason: fault.reason.slice(0, reasonCharsMax) }));
  return [...new Map(short.map((fault) => [describeFault(fault), fault])).values()];
}
