/** "Fix these first": at most three findings with what fixing them gains. */
import { EffortMeter, SeverityChip } from "../components/chips.tsx";
import { Sentence } from "../components/untrusted-text.tsx";
import { useI18n } from "../context.ts";
import type { ShownFinding } from "./report.ts";
import { fixFirst } from "./urgency.ts";

/** Shorter lists need no selection. */
const findingsMin = 2;

export function FirstSteps({ findings }: { readonly findings: readonly ShownFinding[] }) {
  const i18n = useI18n();
  const first = fixFirst(findings);
  if (first.length === 0 || findings.length < findingsMin) return null;
  return (
    <section aria-labelledby="first-steps">
      <h2 id="first-steps">{i18n.t("report.firstSteps.heading")}</h2>
      <ol class="cards first-steps">
        {first.map((shown) => (
          <FirstStep key={shown.anchor} shown={shown} />
        ))}
      </ol>
      <p class="muted">{i18n.t("report.firstSteps.help")}</p>
    </section>
  );
}

function FirstStep({ shown: { anchor, texts, finding, points, scoreCap } }: { readonly shown: ShownFinding }) {
  const i18n = useI18n();
  return (
    <li class="card">
      <p>
        <a href={`#${anchor}`}>
          <Sentence text={texts.title} />
        </a>
      </p>
      <p class="chips">
        <SeverityChip severity={finding.severity} />
        <EffortMeter effort={finding.effort} />
        {points !== null && <span class="muted small">{i18n.count("report.points", points)}</span>}
      </p>
      <p class="small muted">
        <Sentence text={texts.riskStatement} />
      </p>
      {scoreCap !== null && <p class="small">{i18n.t("report.firstSteps.cap", { score: scoreCap })}</p>}
    </li>
  );
}
