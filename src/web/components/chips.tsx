/** Small labels of findings and scores: band, severity, risk and effort, each with its word. */
import type { Effort, RiskLevel, Severity } from "../../check/check.ts";
import type { Band } from "../../judge/rank.ts";
import { useWords } from "../context.ts";
import { Mark, type MarkName } from "./mark.tsx";

const markOfBand = { good: "tick", warn: "warning", poor: "stop", unknown: "question" } as const satisfies Record<Band, MarkName>;

export function BandChip({ band }: { readonly band: Band }) {
  const words = useWords();
  return (
    <span class={`chip ${band}`}>
      <Mark name={markOfBand[band]} />
      <span class="word">{words.band(band)}</span>
    </span>
  );
}

/** Filled only where it matters most. */
const lookOfSeverity = {
  critical: "poor",
  high: "poor",
  medium: "warn outlined",
  low: "unknown outlined",
  info: "unknown outlined",
} as const satisfies Record<Severity, string>;

export function SeverityChip({ severity }: { readonly severity: Severity }) {
  return <span class={`chip ${lookOfSeverity[severity]}`}>{useWords().severity(severity)}</span>;
}

const levels = { low: 1, medium: 2, high: 3 } as const satisfies Record<Effort | RiskLevel, number>;

export function EffortMeter({ effort }: { readonly effort: Effort }) {
  const words = useWords();
  return <Meter level={levels[effort]} text={words.say("components.effort", { effort: words.effort(effort) })} />;
}

export function RiskMeter({ risk }: { readonly risk: RiskLevel }) {
  const words = useWords();
  return <Meter level={levels[risk]} text={words.say("components.risk", { risk: words.risk(risk) })} />;
}

/** Three bars, as many filled as the level says. */
function Meter({ level, text }: { readonly level: number; readonly text: string }) {
  return (
    <span class="meter">
      <svg viewBox="0 0 20 16" aria-hidden="true" fill="none" stroke="currentColor">
        {[0, 1, 2].map((at) => (
          <rect key={at} x={1.5 + 6 * at} y="3.5" width="4" height="9" fill={at < level ? "currentColor" : "none"} />
        ))}
      </svg>
      {text}
    </span>
  );
}
