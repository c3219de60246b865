/** Section of all findings, worst first, with links to the first of each severity. */
import { severities } from "../../check/check.ts";
import { useI18n } from "../context.ts";
import { FindingCard } from "./finding-card.tsx";
import type { Report, ShownFinding } from "./report.ts";

/** Shorter lists need no links by severity. */
const severityLinksMin = 6;

export function Findings({ report: { findings, summary } }: { readonly report: Report }) {
  const i18n = useI18n();
  return (
    <section aria-labelledby="findings">
      <h2 id="findings">
        {findings.length === 0 ? i18n.t("report.findings.noneHeading") : i18n.count("report.findings.heading", findings.length)}
      </h2>
      {findings.length === 0 && (
        <p>{i18n.t(summary.ran === 0 ? "report.findings.nothingRan" : "report.findings.none", { ran: summary.ran })}</p>
      )}
      {findings.length >= severityLinksMin && <SeverityLinks findings={findings} />}
      {findings.map((shown) => (
        <FindingCard key={shown.anchor} shown={shown} />
      ))}
    </section>
  );
}

function SeverityLinks({ findings }: { readonly findings: readonly ShownFinding[] }) {
  const i18n = useI18n();
  return (
    <nav aria-label={i18n.t("report.findings.jumps")}>
      <ul class="jumps">
        {severities.map((severity) => {
          const ofSeverity = findings.filter(({ finding }) => finding.severity === severity);
          const [first] = ofSeverity;
          return first === undefined ? null : (
            <li key={severity}>
              <a href={`#${first.anchor}`}>
                {i18n.severity(severity)} <span class="muted">{i18n.number(ofSeverity.length)}</span>
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
