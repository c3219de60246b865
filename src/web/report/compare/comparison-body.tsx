/** Body of the comparison page: the two scans, counts by kind of change, then the findings. */

import { Notice } from "../../../report/components/notice.tsx";
import { useI18n } from "../../../report/context.ts";
import type { ScanRecord } from "../../../store/scans.ts";
import type { Comparison } from "../../../text/comparison.ts";
import type { I18n } from "../../../text/translator.ts";
import { PageHead } from "../../components/page-head.tsx";
import { useVisit } from "../../context.ts";
import { breadcrumbsTo } from "../head.tsx";
import { ChangedChecks } from "./changed-checks.tsx";
import { ChangedList, FindingList, Unchanged } from "./compared-findings.tsx";
import { CompareNotices, TwoScans } from "./two-scans.tsx";

interface ComparisonProps {
  readonly before: ScanRecord;
  readonly after: ScanRecord;
  /** Scan whose page the visitor came from. */
  readonly requested: ScanRecord;
  readonly comparison: Comparison;
}

export function ComparisonBody({ before, after, requested, comparison }: ComparisonProps) {
  const i18n = useI18n();
  const { appeared, fixed, changed, newlyChecked, noLongerChecked, unchanged } = comparison;
  return (
    <>
      <PageHead breadcrumbs={breadcrumbsTo(after, useVisit())} title={i18n.t("compare.heading")} lead={i18n.t("compare.lead")}>
        <a class="button" href={`/scans/${requested.token}`}>
          {i18n.t("compare.back")}
        </a>
      </PageHead>
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
      <Unchanged findings={unchanged} of={after} />
    </>
  );
}

/** Number of findings by kind of change, each linked to its section. */
function Overview({ comparison }: Pick<ComparisonProps, "comparison">) {
  const i18n = useI18n();
  const { appeared, fixed, changed, newlyChecked, noLongerChecked, unchanged, checks } = comparison;
  if ([appeared, fixed, changed, newlyChecked, noLongerChecked, checks].every((some) => some.length === 0)) {
    return (
      <Notice kind="good" title={i18n.t("compare.same")}>
        <p>{i18n.t("compare.sameMeans")}</p>
      </Notice>
    );
  }
  const counts = [
    { name: "appeared", count: appeared.length, id: "appeared" },
    { name: "fixed", count: fixed.length, id: "fixed" },
    { name: "changed", count: changed.length, id: "changed" },
    {
      name: "open",
      count: newlyChecked.length + noLongerChecked.length,
      id: newlyChecked.length > 0 ? "newlyChecked" : "noLongerChecked",
    },
    { name: "unchanged", count: unchanged.length, id: "unchanged" },
  ] as const;
  return (
    <nav aria-label={i18n.t("compare.overview")}>
      <ul class="filters">
        {counts.map(({ name, count, id }) => (
          <li key={name}>
            <a {...(count === 0 ? {} : { href: `#${id}` })}>
              <span class="count">{i18n.number(count)}</span>
              <span class="word">{i18n.t(`compare.counts.${name}`)}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function deltaText(delta: number | null, i18n: I18n): string {
  if (delta === null) return i18n.t("compare.delta.unknown");
  if (delta === 0) return i18n.t("compare.delta.same");
  return i18n.t(delta > 0 ? "compare.delta.up" : "compare.delta.down", { points: i18n.count("report.points", Math.abs(delta)) });
}
