/** `/scans/{token}/compare`: changes from the earlier to the later of two scans. */

import type { StoredFinding } from "../../../judge/result.ts";
import { Instant, SeverityChip, StateLabel } from "../../../report/components/labels.tsx";
import { FactRow, Section } from "../../../report/components/layout.tsx";
import { Notice } from "../../../report/components/notice.tsx";
import { SmallScore } from "../../../report/components/score-ring.tsx";
import { CheckLink, Sentence, UntrustedText } from "../../../report/components/untrusted-text.tsx";
import { useI18n } from "../../../report/context.ts";
import { shortHost } from "../../../report/report-head.tsx";
import { scanLocationOf } from "../../../store/scan-location.ts";
import type { ScanRecord } from "../../../store/scans.ts";
import { type ChangedFinding, type Comparison, compareResults } from "../../../text/comparison.ts";
import { quoted } from "../../../text/display.ts";
import { textsOfCheck, textsOfFinding } from "../../../text/render.ts";
import type { I18n } from "../../../text/translator.ts";
import { LinkButton } from "../../components/forms.tsx";
import { EmptyState, TextTable } from "../../components/sections.tsx";
import { useVisit } from "../../context.ts";
import { scanNotFoundPage } from "../../errors.ts";
import { page } from "../../page.tsx";
import type { Visit } from "../../visit.ts";
import { ScanAgain } from "../form.tsx";
import { endOf, scanHost } from "../list-query.ts";
import { notFinishedPage, otherLocationPage } from "./downloads.tsx";
import { breadcrumbsTo } from "./head.tsx";
import { comparableTo, earlierScans, resultOf } from "./stored-report.ts";

/**
 * `?with=previous` (the default) or `?with={token}`. Answers 409 if either scan is unfinished, or if they are from two locations.
 * @throws PageError 404 for an unknown token.
 */
export function comparePage(visit: Visit, scan: ScanRecord): Response {
  const other = otherScan(visit, scan);
  const unfinished = [scan, other].find((each) => each !== null && each.status !== "finished");
  if (unfinished !== undefined && unfinished !== null) return notFinishedPage(visit, unfinished);
  if (other === null) return nothingToCompare(visit, scan);
  if (scanLocationOf(scan) !== scanLocationOf(other)) return otherLocationPage(visit, scan);
  const [before, after] = scan.id < other.id ? [scan, other] : [other, scan];
  const { i18n } = visit;
  return page(visit, {
    title: i18n.t("compare.title", { host: shortHost(after.url) }),
    noIndex: !visit.settings.config["report.index"],
    head: {
      title: i18n.t("compare.heading"),
      lead: i18n.t("compare.lead"),
      breadcrumbs: breadcrumbsTo(after, visit),
      children: <LinkButton href={`/scans/${scan.token}`} text="compare.back" />,
    },
    children: <ComparisonBody before={before} after={after} comparison={compare(visit, before, after)} />,
  });
}

function otherScan(visit: Visit, scan: ScanRecord): ScanRecord | null {
  const partner = visit.url.searchParams.get("with") ?? "previous";
  if (partner === "previous") return comparableTo(scan, earlierScans(visit, scan));
  const other = visit.settings.store.scans.findByToken(partner);
  if (other === undefined) throw scanNotFoundPage();
  return other;
}

/** Compares findings by their rendered text, both with the URL of the later scan, since readers see nothing else. */
function compare(visit: Visit, before: ScanRecord, after: ScanRecord): Comparison {
  const [earlier, later] = [resultOf(visit, before), resultOf(visit, after)];
  const texts = new Map(
    [...earlier.findings, ...later.findings].map((finding) => {
      const { title, detail } = textsOfFinding(finding, after, visit.i18n.locale, visit.settings.texts);
      return [finding, `${title}\n${detail}`];
    }),
  );
  return compareResults(earlier, later, (one, other) => texts.get(one) === texts.get(other));
}

