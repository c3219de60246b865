/** What happened, line by line, for a reader who looks for the cause of a breach. */
import type { Plan } from "./plan.ts";
import type { Breach, Simulated } from "./simulate.ts";

const secondsOf = (atMs: number) => `${(atMs / 1_000).toFixed(3).padStart(11)} s  `;

export function traceOf({ trace, breach }: Pick<Simulated, "trace" | "breach">): string {
  const lines = trace.map(({ atMs, text }) => `${secondsOf(atMs)}${text}`);
  return [...lines, ...(breach === null ? [] : [`${secondsOf(breach.atMs)}BROKEN ${breach.law}: ${breach.what}`])].join("\n");
}

/** The first line of a report. */
export function breachLine({ seed }: Pick<Plan, "seed">, { law, events, what }: Breach): string {
  return `Seed ${seed} breaks the law ${law} after ${events} events: ${what}`;
}

export function commandFor({ seed }: Pick<Plan, "seed">): string {
  return `Again: npm run simulate -- --seeds 1 --seed ${seed}`;
}
