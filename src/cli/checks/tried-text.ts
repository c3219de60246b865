/** Verdict of one check as text: what it read, why the row has its state, and its findings in both languages. */
import type { TriedVerdict } from "../../authoring/try-check.ts";
import { type CheckTexts, locales } from "../../check/check.ts";
import type { Evidence } from "../../evidence/evidence.ts";
import type { LedgerRow, StoredFinding } from "../../judge/result.ts";
import { fieldsNamed } from "../../parse/header-fields.ts";
import { createTexts, type Texts } from "../../text/i18n.ts";
import { fixedFinding, textsOfFinding } from "../../text/render.ts";
import { withServerLines } from "../../text/servers/server-lines.ts";
import { stripControls } from "../terminal.ts";

const valueCharsShownMax = 200;

export function triedText(tried: TriedVerdict, evidence: Evidence): string {
  const { definition, result } = tried;
  const { subject } = evidence;
  const [row] = result.ledger;
  if (row === undefined) throw new Error("the result has no row");
  const texts = textsOf(tried);
  return [
    stripControls(`${definition.key} on ${subject.url}, scanned at ${subject.scannedAt}`),
    `${row.state}${reasonOf(row, tried)}`,
    ...inputLines(tried, evidence),
    ...result.findings.flatMap((finding) => findingLines(finding, subject.url, tried, texts)),
  ].join("\n");
}

/** Texts of the check alone. Locales without texts, and incomplete ones, are left out: the faults name them. */
function textsOf({ definition, texts }: TriedVerdict): Texts {
  const ofLocale = (own: CheckTexts | undefined): Record<string, CheckTexts> => {
    return typeof own?.findings === "object" && own.findings !== null ? { [definition.key]: own } : {};
  };
  return createTexts({ "en-gb": ofLocale(texts["en-gb"]), "de-de": ofLocale(texts["de-de"]) }, [definition]);
}

function reasonOf({ state, notCheckedBecause, charged }: LedgerRow, { definition, judged }: TriedVerdict): string {
  if (state === "violated" && !Number.isFinite(charged)) return "";
  if (state === "violated")
    return definition.weight === 0
      ? ", as a note without effect on the score"
      : `, charges ${charged} ${charged === 1 ? "point" : "points"}`;
  if (state === "notApplicable")
    return judged ? ": judge returned notApplicable()" : `: the page does not meet appliesTo (${definition.appliesTo?.join(", ")})`;
  if (state === "passed") return "";
  return `: ${explanationOf(notCheckedBecause ?? "check-undecided")}`;
}

function explanationOf(because: string): string {
  if (because === "check-undecided") return "judge returned notChecked()";
  if (because === "check-failed") return "judge threw, or returned no verdict";
  if (because === "header-truncated") return "a header of `headers` is longer than the limit, so judge was not called";
  if (because === "headers-dropped") return "the answer has too many headers, so judge was not called";
  const [name, failure] = because.split(": ");
  return `the reading ${name} failed (${failure}), so judge was not called`;
}

/** Readings and headers that the check declares, as this page has them. */
function inputLines({ definition }: TriedVerdict, evidence: Evidence): readonly string[] {
  const { reads, consults = [], headers = [], headersFrom = "page" } = definition;
  const readings = [...reads, ...consults].map((name) => {
    const reading = evidence[name];
    return `  ${name}: ${reading.status === "read" ? "read" : `failed (${reading.because})`}`;
  });
  const { page } = evidence;
  if (page.status === "failed" || headersFrom !== "page") return readings;
  const fields = headers.flatMap((name) => {
    const named = fieldsNamed(page.facts.headers, name);
    if (named.length === 0) return [`  header ${name}: not sent`];
    return named.map(({ value, truncated }) => `  header ${name}: ${shownValue(value)}${truncated ? " (cut at the limit)" : ""}`);
  });
  return [...readings, ...fields];
}

function findingLines(finding: StoredFinding, url: string, { texts: own }: TriedVerdict, texts: Texts): readonly string[] {
  const { code, severity, riskLevel, effort, values } = finding;
  const quoted = Object.entries(values).map(([name, value]) => `    ${stripControls(name)} = ${shownValue(value)}`);
  const rendered = locales.flatMap((locale) => {
    if (own[locale]?.findings?.[code] === undefined) return [`  ${locale}: no texts`];
    const { remediation, ...others } = textsOfFinding(finding, url, locale, texts);
    const { fixes, values: filled } = fixedFinding(finding, url, texts);
    const lines = [others.title, others.detail, others.riskStatement, ...withServerLines(remediation, fixes, filled).split("\n")];
    return [`  ${locale}`, ...lines.map((line) => `    ${stripControls(line)}`)];
  });
  return [
    "",
    `${code}: severity ${severity}, risk ${riskLevel}, effort ${effort}`,
    ...(quoted.length === 0 ? [] : ["  values", ...quoted]),
    ...rendered,
  ];
}

function shownValue(value: string | number): string {
  const text = JSON.stringify(value);
  return stripControls(text.length > valueCharsShownMax ? `${text.slice(0, valueCharsShownMax)}...` : text);
}
