/** Short facts inside a line: severity, effort, state, time, days left and location. */
import type { Effort, Severity } from "../../check/check.ts";
import { localLocation } from "../../parse/location.ts";
import type { ShownState } from "../../text/ledger-rows.ts";
import { capitalised, type I18n } from "../../text/translator.ts";
import { useDocument, useI18n } from "../context.ts";

/** Critical is inverted, high is filled, the rest is outlined: distinct without colour. */
const severityStyles = {
  critical: "poor solid",
  high: "poor",
  medium: "warn outlined",
  low: "unknown outlined",
  info: "unknown outlined",
} as const satisfies Record<Severity, string>;

interface SeverityChipProps {
  readonly severity: Severity;
  /** Number of findings, shown before the word. */
  readonly count?: number;
}

export function SeverityChip({ severity, count }: SeverityChipProps) {
  const i18n = useI18n();
  const name = i18n.severity(severity);
  return <span class={`chip ${severityStyles[severity]}`}>{count === undefined ? name : `${i18n.number(count)} ${name}`}</span>;
}

const levels = { low: 1, medium: 2, high: 3 } as const satisfies Record<Effort, number>;

export function EffortMeter({ effort }: { readonly effort: Effort }) {
  const i18n = useI18n();
  return (
    <span class="meter" data-level={levels[effort]}>
      {i18n.t("components.effort", { effort: i18n.effort(effort) })}
    </span>
  );
}

/** The mark is drawn by the style sheet: a report has dozens of labels, and drawn icons would be half of its elements. */
const styles = {
  passed: ["", "good"],
  violated: ["!", "poor"],
  note: ["i", "unknown"],
  notChecked: ["?", "unknown"],
  notApplicable: ["\u2013", "unknown"],
} as const satisfies Record<ShownState, readonly [string, string]>;

export function StateLabel({ state }: { readonly state: ShownState }) {
  return <MarkedText as={state} text={useI18n().state(state)} />;
}

interface MarkedTextProps {
  /** State whose mark and colour the text gets. */
  readonly as: ShownState;
  readonly text: string;
}

export function MarkedText({ as, text }: MarkedTextProps) {
  const [mark, colour] = styles[as];
  return (
    <span class={`state ${colour}`} data-mark={mark}>
      {capitalised(text, useI18n())}
    </span>
  );
}

/** Days from which the end of a certificate is marked. */
const markedDays = { warn: 30, poor: 7 } as const;

/** `days`: whole ones, negative after the end. */
export function DaysLeft({ days }: { readonly days: number }) {
  const i18n = useI18n();
  if (days < 0) return <strong class="poor">{i18n.t("sites.certificate.expired")}</strong>;
  const kind = days < markedDays.poor ? "poor" : days < markedDays.warn ? "warn" : undefined;
  return <span class={kind}>{i18n.count("sites.certificate.days", days)}</span>;
}

interface InstantProps {
  /** ISO 8601. */
  readonly at: string;
  /** Shows only the date. */
  readonly day?: boolean;
  /** Adds the relative time, on a page. */
  readonly relative?: boolean;
}

export function Instant({ at, day = false, relative = true }: InstantProps) {
  const { i18n, live } = useDocument();
  const time = <time dateTime={at}>{day ? i18n.date(at) : i18n.dateTime(at)}</time>;
  if (!relative || !live) return time;
  return (
    <span>
      {time} <Ago at={at} />
    </span>
  );
}

/** Relative time, filled in by the script: the HTML itself may be cached. */
export function Ago({ at }: Pick<InstantProps, "at">) {
  return <span class="ago muted" data-ago={at} />;
}

interface LocationProps {
  readonly location: string;
}

/** Continues a line of facts with a separator. */
export function LocationFact({ location }: LocationProps) {
  const i18n = useI18n();
  return location === localLocation ? null : ` \u00b7 ${i18n.t("location.of", { location })}`;
}

/** Line of its own in a list. */
export function LocationMark({ location }: LocationProps) {
  const i18n = useI18n();
  return location === localLocation ? null : <span class="location small muted">{i18n.t("location.of", { location })}</span>;
}

/** Beside the confirmed state of a watched site, while a second look at a regression is due. `count`: its findings; undefined for no look. */
export function Unconfirmed({ count }: { readonly count: number | undefined }) {
  const i18n = useI18n();
  return count === undefined ? null : <span class="small muted">{unconfirmedText(i18n, count)}</span>;
}

export function unconfirmedText(i18n: I18n, count = 0): string {
  return count === 0 ? i18n.t("sites.unconfirmed.score") : i18n.count("sites.unconfirmed.findings", count);
}
