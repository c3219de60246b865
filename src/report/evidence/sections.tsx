/** The evidence that the verdicts rest on: one collapsed section per part, and links from verdicts to these parts. */
import { type ComponentChildren, Fragment } from "preact";
import type { Evidence, Reading, ReadingName } from "../../evidence/evidence.ts";
import { type Facts, isReadingName } from "../../evidence/facts.ts";
import type { Timings } from "../../evidence/scan.ts";
import type { I18n, TextPath } from "../../text/translator.ts";
import { ReportSection } from "../components/layout.tsx";
import { useDocument, useI18n } from "../context.ts";
import type { Report, ReportArea } from "../report.ts";
import { ReadingContent, readingName, rowTable } from "./blocks.tsx";
import { dnsViews, mailViews, tlsViews } from "./network-views.tsx";
import { pageViews } from "./page-views.tsx";

/** Parts of the evidence in page order. */
const evidenceParts = [
  "navigation",
  "plainHttp",
  "headers",
  "crossOrigin",
  "cookies",
  "document",
  "requests",
  "scripts",
  "tls",
  "dns",
  "mail",
  "securityTxt",
  "timings",
] as const;
type EvidencePart = (typeof evidenceParts)[number];

interface ReadingView<F> {
  readonly part: EvidencePart;
  /** Heading above the facts: a text of the locale, or a name that is the same in all languages. */
  readonly heading?: TextPath | { readonly name: string };
  /** Shown only if this reading was read. */
  readonly needs?: ReadingName;
  /** Text beside the heading of the part, so that readers need not open it. */
  readonly hint?: (facts: F, i18n: I18n) => string;
  readonly show: (facts: F, i18n: I18n) => ComponentChildren;
}

type ViewsOf<N extends ReadingName> = { readonly [K in N]: ReadingView<Facts[K]> };

/** Views of facts that belong to another part than their reading. */
interface FurtherViews {
  readonly errorAnswer: ReadingView<Facts["navigation"]>;
  readonly cookies: ReadingView<Facts["page"]>;
}

const readingOfView: { readonly [V in keyof FurtherViews]: ReadingName } = { errorAnswer: "navigation", cookies: "page" };

export type Views = ViewsOf<ReadingName> & FurtherViews;

const views: Views = { ...pageViews, ...tlsViews, ...dnsViews, ...mailViews };

/** Element id of the heading. */
const headingId = "evidence";

export function EvidenceSections({ report: { scan, evidence, timings } }: { readonly report: Report }) {
  const { i18n, idOf } = useDocument();
  const parts = evidenceParts.filter((part) => part !== "timings" || timings !== null);
  return (
    <ReportSection headingId={headingId}>
      <h2 id={idOf(headingId)}>{i18n.t("evidence.heading")}</h2>
      <p class="muted">{evidence === null ? withoutEvidence(scan, i18n) : i18n.t("evidence.lead")}</p>
      {evidence !== null && parts.map((part) => <Part key={part} part={part} evidence={evidence} timings={timings ?? {}} />)}
    </ReportSection>
  );
}

function withoutEvidence({ removed }: Report["scan"], i18n: I18n): string {
  return removed?.evidence === undefined
    ? i18n.t("evidence.forgotten")
    : i18n.t("evidence.removed", { at: i18n.dateTime(removed.evidence) });
}

/** The id is inside `details`: browsers open a collapsed section when a URL fragment names an element in it. */
function Part({ part, evidence, timings }: { readonly part: EvidencePart; readonly evidence: Evidence; readonly timings: Timings }) {
  const { i18n, idOf } = useDocument();
  const shown = viewsIn(part, evidence);
  const hint = hintOf(shown, i18n);
  return (
    <details class="evidence">
      <summary>
        <h3>{i18n.t(`evidence.parts.${part}`)}</h3>
        {hint !== null && <span class="muted small"> {hint}</span>}
      </summary>
      <div id={idOf(evidenceId(part))}>
        {part === "timings" && timingTable(timings, i18n)}
        {shown.map(({ name, view, reading }) => (
          <View key={name} view={view} reading={reading} evidence={evidence} />
        ))}
      </div>
    </details>
  );
}

