/** `/scans/{token}/compare`: what has changed between two scans, from the earlier to the later one. */
import type { ComponentChildren } from "preact";
import { severities } from "../../check/check.ts";
import { subjectOf } from "../../evidence/subject.ts";
import type { StoredFinding } from "../../judge/result.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { type ChangedFinding, type Comparison, compareResults } from "../../text/comparison.ts";
import { quoted } from "../../text/quotation.ts";
import { textsOfCheck, textsOfFinding } from "../../text/render.ts";
import { page } from "../answer.tsx";
import { SeverityChip } from "../components/chips.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Foreign, Sentence } from "../components/foreign.tsx";
import { Instant } from "../components/instant.tsx";
import { Notice } from "../components/notice.tsx";
import { PageHead } from "../components/page-head.tsx";
import { SmallScore } from "../components/score-ring.tsx";
import { StateMark } from "../components/state-mark.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { Row, RowGroup, Table } from "../components/table.tsx";
import { useVisit, useWords } from "../context.ts";
import { scanNotFound } from "../errors.ts";
import { Form } from "../form.tsx";
import { hostPath } from "../scans/host-name.ts";
import type { Visit } from "../visit.ts";
import type { Words } from "../words.ts";
import { shortHost } from "./head.tsx";
import { notFinishedPage } from "./not-finished.tsx";
import { checkOf, earlierScans, resultOf } from "./report.ts";

const urlCharsMax = 300;

/** `?with=previous`, which also goes without saying, or `?with={token}`. 409 where one of them is not finished. @throws PageError 404 for a token of no scan. */
export function comparePage(visit: Visit, scan: ScanRecord): Response {
  const other = otherScan(visit, scan);
  const unfinished = [scan, other].find((each) => each !== null && each.status !== "finished");
  if (unfinished !== undefined && unfinished !== null) return notFinishedPage(visit, unfinished);
  if (other === null) return nothingToCompare(visit, scan);
  const [before, after] = scan.id < other.id ? [scan, other] : [other, scan];
  return page(visit, {
    title: visit.words.say("compare.title", { host: shortHost(after.url) }),
    noIndex: !visit.settings.reports.indexed,
    children: <ComparisonBody before={before} after={after} asked={scan} comparison={compare(visit, before, after)} />,
  });
}

function otherScan(visit: Visit, scan: ScanRecord): ScanRecord | null {
  const asked = visit.url.searchParams.get("with") ?? "previous";
  if (asked === "previous") {
    const earlier = earlierScans(visit, scan);
    return earlier.find(({ url }) => url === scan.url) ?? earlier[0] ?? null;
  }
  const other = visit.settings.store.scanByToken(asked);
  if (other === undefined) throw scanNotFound();
  return other;
}

/** Two findings say the same when a reader would not tell them apart; both are told of the later URL. */
function compare(visit: Visit, before: ScanRecord, after: ScanRecord): Comparison {
  const told = (finding: StoredFinding) => {
    const { title, detail } = textsOfFinding(finding, after.url, visit.words.locale, visit.settings.texts);
    return `${title}\n${detail}`;
  };
  return compareResults(resultOf(visit, before), resultOf(visit, after), (one, other) => told(one) === told(other));
}

function nothingToCompare(visit: Visit, scan: ScanRecord): Response {
  const { words } = visit;
  return page(visit, {
    title: words.say("compare.noEarlier"),
    noIndex: true,
    children: (
      <>
        <PageHead trail={trailTo(scan, words)} title={words.say("compare.heading")} />
        <EmptyState title={words.say("compare.noEarlier")}>
          <p>{words.say("compare.noEarlierMeans")}</p>
          <div class="actions">
            <Form action="/scans">
              <input type="hidden" name="url" value={scan.url} />
              <SubmitButton>{words.say("compare.rescan")}</SubmitButton>
            </Form>
            <a class="button" href={`/scans/${scan.token}`}>
              {words.say("compare.back")}
            </a>
          </div>
        </EmptyState>
      </>
    ),
  });
}

/** The pages above a comparison. */
function trailTo({ url }: ScanRecord, words: Words) {
  const { host } = subjectOf(url, "");
  return [
    { href: "/scans", text: words.say("report.trail") },
    { href: hostPath(host), text: host },
  ];
}

