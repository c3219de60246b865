/** The built-in checks and two plugins, for judging in threads that stop. */
import { builtInCatalog, type JudgingCatalog } from "../../../src/catalog/catalog.ts";
import type { AnyCheck } from "../../../src/check/registry.ts";

export const ownKeys = ["own-first", "own-second"];

export function stoppedCatalog(): JudgingCatalog {
  const { checks, version } = builtInCatalog();
  const own = ownKeys.map(
    (key) => ({ key, weight: 1, reads: [], findings: {}, judge: () => ({ state: "passed" }) }) as unknown as AnyCheck,
  );
  return { checks: [...own, ...checks], version };
}
