/** Row of one finding, which opens to fact, risk, remediation and links to its evidence. */
import { unmarked } from "../text/display.ts";
import type { ChosenServer } from "./chosen-server.ts";
import { CheckLink } from "./components/check-link.tsx";
import { EffortMeter, RiskMeter, SeverityChip } from "./components/chips.tsx";
import { Instant } from "./components/instant.tsx";
import { Remediation } from "./components/remediation.tsx";
import { plainUntrustedLines, Sentence, untranslated } from "./components/untrusted-text.tsx";
import { useDocument, useI18n } from "./context.ts";
import { EvidenceLinks } from "./evidence/evidence-sections.tsx";
import { AcceptedBecause, MarkChips } from "./finding-marks.tsx";
import type { FirstSeen } from "./first-seen.ts";
import type { ShownFinding } from "./report.ts";

interface FindingRowProps {
  readonly shown: ShownFinding;
  readonly server: ChosenServer;
  readonly open: boolean;
  /** Outside the filter. */
  readonly hidden: boolean;
  /** `h4` below the heading of an area. */
  readonly heading: "h3" | "h4";
}

/** The anchor is inside the row: browsers open a collapsed row when the fragment of the URL names an element in it. */
export function FindingRow({ shown, server, open, hidden, heading: Heading }: FindingRowProps) {
  const { idOf } = useDocument();
  const { anchor, area, texts, finding } = shown;
  const { severity, effort } = finding;
  return (
    <details class="finding-row" data-severity={severity} data-area={area} data-effort={effort} open={open} hidden={hidden}>
      <summary>
        <SeverityChip severity={severity} />
        <Heading>
          <Sentence text={texts.title} />
          {shown.mark !== null && <MarkChips mark={shown.mark} />}
        </Heading>
        <span class="seen">
          <Sentence text={texts.detail} />
        </span>
        <Cost shown={shown} />
        <EffortMeter effort={effort} />
      </summary>
      <div class="finding-body" id={idOf(anchor)}>
        <Body shown={shown} server={server} heading={Heading === "h3" ? "h4" : "h5"} />
      </div>
    </details>
  );
}

function Cost({ shown: { points } }: Pick<FindingRowProps, "shown">) {
  const i18n = useI18n();
  if (points === null) return <span class="cost" />;
  return <span class="cost">{points === 0 ? i18n.t("report.findings.note") : i18n.count("report.points", points)}</span>;
}

/** Facts and risk, then what to do. */
function Body({ shown, server, heading: Heading }: Pick<FindingRowProps, "shown" | "server"> & { readonly heading: "h4" | "h5" }) {
  const i18n = useI18n();
  const { texts, finding, lines } = shown;
  return (
    <>
      <div>
        {shown.mark !== null && <AcceptedBecause mark={shown.mark} />}
        <p>
          <Sentence text={texts.detail} />
        </p>
        <Heading>{i18n.t("report.findings.risk")}</Heading>
        <p>
          <Sentence text={texts.riskStatement} /> <RiskMeter risk={finding.riskLevel} />
        </p>
        {shown.scoreCap !== null && <p>{i18n.t("report.findings.cap", { score: shown.scoreCap })}</p>}
      </div>
      <div>
        <Heading>{i18n.t("report.findings.remediation")}</Heading>
        <Remediation
          text={texts.remediation}
          server={server.name}
          serverLines={lines}
          otherLines={shown.otherLines}
          advice={(text) => <Sentence text={text} />}
          lines={(text) => plainUntrustedLines(unmarked(text))}
        />
      </div>
      <Footer shown={shown} />
    </>
  );
}

function Footer({ shown }: { readonly shown: ShownFinding }) {
  const { i18n, live, idOf } = useDocument();
  const { anchor, finding, evidence, area } = shown;
  const codeId = idOf(`${anchor}-code`);
  return (
    <footer class="finding-footer small muted">
      <p>
        <code id={codeId} {...untranslated}>
          {finding.code}
        </code>{" "}
        {live && (
          <>
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
            <a href={`#${idOf(anchor)}`} aria-label={i18n.t("report.findings.permalinkOf", { code: finding.code })}>
              {i18n.t("report.findings.permalink")}
            </a>
          </>
        )}
      </p>
      <p>
        {i18n.t("report.findings.check")}{" "}
        <CheckLink checkKey={finding.checkKey} fragment={finding.code}>
          {finding.checkKey}
        </CheckLink>
        {" \u00b7 "}
        <EvidenceLinks names={evidence} area={area} />
        {shown.firstSeen !== null && (
          <>
            {" \u00b7 "}
            <Since firstSeen={shown.firstSeen} />
          </>
        )}
      </p>
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
