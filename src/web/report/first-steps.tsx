/** "Fix these first": at most three findings, one line each. */
import { fixFirst } from "../../text/fix-order.ts";
import { EffortMeter, SeverityChip } from "../components/chips.tsx";
import { Sentence } from "../components/untrusted-text.tsx";
import { useI18n } from "../context.ts";
import type { ShownFinding } from "./report.ts";
import { serverChoiceId } from "./server-choice.tsx";

/** `findings` in the order of the report. */
export function FirstSteps({ findings }: { readonly findings: readonly ShownFinding[] }) {
  const i18n = useI18n();
  const first = fixFirst(findings);
  if (first.length === 0) return null;
  return (
    <section class="first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">{i18n.t("report.firstSteps.heading")}</h2>
      <ol>
        {first.map(({ anchor, texts, finding }) => (
          <li key={anchor}>
            <SeverityChip severity={finding.severity} />
            <a href={`#${anchor}`}>
              <Sentence text={texts.title} />
            </a>
            <EffortMeter effort={finding.effort} />
          </li>
        ))}
      </ol>
      <p class="small">
        <a href={`#${serverChoiceId}`}>{i18n.t("report.firstSteps.lines")}</a>
      </p>
    </section>
  );
}
