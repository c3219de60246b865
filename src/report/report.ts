/** Data of a report, from a result and its evidence, with texts in the language of the reader. */
import { type Area, areaOf, areas, type FindingTexts } from "../check/check.ts";
import { type Evidence, failed } from "../evidence/evidence.ts";
import { readingNames } from "../evidence/facts.ts";
import type { Timings } from "../evidence/scan.ts";
import type { LedgerRow, StoredFinding, StoredResult } from "../judge/result.ts";
import { hostOf } from "../parse/site.ts";
import type { FindingMark, FindingMarks } from "../policy/finding-mark.ts";
import { quoted } from "../text/display.ts";
import { type CostedFinding, countShownStates, findingCost, fixFirst, type ShownState } from "../text/ledger-rows.ts";
import { type CheckSummary, checkSummaryOf, fixedFinding, textsOfCheck, textsOfFinding } from "../text/render.ts";
import { guessServer, linesFor, type ServerName, serverNames } from "../text/servers/server-lines.ts";
import type { I18n } from "../text/translator.ts";
import type { ReportDocument } from "./context.ts";

/** `retired`: the check left the catalog, so its area is unknown. */
export type ReportArea = Area | "retired";
export const reportAreas: readonly ReportArea[] = [...areas, "retired"];

export interface ShownFinding extends CostedFinding {
  /** Quoted values are marked by `quoted`. */
  readonly texts: FindingTexts;
  /** Element id: the finding code, with a number from its second occurrence on. */
  readonly anchor: string;
  /** Lines for the chosen server; null if there are none. */
  readonly lines: string | null;
  readonly area: ReportArea;
  /** Names of readings and header fields that the verdict rests on. */
  readonly evidence: readonly string[];
  /** Whether its cap is the score: a lower score comes from elsewhere. */
  readonly limitsScore: boolean;
  /** Null if no earlier scan of the same URL ran the check. */
  readonly firstSeen: FirstSeen | null;
  /** Lines for servers that were not chosen, where the reader cannot choose. */
  readonly otherLines: readonly { readonly server: ServerName; readonly text: string }[];
  /** Mark of the policy; null without a policy. */
  readonly mark: FindingMark | null;
}

export interface ShownRow {
  readonly row: LedgerRow;
  readonly area: ReportArea;
  readonly label: string;
  /** Condition of `notApplicable`; null if the check always applies. */
  readonly whenNotApplicable: string | null;
  readonly findings: readonly ShownFinding[];
}

interface ReportedScan {
  readonly url: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** What retention has removed; ISO 8601, UTC. */
  readonly removed?: { readonly evidence?: string; readonly screenshot?: string } | undefined;
}

export interface Report {
  readonly scan: ReportedScan;
  readonly result: StoredResult;
  /** ASCII; an IPv6 address without brackets. */
  readonly host: string;
  readonly summary: CheckSummary;
  /** Counts of `summary`, with notes apart from violated rows. */
  readonly counts: Readonly<Record<ShownState, number>>;
  /** What to fix first. */
  readonly findings: readonly ShownFinding[];
  /** Ordered by area. */
  readonly rows: readonly ShownRow[];
  /** Server that lines are shown for. */
  readonly server: ChosenServer;
  /** Evidence; null after its retention time. */
  readonly evidence: Evidence | null;
  readonly timings: Timings | null;
}

interface ReportSource {
  readonly scan: ReportedScan;
  /** Findings in the order of `inFixOrder`. */
  readonly result: StoredResult;
  readonly evidence: Evidence | null;
  readonly timings: Timings | null;
  /** Server that the reader chose; null before a choice. */
  readonly serverPreference: ServerPreference | null;
  /** Earlier scans of the same URL, newest first. */
  readonly earlier: readonly EarlierScan[];
  readonly marks: FindingMarks;
  /** Gives lines for the servers that were not chosen too. */
  readonly allServers: boolean;
}

/** What the texts of a report depend on. */
type ReportTexts = Pick<ReportDocument, "i18n" | "texts" | "checks">;

export function composeReport({ scan, result, timings, ...source }: ReportSource, reader: ReportTexts): Report {
  const evidence = source.evidence === null ? null : withEveryReading(source.evidence);
  const server: ChosenServer = chosenServer(source.serverPreference, evidence);
  const findings = shownFindings({ ...source, scan, result, server }, reader);
  return {
    scan,
    result,
    host: hostOf(scan.url) ?? scan.url,
    summary: checkSummaryOf(result.ledger),
    counts: countShownStates(result.ledger),
    findings,
    rows: shownRows(result, findings, reader),
    server,
    evidence,
    timings,
  };
}

/** Adds readings that an older version did not take, as "not asked". */
function withEveryReading(evidence: Evidence): Evidence {
  const notAsked = Object.fromEntries(readingNames.map((name) => [name, failed("not-asked")]));
  return { ...notAsked, ...evidence };
}

/** Area by the current catalog, which may differ from the catalog of the scan. */
function reportAreaOf({ checks }: ReportTexts, key: string): ReportArea {
  const check = checks.find((each) => each.key === key);
  return check === undefined ? "retired" : areaOf(check);
}

type FindingsSource = Omit<ReportSource, "timings" | "serverPreference"> & { readonly server: ChosenServer };