function nothingToCompare(visit: Visit, scan: ScanRecord): Response {
  const { i18n } = visit;
  return page(visit, {
    title: i18n.t("compare.noEarlier"),
    noIndex: true,
    head: { title: i18n.t("compare.heading"), breadcrumbs: breadcrumbsTo(scan, visit) },
    children: (
      <EmptyState title={i18n.t("compare.noEarlier")} text={i18n.t("compare.noEarlierMeans")}>
        <div class="actions">
          <ScanAgain scan={scan} submit="compare.rescan" />
          <LinkButton href={`/scans/${scan.token}`} text="compare.back" />
        </div>
      </EmptyState>
    ),
  });
}

interface ComparisonProps {
  readonly before: ScanRecord;
  readonly after: ScanRecord;
  readonly comparison: Comparison;
}

/** The two scans, counts by kind of change, then the findings. */
function ComparisonBody({ before, after, comparison }: ComparisonProps) {
  const i18n = useI18n();
  const { appeared, fixed, changed, newlyChecked, noLongerChecked, unchanged } = comparison;
  return (
    <>
      <TwoScans before={before} after={after} />
      <p>
        <strong>{deltaText(comparison.scoreDelta, i18n)}</strong>
      </p>
      <CompareNotices before={before} after={after} sameRules={comparison.sameRules} />
      <Overview comparison={comparison} />
      <FindingList id="appeared" findings={appeared} of={after} />
      <FindingList id="fixed" findings={fixed} of={before} />
      {changed.length > 0 && <ChangedList changed={changed} before={before} after={after} />}
      <FindingList id="newlyChecked" findings={newlyChecked} of={after} />
      <FindingList id="noLongerChecked" findings={noLongerChecked} of={before} />
      {comparison.checks.length > 0 && <ChangedChecks comparison={comparison} />}
      <FindingList id="unchanged" findings={unchanged} of={after} />
    </>
  );
}

const urlCharsMax = 300;

function TwoScans({ before, after }: Pick<ComparisonProps, "before" | "after">) {
  const i18n = useI18n();
  return (
    <TextTable
      caption="compare.heading"
      rows={[
        { name: i18n.t("compare.before"), scan: before },
        { name: i18n.t("compare.after"), scan: after },
      ]}
      columns={{
        "compare.what": ({ name }) => name,
        "compare.measured": ({ scan }) => (
          <a href={`/scans/${scan.token}`}>
            <Instant at={endOf(scan)} />
          </a>
        ),
        "compare.score": ({ scan: { summary } }) => <SmallScore score={summary?.score ?? null} />,
        "compare.address": ({ scan }) => <UntrustedText charsMax={urlCharsMax}>{scan.url}</UntrustedText>,
      }}
    />
  );
}

function deltaText(delta: number | null, i18n: I18n): string {
  if (delta === null) return i18n.t("compare.delta.unknown");
  if (delta === 0) return i18n.t("compare.delta.same");
  return i18n.t(delta > 0 ? "compare.delta.up" : "compare.delta.down", { points: i18n.count("report.points", Math.abs(delta)) });
}

/** Warnings about what limits the comparison. */
function CompareNotices({ before, after, sameRules }: Pick<ComparisonProps, "before" | "after"> & Pick<Comparison, "sameRules">) {
  const i18n = useI18n();
  const sameHost = scanHost(before) === scanHost(after);
  return (
    <>
      {!sameRules && <Notice kind="warn" title={i18n.t("compare.otherRules")} text={i18n.t("compare.otherRulesMeans")} />}
      {!sameHost && <Notice kind="warn" title={i18n.t("compare.otherHosts")} text={i18n.t("compare.otherHostsMeans")} />}
      {sameHost && before.url !== after.url && <Notice title={i18n.t("compare.otherUrls")} text={i18n.t("compare.otherUrlsMeans")} />}
    </>
  );
}

