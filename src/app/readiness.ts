/** Readiness of the server: one list of sources, each of which may name a reason why work cannot be done. */
import type { NotReadyReason, Readiness } from "../api/health.ts";
import type { Log } from "../base/log.ts";

/** By a fixed name for programs. Each is called at every request of the probe: a short clause, or null while all is well. */
type ReadinessSources = Readonly<Record<string, () => string | null>>;

/** Asks every source. The log names each reason when it first shows, and its end. `degrading` sources leave the server ready. */
export function createReadiness(sources: ReadinessSources, degrading: ReadinessSources, log: Log): () => Readiness {
  const known = new Map<string, string | null>();

  function reasonsOf(asked: ReadinessSources): readonly NotReadyReason[] {
    return Object.entries(asked).flatMap(([source, ask]) => {
      const because = ask();
      if ((known.get(source) ?? null) !== because) {
        if (because === null) log.info("ready again", { source });
        else log.warn("not ready", { source, because });
        known.set(source, because);
      }
      return because === null ? [] : [{ source, because }];
    });
  }

  return () => {
    const reasons = reasonsOf(sources);
    const degraded = reasonsOf(degrading);
    if (reasons.length > 0) return { ready: false, reasons: [...reasons, ...degraded] };
    return degraded.length === 0 ? { ready: true } : { ready: true, degraded };
  };
}