function shownFindings({ scan: { url }, result, server, ...source }: FindingsSource, reader: ReportTexts): readonly ShownFinding[] {
  const { i18n, texts, checks } = reader;
  const others = source.allServers ? serverNames.filter((name) => name !== server.name) : [];
  const rows = new Map(result.ledger.map((row) => [row.key, row]));
  const anchors = new Map<string, number>();
  const page = { url, draft: result.draft };
  return result.findings.map((finding): ShownFinding => {
    const row = rows.get(finding.checkKey);
    const occurrence = (anchors.get(finding.code) ?? 0) + 1;
    anchors.set(finding.code, occurrence);
    const { fixes, values } = fixedFinding(finding, page, texts);
    const cost = findingCost(finding, result, checks);
    return {
      finding,
      texts: textsOfFinding(finding, page, i18n.locale, texts, quoted),
      anchor: occurrence === 1 ? finding.code : `${finding.code}-${occurrence}`,
      lines: server.name === "explain" ? null : linesFor(server.name, fixes, values),
      area: reportAreaOf(reader, finding.checkKey),
      evidence: source.evidence === null ? [] : (row?.evidence ?? []),
      ...cost,
      limitsScore: cost.scoreCap !== null && cost.scoreCap === result.score,
      firstSeen: firstSeen(finding, source.earlier),
      otherLines: others.flatMap((other) => {
        const text = linesFor(other, fixes, values);
        return text === null ? [] : [{ server: other, text }];
      }),
      mark: source.marks.get(finding.code) ?? null,
    };
  });
}

function shownRows({ ledger }: StoredResult, findings: readonly ShownFinding[], reader: ReportTexts): readonly ShownRow[] {
  const { i18n, texts } = reader;
  const byKey = Map.groupBy(findings, ({ finding }) => finding.checkKey);
  const rows = ledger.map((row): ShownRow => {
    return {
      row,
      area: reportAreaOf(reader, row.key),
      label: textsOfCheck(row.key, i18n.locale, texts).label,
      whenNotApplicable: texts.translate(i18n.locale, ["checks", row.key, "notApplicable"]),
      findings: byKey.get(row.key) ?? [],
    };
  });
  return rows.toSorted((one, other) => reportAreas.indexOf(one.area) - reportAreas.indexOf(other.area));
}

/** Findings to fix first. Accepted findings are left out. */
export function firstToFix(findings: readonly ShownFinding[]): readonly ShownFinding[] {
  return fixFirst(findings.filter(isOpen));
}

/** Whether the finding counts, since it is not accepted. */
export function isOpen({ mark }: ShownFinding): boolean {
  return mark?.accepted == null;
}

export function areaName(i18n: I18n, area: ReportArea): string {
  return area === "retired" ? i18n.t("report.ledger.retired") : i18n.t(`checks.areas.${area}`);
}

/** Checks and findings of an earlier scan, indexed once for all findings of the report. */
export interface EarlierScan {
  /** End of that scan; ISO 8601, UTC. */
  readonly at: string;
  readonly token: string;
  /** Keys of checks that ran or were not applicable. */
  readonly checkedKeys: ReadonlySet<string>;
  readonly codes: ReadonlySet<string>;
}

export function earlierScan(at: string, token: string, { ledger, findings }: StoredResult): EarlierScan {
  return {
    at,
    token,
    checkedKeys: new Set(ledger.flatMap(({ key, state }) => (state === "notChecked" ? [] : [key]))),
    codes: new Set(findings.map(({ code }) => code)),
  };
}

export type FirstSeen =
  /** The previous scan ran the check without this finding. */
  | { readonly seen: "now" }
  /** Continuously since that scan. `orEarlier`: every examined scan that ran the check had it. */
  | { readonly seen: "before"; readonly at: string; readonly token: string; readonly orEarlier: boolean };

/** `earlier`: newest first. Scans that did not run the check are skipped. Null if none ran it. */
export function firstSeen({ code, checkKey }: Pick<StoredFinding, "code" | "checkKey">, earlier: readonly EarlierScan[]): FirstSeen | null {
  const scans = earlier.filter(({ checkedKeys }) => checkedKeys.has(checkKey));
  const firstWithout = scans.findIndex(({ codes }) => !codes.has(code));
  if (scans.length === 0) return null;
  const oldest = scans[(firstWithout < 0 ? scans.length : firstWithout) - 1];
  return oldest === undefined ? { seen: "now" } : { seen: "before", at: oldest.at, token: oldest.token, orEarlier: firstWithout < 0 };
}

/** Server that remediations show lines for; `explain` shows none. */
export type ServerPreference = ServerName | "explain";

export interface ChosenServer {
  readonly name: ServerPreference;
  /** Whether a header of the site names it. */
  readonly guessed: boolean;
}

/** Most common server, for sites whose headers name no server. */
const defaultServer = "nginx";

/** Headers that name a product, in the order of their weight: X-Powered-By names the application behind the server. */
const namingHeaders = ["server", "x-powered-by"];

/**
 * Chooses the server whose lines a report shows: the choice of the reader, else the server that the main response names (Server, then
 * X-Powered-By), else nginx. `preference` is null before the reader has chosen; `evidence` is null where none is stored.
 */
export function chosenServer<P extends ServerPreference = never>(
  preference: P | null,
  evidence: Evidence | null,
): { readonly name: P | ServerName; readonly guessed: boolean } {
  if (preference !== null) return { name: preference, guessed: false };
  const headers = evidence?.page.status === "read" ? evidence.page.facts.headers : [];
  for (const naming of namingHeaders) {
    const guess = guessServer(headers.find(({ name }) => name.toLowerCase() === naming)?.value ?? null);
    if (guess !== null) return { name: guess, guessed: true };
  }
  return { name: defaultServer, guessed: false };
}
