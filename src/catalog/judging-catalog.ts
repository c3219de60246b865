/** Runs in threads that judge: the built-in checks, and plugins from the snapshot of their catalog. */
import "../../checks/index.ts";
import { closeRegistry } from "../check/registry.ts";
import type { JudgingCatalog, PluginSnapshot } from "./catalog.ts";
import { onUncaughtErrors, replayModules } from "./plugin-modules.ts";

/** Call once per thread. */
export async function judgingCatalog(snapshot: PluginSnapshot | null, version: string): Promise<JudgingCatalog> {
  if (snapshot !== null) {
    // Late errors of a check's timers and promises do not affect any judgement.
    onUncaughtErrors(() => {});
    replayModules(snapshot);
    for (const entry of snapshot.entries) await import(entry);
  }
  return { checks: closeRegistry(), version, ...(snapshot !== null && { plugins: snapshot.digests }) };
}