interface ComparisonProps {
  readonly before: ScanRecord;
  readonly after: ScanRecord;
  /** The one in whose name it was asked for. */
  readonly asked: ScanRecord;
  readonly comparison: Comparison;
}

function ComparisonBody({ before, after, asked, comparison }: ComparisonProps) {
  const words = useWords();
  const { appeared, fixed, changed, firstLookedAt, noLongerLookedAt, unchanged } = comparison;
  return (
    <>
      <PageHead trail={trailTo(after, words)} title={words.say("compare.heading")} lead={words.say("compare.lead")}>
        <a class="button" href={`/scans/${asked.token}`}>
          {words.say("compare.back")}
        </a>
      </PageHead>
      <TwoScans before={before} after={after} />
      <p>
        <strong>{deltaWords(comparison.scoreDelta, words)}</strong>
      </p>
      <CompareNotices before={before} after={after} sameRules={comparison.sameRules} />
      <Overview comparison={comparison} />
      <FindingList id="appeared" findings={appeared} of={after} />
      <FindingList id="fixed" findings={fixed} of={before} />
      {changed.length > 0 && <ChangedList changed={changed} before={before} after={after} />}
      <FindingList id="firstLookedAt" findings={firstLookedAt} of={after} />
      <FindingList id="noLongerLookedAt" findings={noLongerLookedAt} of={before} />
      {comparison.checks.length > 0 && <ChangedChecks comparison={comparison} />}
      <Unchanged findings={unchanged} of={after} />
    </>
  );
}

