/** Card of one finding: fact, risk, remediation and links to its evidence. */
import { unmarked } from "../../text/quotation.ts";
import { EffortMeter, RiskMeter, SeverityChip } from "../components/chips.tsx";
import { Instant } from "../components/instant.tsx";
import { Remediation } from "../components/remediation.tsx";
import { plainUntrustedLines, Sentence, UntrustedText, untranslated } from "../components/untrusted-text.tsx";
import { useI18n, useVisit } from "../context.ts";
import { EvidenceLinks } from "./evidence/evidence-links.tsx";
import type { FirstSeen } from "./first-seen.ts";
import { checkOf, type ShownFinding } from "./report.ts";

export function FindingCard({ shown }: { readonly shown: ShownFinding }) {
  const i18n = useI18n();
  const { anchor, texts, finding, points, scoreCap } = shown;
  return (
    <article class="finding" id={anchor} data-severity={finding.severity} aria-labelledby={`${anchor}-title`}>
      <header>
        <h3 id={`${anchor}-title`}>
          <Sentence text={texts.title} />
        </h3>
        <div class="chips">
          <SeverityChip severity={finding.severity} />
          <RiskMeter risk={finding.riskLevel} />
          <EffortMeter effort={finding.effort} />
          {points !== null && (
            <span class="muted small">{points === 0 ? i18n.t("report.findings.note") : i18n.count("report.points", points)}</span>
          )}
          {scoreCap !== null && <span class="muted small">{i18n.t("report.firstSteps.cap", { score: scoreCap })}</span>}
        </div>
      </header>
      <div class="finding-body">
        <div>
          <p>
            <Sentence text={texts.detail} />
          </p>
          <h4>{i18n.t("report.findings.risk")}</h4>
          <p>
            <Sentence text={texts.riskStatement} />
          </p>
        </div>
        <div>
          <h4>{i18n.t("report.findings.remediation")}</h4>
          <Remediation
            text={texts.remediation}
            advice={(text) => <Sentence text={text} />}
            lines={(text) => plainUntrustedLines(unmarked(text))}
          />
        </div>
      </div>
      <Footer shown={shown} />
    </article>
  );
}

function Footer({ shown }: { readonly shown: ShownFinding }) {
  const visit = useVisit();
  const { i18n } = visit;
  const { anchor, finding, evidence, area } = shown;
  const known = checkOf(visit, finding.checkKey) !== undefined;
  const codeId = `${anchor}-code`;
  return (
    <footer class="finding-footer small muted">
      <p>
        <code id={codeId} {...untranslated}>
          {finding.code}
        </code>{" "}
        <button
          type="button"
          class="compact"
          data-copy={`[id="${codeId}"]`}
          data-copied={i18n.t("lines.copied")}
          aria-label={i18n.t("report.findings.copyCode", { code: finding.code })}
          hidden
        >
          {i18n.t("report.findings.copy")}
        </button>{" "}
        <a href={`#${anchor}`} aria-label={i18n.t("report.findings.permalinkOf", { code: finding.code })}>
          {i18n.t("report.findings.permalink")}
        </a>
      </p>
      <p>
        {i18n.t("report.findings.check")}{" "}
        {known ? (
          <a href={`/checks/${finding.checkKey}#${finding.code}`}>{finding.checkKey}</a>
        ) : (
          <UntrustedText>{finding.checkKey}</UntrustedText>
        )}
        {" \u00b7 "}
        <EvidenceLinks names={evidence} area={area} />
      </p>
      {shown.firstSeen !== null && (
        <p>
          <Since firstSeen={shown.firstSeen} />
        </p>
      )}
    </footer>
  );
}

function Since({ firstSeen }: { readonly firstSeen: FirstSeen }) {
  const i18n = useI18n();
  if (firstSeen.seen === "now") return <>{i18n.t("report.findings.firstSeenNow")}</>;
  return (
    <>
      {i18n.t(firstSeen.orEarlier ? "report.findings.firstSeenOrEarlier" : "report.findings.firstSeen")}{" "}
      <a href={`/scans/${firstSeen.token}`}>
        <Instant at={firstSeen.at} day relative={false} />
      </a>
    </>
  );
}