/** Number of findings by kind of change, each linked to its section. */
function Overview({ comparison }: Pick<ComparisonProps, "comparison">) {
  const i18n = useI18n();
  const { appeared, fixed, changed, newlyChecked, noLongerChecked, unchanged, checks } = comparison;
  if ([appeared, fixed, changed, newlyChecked, noLongerChecked, checks].every((some) => some.length === 0)) {
    return <Notice kind="good" title={i18n.t("compare.same")} text={i18n.t("compare.sameMeans")} />;
  }
  const counts = [
    { name: "appeared", count: appeared.length },
    { name: "fixed", count: fixed.length },
    { name: "changed", count: changed.length },
    {
      name: "open",
      count: newlyChecked.length + noLongerChecked.length,
      id: newlyChecked.length > 0 ? "newlyChecked" : "noLongerChecked",
    },
    { name: "unchanged", count: unchanged.length },
  ] as const;
  return (
    <nav aria-label={i18n.t("compare.overview")}>
      <ul class="filters">
        {counts.map(({ name, count, ...given }) => (
          <li key={name}>
            <a {...(count === 0 ? {} : { href: `#${"id" in given ? given.id : name}` })}>
              <span class="count">{i18n.number(count)}</span>
              <span class="word">{i18n.t(`compare.counts.${name}`)}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface FindingListProps {
  readonly id: "appeared" | "fixed" | "newlyChecked" | "noLongerChecked" | "unchanged";
  readonly findings: readonly StoredFinding[];
  /** Scan that reported them. */
  readonly of: ScanRecord;
}

/** Findings of one kind of change; null without one. Unchanged findings are folded. */
function FindingList({ id, findings, of }: FindingListProps) {
  const i18n = useI18n();
  if (findings.length === 0) return null;
  const list = (
    <ul class="cards">
      {findings.map((finding, at) => (
        <li key={String(at)} class="finding" data-severity={finding.severity}>
          <FindingHead finding={finding} of={of} />
          <p>
            <FindingText field="detail" finding={finding} of={of} />
          </p>
        </li>
      ))}
    </ul>
  );
  return (
    <Section id={id} title={i18n.count(`compare.${id}`, findings.length)}>
      {id !== "unchanged" ? (
        list
      ) : (
        <details>
          <summary>{i18n.t("compare.show")}</summary>
          {list}
        </details>
      )}
    </Section>
  );
}

interface ChangedListProps extends Pick<ComparisonProps, "before" | "after"> {
  readonly changed: readonly ChangedFinding[];
}

function ChangedList({ changed, before, after }: ChangedListProps) {
  const i18n = useI18n();
  return (
    <Section id="changed" title={i18n.count("compare.changed", changed.length)}>
      {changed.map((pair, at) => (
        <div key={String(at)} class="finding" data-severity={pair.after.severity}>
          <FindingHead finding={pair.after} of={after} />
          <dl>
            <FactRow name={i18n.t("compare.before")}>
              <FindingText field="detail" finding={pair.before} of={before} />
            </FactRow>
            <FactRow name={i18n.t("compare.after")}>
              <FindingText field="detail" finding={pair.after} of={after} />
            </FactRow>
          </dl>
        </div>
      ))}
    </Section>
  );
}

interface FindingProps {
  readonly finding: StoredFinding;
  readonly of: ScanRecord;
}

function FindingHead({ finding, of }: FindingProps) {
  return (
    <header>
      <h3>
        <a href={`/scans/${of.token}#${finding.code}`}>
          <FindingText field="title" finding={finding} of={of} />
        </a>
      </h3>
      <p class="chips">
        <SeverityChip severity={finding.severity} />
      </p>
    </header>
  );
}

function FindingText({ finding, of, field }: FindingProps & { readonly field: "title" | "detail" }) {
  const { i18n, settings } = useVisit();
  return <Sentence text={textsOfFinding(finding, of, i18n.locale, settings.texts, quoted)[field]} />;
}

/** Checks whose state changed between the two scans. */
function ChangedChecks({ comparison: { checks, checksUnchanged } }: Pick<ComparisonProps, "comparison">) {
  const { i18n, settings } = useVisit();
  const absent = <span class="muted">{i18n.t("compare.absent")}</span>;
  return (
    <Section id="checks" title={i18n.t("compare.checks")}>
      <TextTable
        caption="compare.checks"
        rows={checks}
        columns={{
          "compare.check": ({ key }) => <CheckLink checkKey={key}>{textsOfCheck(key, i18n.locale, settings.texts).label}</CheckLink>,
          "compare.before": ({ before }) => (before === null ? absent : <StateLabel state={before} />),
          "compare.after": ({ after }) => (after === null ? absent : <StateLabel state={after} />),
        }}
      />
      <p class="muted">{i18n.count("compare.checksSame", checksUnchanged)}</p>
    </Section>
  );
}