/** How many findings became what; each count leads to them. */
function Overview({ comparison }: Pick<ComparisonProps, "comparison">) {
  const words = useWords();
  const { appeared, fixed, changed, firstLookedAt, noLongerLookedAt, unchanged, checks } = comparison;
  if ([appeared, fixed, changed, firstLookedAt, noLongerLookedAt, checks].every((some) => some.length === 0)) {
    return (
      <Notice kind="good" title={words.say("compare.same")}>
        <p>{words.say("compare.sameMeans")}</p>
      </Notice>
    );
  }
  const counts = [
    { name: "appeared", count: appeared.length, id: "appeared" },
    { name: "fixed", count: fixed.length, id: "fixed" },
    { name: "changed", count: changed.length, id: "changed" },
    {
      name: "open",
      count: firstLookedAt.length + noLongerLookedAt.length,
      id: firstLookedAt.length > 0 ? "firstLookedAt" : "noLongerLookedAt",
    },
    { name: "unchanged", count: unchanged.length, id: "unchanged" },
  ] as const;
  return (
    <nav aria-label={words.say("compare.overview")}>
      <ul class="filters">
        {counts.map(({ name, count, id }) => (
          <li key={name}>
            <a {...(count === 0 ? {} : { href: `#${id}` })}>
              <span class="count">{words.number(count)}</span>
              <span class="word">{words.say(`compare.counts.${name}`)}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function deltaWords(delta: number | null, words: Words): string {
  if (delta === null) return words.say("compare.delta.unknown");
  if (delta === 0) return words.say("compare.delta.same");
  return words.say(delta > 0 ? "compare.delta.up" : "compare.delta.down", { points: words.count("report.points", Math.abs(delta)) });
}

function TwoScans({ before, after }: { readonly before: ScanRecord; readonly after: ScanRecord }) {
  const words = useWords();
  const scans = [
    { name: words.say("compare.before"), scan: before },
    { name: words.say("compare.after"), scan: after },
  ];
  return (
    <Table
      caption={words.say("compare.heading")}
      captionUnseen
      columns={[
        { label: words.say("compare.what"), header: true },
        { label: words.say("compare.measured") },
        { label: words.say("compare.score") },
        { label: words.say("compare.address") },
      ]}
    >
      <RowGroup>
        {scans.map(({ name, scan }) => (
          <Row
            key={scan.token}
            cells={[
              name,
              <a key="when" href={`/scans/${scan.token}`}>
                <Instant at={scan.endedAt ?? scan.createdAt} />
              </a>,
              <SmallScore key="score" score={scan.summary?.score ?? null} band={scan.summary?.band ?? "unknown"} />,
              <Foreign key="address" charsMax={urlCharsMax}>
                {scan.url}
              </Foreign>,
            ]}
          />
        ))}
      </RowGroup>
    </Table>
  );
}

interface CompareNoticesProps {
  readonly before: ScanRecord;
  readonly after: ScanRecord;
  readonly sameRules: boolean;
}

function CompareNotices({ before, after, sameRules }: CompareNoticesProps) {
  const words = useWords();
  const sameHost = subjectOf(before.url, "").host === subjectOf(after.url, "").host;
  return (
    <>
      {!sameRules && (
        <Notice kind="warn" title={words.say("compare.otherRules")}>
          <p>{words.say("compare.otherRulesMeans")}</p>
        </Notice>
      )}
      {!sameHost && (
        <Notice kind="warn" title={words.say("compare.otherHosts")}>
          <p>{words.say("compare.otherHostsMeans")}</p>
        </Notice>
      )}
      {sameHost && before.url !== after.url && (
        <Notice title={words.say("compare.otherUrls")}>
          <p>{words.say("compare.otherUrlsMeans")}</p>
        </Notice>
      )}
    </>
  );
}

interface FindingsProps {
  readonly findings: readonly StoredFinding[];
  /** The scan that found them. */
  readonly of: ScanRecord;
}

type ListName = "appeared" | "fixed" | "firstLookedAt" | "noLongerLookedAt";

function FindingList({ id, ...given }: FindingsProps & { readonly id: ListName }) {
  const words = useWords();
  if (given.findings.length === 0) return null;
  return (
    <Section id={id} heading={words.count(`compare.${id}`, given.findings.length)}>
      <Findings {...given} />
    </Section>
  );
}

function Unchanged(given: FindingsProps) {
  const words = useWords();
  if (given.findings.length === 0) return null;
  return (
    <Section id="unchanged" heading={words.count("compare.unchanged", given.findings.length)}>
      <details>
        <summary>{words.say("compare.show")}</summary>
        <Findings {...given} />
      </details>
    </Section>
  );
}

interface SectionProps {
  readonly id: string;
  readonly heading: string;
  readonly children: ComponentChildren;
}

function Section({ id, heading, children }: SectionProps) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      {children}
    </section>
  );
}

/** Worst first. */
function Findings({ findings, of }: FindingsProps) {
  const worstFirst = findings.toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity));
  return (
    <ul class="cards">
      {worstFirst.map((finding, at) => (
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
  const { words, settings } = useVisit();
  const { title } = textsOfFinding(finding, of.url, words.locale, settings.texts, quoted);
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

function ChangedList({
  changed,
  before,
  after,
}: {
  readonly changed: readonly ChangedFinding[];
  readonly before: ScanRecord;
  readonly after: ScanRecord;
}) {
  const words = useWords();
  return (
    <Section id="changed" heading={words.count("compare.changed", changed.length)}>
      {changed.map((pair, at) => (
        <div key={String(at)} class="finding" data-severity={pair.after.severity}>
          <FindingHead finding={pair.after} of={after} />
          <dl>
            <dt>{words.say("compare.before")}</dt>
            <dd>
              <Detail finding={pair.before} of={before} />
            </dd>
            <dt>{words.say("compare.after")}</dt>
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
  const { words, settings } = useVisit();
  return <Sentence text={textsOfFinding(finding, of.url, words.locale, settings.texts, quoted).detail} />;
}

function ChangedChecks({ comparison: { checks, checksUnchanged } }: { readonly comparison: Comparison }) {
  const visit = useVisit();
  const { words, settings } = visit;
  const absent = <span class="muted">{words.say("compare.absent")}</span>;
  return (
    <Section id="checks" heading={words.say("compare.checks")}>
      <Table
        caption={words.say("compare.checks")}
        captionUnseen
        columns={[
          { label: words.say("compare.check"), header: true },
          { label: words.say("compare.before") },
          { label: words.say("compare.after") },
        ]}
      >
        <RowGroup>
          {checks.map(({ key, before, after }) => (
            <Row
              key={key}
              cells={[
                checkOf(visit, key) === undefined ? (
                  <Foreign key="check">{key}</Foreign>
                ) : (
                  <a key="check" href={`/checks/${key}`}>
                    {textsOfCheck(key, words.locale, settings.texts).label}
                  </a>
                ),
                before === null ? absent : <StateMark key="before" state={before} />,
                after === null ? absent : <StateMark key="after" state={after} />,
              ]}
            />
          ))}
        </RowGroup>
      </Table>
      <p class="muted">{words.count("compare.checksSame", checksUnchanged)}</p>
    </Section>
  );
}
