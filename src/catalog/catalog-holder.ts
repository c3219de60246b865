/** The catalog in use with its texts. A reload replaces both, or nothing. */
import { createTexts, type Texts } from "../text/i18n.ts";
import type { Catalog } from "./catalog.ts";
import type { PluginFault } from "./fault.ts";
import type { CatalogOutcome } from "./load.ts";

/** A catalog and the texts of its checks, always of the same version. */
export interface LoadedChecks {
  readonly catalog: Catalog;
  readonly texts: Texts;
}

/** `at`: ISO 8601. Keys are check keys of plugins. */
export type ReloadResult =
  | {
      readonly outcome: "replaced";
      readonly at: string;
      readonly version: string;
      readonly added: readonly string[];
      readonly removed: readonly string[];
      /** Keys of checks whose file, or a file that it imports, has changed. */
      readonly changed: readonly string[];
    }
  | { readonly outcome: "refused"; readonly at: string; readonly faults: readonly PluginFault[] };

export interface CatalogHolder {
  current(): LoadedChecks;
  /** Reloads the catalog. Calls during a reload share the next one, since files may have changed meanwhile. */
  reload(): Promise<ReloadResult>;
  /** Null before the first reload of this process. */
  lastReload(): ReloadResult | null;
}

interface CatalogHolderOptions {
  readonly load: () => Promise<CatalogOutcome>;
  /** Called after each reload, when `current` gives the new catalog. */
  readonly onReload: (result: ReloadResult, catalog: Catalog) => void;
  readonly now: () => Date;
}

export function createCatalogHolder(first: Catalog, { load, onReload, now }: CatalogHolderOptions): CatalogHolder {
  let current = withTexts(first);
  let last: ReloadResult | null = null;
  let running: Promise<ReloadResult> | null = null;
  let next: Promise<ReloadResult> | null = null;

  async function reloadNow(): Promise<ReloadResult> {
    const { catalog, faults } = await load();
    const at = now().toISOString();
    const former = current.catalog;
    if (catalog !== null) current = withTexts(catalog);
    last = catalog === null ? { outcome: "refused", at, faults } : { outcome: "replaced", at, ...changesBetween(former, catalog) };
    onReload(last, current.catalog);
    return last;
  }

  function begin(): Promise<ReloadResult> {
    next = null;
    running = reloadNow().finally(() => {
      running = null;
    });
    return running;
  }

  return {
    current: () => current,
    reload: () => {
      if (running === null) return begin();
      next ??= running.then(begin, begin);
      return next;
    },
    lastReload: () => last,
  };
}

function withTexts(catalog: Catalog): LoadedChecks {
  return { catalog, texts: createTexts(catalog.texts, catalog.checks) };
}

function changesBetween(former: Catalog, { pluginFiles, version }: Catalog) {
  const keys = Object.keys(pluginFiles);
  const kept = keys.filter((key) => Object.hasOwn(former.pluginFiles, key));
  return {
    version,
    added: keys.filter((key) => !Object.hasOwn(former.pluginFiles, key)),
    removed: Object.keys(former.pluginFiles).filter((key) => !Object.hasOwn(pluginFiles, key)),
    changed: kept.filter((key) => former.pluginFiles[key]?.digest !== pluginFiles[key]?.digest),
  };
}
