/** Readiness of the server: one list of sources, each of which may name a reason why work cannot be done. */
import type { Readiness } from "../api/health.ts";
import type { Log } from "../base/log.ts";

/** By a fixed name for programs. Each is called at every request of the probe: a short clause, or null while all is well. */
type ReadinessSources = Readonly<Record<string, () => string | null>>;

/** Asks every source. The log names each reason when it first shows, and its end. */
export function createReadiness(sources: ReadinessSources, log: Log): () => Readiness {
  const known = new Map<string, string | null>();
  return () => {
    const reasons = Object.entries(sources).flatMap(([name, ask]) => {
      const because = ask();
      if ((known.get(name) ?? null) !== because) {
        if (because === null) log.info("ready again", { source: name });
        else log.warn("not ready", { source: name, because });
        known.set(name, because);
      }
      return because === null ? [] : [{ source: name, because }];
    });
    return reasons.length === 0 ? { ready: true } : { ready: false, reasons };
  };
}
