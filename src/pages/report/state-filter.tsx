/** How many checks are in each state; each count shows its rows of the ledger alone. Links, so that they work without script. */
import { type State, states } from "../../check/check.ts";
import { StateMark } from "../components/state-mark.tsx";
import { useWords } from "../context.ts";
import type { Report } from "./report.ts";

interface StateFilterProps {
  readonly report: Report;
  /** The one that is chosen; null for all. */
  readonly state: State | null;
  readonly place: "coverage" | "ledger";
}

export function StateFilter({ report: { scan, summary }, state: chosen, place }: StateFilterProps) {
  const words = useWords();
  const path = `/scans/${scan.token}`;
  return (
    <nav aria-label={words.say(`report.filter.${place}`)}>
      <ul class="filters">
        {states.map((state) => (
          <li key={state}>
            <a href={`${path}?state=${state}#ledger`} data-filter={state} {...(state === chosen ? { "aria-current": "true" } : {})}>
              <span class="count">{words.number(summary[state])}</span>
              <StateMark state={state} />
            </a>
          </li>
        ))}
        <li>
          <a href={`${path}#ledger`} data-filter="" {...(chosen === null ? { "aria-current": "true" } : {})}>
            <span class="count">{words.number(summary.total)}</span>
            <span>{words.say("report.filter.all")}</span>
          </a>
        </li>
      </ul>
      {place === "coverage" && <p class="muted">{words.count("components.score.coverage", summary.total, { ran: summary.ran })}</p>}
    </nav>
  );
}
