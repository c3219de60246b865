/** Findings of a comparison, grouped by what changed. */
import type { ComponentChildren } from "preact";
import type { StoredFinding } from "../../../judge/result.ts";
import { SeverityChip } from "../../../report/components/labels.tsx";
import { Sentence } from "../../../report/components/untrusted-text.tsx";
import { useI18n } from "../../../report/context.ts";
import type { ScanRecord } from "../../../store/scans.ts";
import type { ChangedFinding } from "../../../text/comparison.ts";
import { quoted } from "../../../text/display.ts";
import { textsOfFinding } from "../../../text/render.ts";
import { useVisit } from "../../context.ts";

interface FindingsProps {
  readonly findings: readonly StoredFinding[];
  /** Scan that reported them. */
  readonly of: ScanRecord;
}

type ListName = "appeared" | "fixed" | "newlyChecked" | "noLongerChecked";

export function FindingList({ id, ...list }: FindingsProps & { readonly id: ListName }) {
  const i18n = useI18n();
  if (list.findings.length === 0) return null;
  return (
    <Section id={id} heading={i18n.count(`compare.${id}`, list.findings.length)}>
      <Findings {...list} />
    </Section>
  );
}

export function Unchanged(list: FindingsProps) {
  const i18n = useI18n();
  if (list.findings.length === 0) return null;
  return (
    <Section id="unchanged" heading={i18n.count("compare.unchanged", list.findings.length)}>
      <details>
        <summary>{i18n.t("compare.show")}</summary>
        <Findings {...list} />
      </details>
    </Section>
  );
}

function Findings({ findings, of }: FindingsProps) {
  return (
    <ul class="cards">
      {findings.map((finding, at) => (
        <li key={String(at)} class="finding" data-severity={finding.severity}>
          <FindingHead finding={finding} of={of} />
          <p>
            <Detail finding={finding} of={of} />
          </p>
        </li>
      ))}
    </ul>
  );
}

interface FindingProps {
  readonly finding: StoredFinding;
  readonly of: ScanRecord;
}

function FindingHead({ finding, of }: FindingProps) {
  const { i18n, settings } = useVisit();
  const { title } = textsOfFinding(finding, of.url, i18n.locale, settings.texts, quoted);
  return (
    <header>
      <h3>
        <a href={`/scans/${of.token}#${finding.code}`}>
          <Sentence text={title} />
        </a>
      </h3>
      <p class="chips">
        <SeverityChip severity={finding.severity} />
      </p>
    </header>
  );
}

interface ChangedListProps {
  readonly changed: readonly ChangedFinding[];
  readonly before: ScanRecord;
  readonly after: ScanRecord;
}

export function ChangedList({ changed, before, after }: ChangedListProps) {
  const i18n = useI18n();
  return (
    <Section id="changed" heading={i18n.count("compare.changed", changed.length)}>
      {changed.map((pair, at) => (
        <div key={String(at)} class="finding" data-severity={pair.after.severity}>
          <FindingHead finding={pair.after} of={after} />
          <dl>
            <dt>{i18n.t("compare.before")}</dt>
            <dd>
              <Detail finding={pair.before} of={before} />
            </dd>
            <dt>{i18n.t("compare.after")}</dt>
            <dd>
              <Detail finding={pair.after} of={after} />
            </dd>
          </dl>
        </div>
      ))}
    </Section>
  );
}

function Detail({ finding, of }: FindingProps) {
  const { i18n, settings } = useVisit();
  return <Sentence text={textsOfFinding(finding, of.url, i18n.locale, settings.texts, quoted).detail} />;
}

interface SectionProps {
  readonly id: string;
  readonly heading: string;
  readonly children: ComponentChildren;
}

export function Section({ id, heading, children }: SectionProps) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      {children}
    </section>
  );
}