/** A view with its reading. */
interface ShownView {
  readonly name: string;
  readonly view: ReadingView<unknown>;
  readonly reading: Reading<unknown>;
}

function viewsIn(part: EvidencePart, evidence: Evidence): readonly ShownView[] {
  const all = Object.entries(views) as readonly (readonly [keyof typeof views, ReadingView<unknown>])[];
  return all.filter(([, view]) => view.part === part).map(([name, view]) => ({ name, view, reading: evidence[readingOf(name)] }));
}

function readingOf(name: keyof typeof views): ReadingName {
  return isReadingName(name) ? name : readingOfView[name];
}

function View({ view: { heading, needs, show }, reading, evidence }: Omit<ShownView, "name"> & { readonly evidence: Evidence }) {
  const i18n = useI18n();
  if (needs !== undefined && evidence[needs].status === "failed") return null;
  return (
    <>
      {heading !== undefined && <h4>{typeof heading === "string" ? i18n.t(heading) : heading.name}</h4>}
      <ReadingContent reading={reading}>{(facts) => show(facts, i18n)}</ReadingContent>
    </>
  );
}

/** Count or failure note beside a heading, so that readers need not open empty parts; null where the heading suffices. */
function hintOf(shown: readonly ShownView[], i18n: I18n): string | null {
  const counted = shown.filter(({ name }) => name !== "errorAnswer");
  const failures = counted.filter(({ reading }) => reading.status === "failed").length;
  if (failures > 0) return i18n.t(failures === counted.length ? "evidence.hints.notRead" : "evidence.hints.partly");
  const hints = counted.flatMap(({ view, reading }) => (reading.status === "read" ? (view.hint?.(reading.facts, i18n) ?? []) : []));
  return hints[0] ?? null;
}

function timingTable(timings: Timings, i18n: I18n) {
  const longestFirst = Object.entries(timings).toSorted(([, one], [, other]) => other - one);
  return (
    <>
      <p class="muted">{i18n.t("evidence.timings.lead")}</p>
      {rowTable(i18n.t("evidence.parts.timings"), longestFirst, [
        [i18n.t("evidence.timings.part"), ([name]) => timingName(i18n, name)],
        [i18n.t("evidence.timings.time"), ([, ms]) => `${i18n.number(Math.round(ms))} ms`, "numeric"],
      ])}
    </>
  );
}

const namedTimings = ["page", "favicon", "judge", "total"] as const;

/** Other timings carry the name of a reading. */
function timingName(i18n: I18n, name: string): string {
  const named = namedTimings.find((each) => each === name);
  return named === undefined ? readingName(i18n, name) : i18n.t(`evidence.timings.${named}`);
}

interface EvidenceLinksProps {
  /** Names of readings, and `headers.<name>`. */
  readonly names: readonly string[];
  /** Area of the check: cookie checks read `page` for its cookies, the others for its headers. */
  readonly area: ReportArea;
}

export function EvidenceLinks({ names, area }: EvidenceLinksProps) {
  const { i18n, idOf } = useDocument();
  const parts = new Set(names.flatMap((name) => partOf(name, area) ?? []));
  if (parts.size === 0) return null;
  return (
    <>
      {i18n.t("evidence.restsOn")}{" "}
      {[...parts].map((part, at) => (
        <Fragment key={part}>
          {at > 0 && ", "}
          <a href={`#${idOf(evidenceId(part))}`}>{i18n.t(`evidence.parts.${part}`)}</a>
        </Fragment>
      ))}
    </>
  );
}

function evidenceId(part: EvidencePart): string {
  return `evidence-${part}`;
}

function partOf(name: string, area: ReportArea): EvidencePart | undefined {
  if (name.startsWith("headers.")) return "headers";
  if (name === "page" && area === "cookies") return "cookies";
  return isReadingName(name) ? views[name].part : undefined;
}
