/** Labels of severity, risk and effort. */
import type { Effort, RiskLevel, Severity } from "../../check/check.ts";
import { useI18n } from "../context.ts";

/** Critical is inverted, high is filled, the rest is outlined: distinct without colour. */
const severityStyles = {
  critical: "poor solid",
  high: "poor",
  medium: "warn outlined",
  low: "unknown outlined",
  info: "unknown outlined",
} as const satisfies Record<Severity, string>;

interface SeverityChipProps {
  readonly severity: Severity;
  /** Number of findings, shown before the word. */
  readonly count?: number;
}

export function SeverityChip({ severity, count }: SeverityChipProps) {
  const i18n = useI18n();
  const name = i18n.severity(severity);
  return <span class={`chip ${severityStyles[severity]}`}>{count === undefined ? name : `${i18n.number(count)} ${name}`}</span>;
}

const levels = { low: 1, medium: 2, high: 3 } as const satisfies Record<Effort | RiskLevel, number>;

export function EffortMeter({ effort }: { readonly effort: Effort }) {
  const i18n = useI18n();
  return <Meter level={levels[effort]} text={i18n.t("components.effort", { effort: i18n.effort(effort) })} />;
}

export function RiskMeter({ risk }: { readonly risk: RiskLevel }) {
  const i18n = useI18n();
  return <Meter level={levels[risk]} text={i18n.t("components.risk", { risk: i18n.risk(risk) })} />;
}

function Meter({ level, text }: { readonly level: number; readonly text: string }) {
  return (
    <span class="meter" data-level={level}>
      {text}
    </span>
  );
}
