/** Documentation of a finding code, linkable as `/checks/{key}#{code}`. */
import type { FindingDefinition, FindingTexts } from "../../check/check.ts";
import { suggestedExpiry } from "../../parse/security-txt.ts";
import { EffortMeter, RiskMeter, SeverityChip } from "../../report/components/labels.tsx";
import { FullRemediation } from "../../report/components/remediation.tsx";
import { ExternalLink, untranslated } from "../../report/components/untrusted-text.tsx";
import { placeholderSample } from "../../text/i18n.ts";
import { linesFor } from "../../text/servers/server-lines.ts";
import { useVisit } from "../context.ts";

interface FindingReferenceProps {
  readonly code: string;
  readonly definition: FindingDefinition;
  /** Null where every finding of the check charges the same. */
  readonly charge: string | null;
  readonly texts: FindingTexts | undefined;
}

export function FindingReference({ code, definition, charge, texts }: FindingReferenceProps) {
  const { i18n } = useVisit();
  const { severity, riskLevel, effort, scoreCap, cwe } = definition;
  return (
    <article id={code} class="finding" data-severity={severity}>
      <h3>
        <TextWithSamples text={texts?.title ?? code} />
      </h3>
      <p>
        <a href={`#${code}`}>
          <code {...untranslated}>{code}</code>
        </a>
      </p>
      <p class="chips">
        <SeverityChip severity={severity} />
        <RiskMeter risk={riskLevel} />
        <EffortMeter effort={effort} />
        {charge !== null && <span class="muted small">{charge}</span>}
        {scoreCap !== undefined && <span class="chip poor">{i18n.t("check.scoreCap", { score: i18n.number(scoreCap) })}</span>}
      </p>
      {cwe !== undefined && <Weakness number={cwe} />}
      {texts !== undefined && <FindingTextsList code={code} texts={texts} />}
    </article>
  );
}

/** Entry of the CWE list, which MITRE keeps. */
function Weakness({ number }: { readonly number: number }) {
  const { i18n } = useVisit();
  return (
    <p class="small">
      {i18n.t("check.weakness")}:{" "}
      <span {...untranslated}>
        <ExternalLink href={`https://cwe.mitre.org/data/definitions/${number}.html`}>{`CWE-${number}`}</ExternalLink>
      </span>
    </p>
  );
}

function FindingTextsList({ code, texts }: { readonly code: string; readonly texts: FindingTexts }) {
  const { i18n, settings } = useVisit();
  const { detail, riskStatement, remediation } = texts;
  const fixes = settings.texts.fixesOf(code);
  return (
    <>
      <p>
        <TextWithSamples text={detail} />
      </p>
      <h4>{i18n.t("check.whatCanHappen")}</h4>
      <p>
        <TextWithSamples text={riskStatement} />
      </p>
      <h4>{i18n.t("check.whatToDo")}</h4>
      <FullRemediation text={remediation} linesFor={(server) => linesFor(server, fixes, lineSamples)} advice={sampled} lines={sampled} />
    </>
  );
}

/** Values that are equal in every language; without a name, the lines use an example. */
const lineSamples = { host: "www.example.com", tlsHost: "www.example.com" };

function sampled(text: string) {
  return <TextWithSamples text={text} />;
}

/** Text with sample values for its placeholders: example hosts, or a description of the value. */
const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

function TextWithSamples({ text }: { readonly text: string }) {
  const { i18n, settings, now } = useVisit();
  // Odd pieces are placeholder names, since the pattern has one group.
  return text.split(placeholder).map((piece, at) => (at % 2 === 0 ? piece : <var key={at}>{sampleOf(piece)}</var>));

  function sampleOf(name: string): string {
    if (name === "expires") return suggestedExpiry(now.toISOString());
    return placeholderSample(name, i18n.locale, settings.texts);
  }
}
