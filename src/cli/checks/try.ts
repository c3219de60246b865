/** `assay checks try`: judges one page with one check, and shows everything about the verdict. */
import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { workerFiles } from "../../app/placement.ts";
import { catalogOptions } from "../../app/scanning.ts";
import { authoredChecksAt } from "../../authoring/check-folders.ts";
import { readEvidenceFile } from "../../authoring/evidence-file.ts";
import { runAuthorTaskInThread } from "../../authoring/run-author-task.ts";
import { type TriedVerdict, tryCheck } from "../../authoring/try-check.ts";
import { builtInCatalog } from "../../catalog/catalog.ts";
import { type CheckTexts, locales } from "../../check/check.ts";
import type { Evidence } from "../../evidence/evidence.ts";
import type { LedgerRow, StoredFinding } from "../../judge/result.ts";
import { fieldsNamed } from "../../parse/header-fields.ts";
import { createTexts, type Texts } from "../../text/i18n.ts";
import { fixedFinding, textsOfFinding } from "../../text/render.ts";
import { withServerLines } from "../../text/servers/server-lines.ts";
import { command } from "../command.ts";
import { captureSettings, captureUrl } from "../evidence.ts";
import { type ExitCode, exitCodes, usageError } from "../exit.ts";
import { adviceOnName } from "../input.ts";
import { urlsFrom } from "../scan/targets.ts";
import { configOf, settingOptions } from "../settings.ts";
import { print, printError, quotedText, stripControls } from "../terminal.ts";
import { faultLine, watchFolders } from "./author.ts";

export const tryOne = command({
  name: "try",
  summary: "Judge a page with one check: verdict, values, texts in both languages, and why it was not checked.",
  arguments: {
    "<check>": "file of a check, its folder, or the key of a check",
    "<page>": "URL, which is captured once, or a file with evidence or a full report",
  },
  options: {
    "--watch": "run again after every save, until interrupted",
    ...settingOptions(["locale.default", "checks.dir", ...captureSettings]),
  },
  help: `
Examples:
  assay checks try acme-build.ts https://example.com
  assay checks try acme-build.ts example.json --watch   again after every save
  assay checks try content-security-policy report.json  a built-in check

Exit codes: 0 the check has judged, 1 it is broken or a server would refuse it, 2 it cannot be loaded, 3 the page cannot be reached.`,
  run: async ({ check, page, watch, quiet }, parsed): Promise<ExitCode> => {
    const config = configOf(parsed);
    const tried = checkNamed(check, catalogOptions(config).checksDir ?? "");
    const isFile = existsSync(page) || page.endsWith(".json");
    const captured = isFile ? null : await captureUrl((await urlsFrom([page]))[0] ?? "", config, quiet);
    const run = () => tryOn(tried, captured ?? readEvidenceFile(page));
    const folders = [...("file" in tried ? [dirname(tried.file)] : []), ...(isFile ? [dirname(resolve(page))] : [])];
    return watch === true ? watchFolders(() => [...new Set(folders)], run) : run();
  },
});

/** Characters of a name shown in an error. */
const nameCharsMax = 100;

type TriedName = { readonly file: string } | { readonly builtInKey: string };

/** @throws CliError if there is no such check. */
function checkNamed(name: string, checksDir: string): TriedName {
  const [own, another] = [name, `${name}.ts`, `${name}.js`].filter(existsSync).flatMap((path) => authoredChecksAt(path));
  if (another !== undefined && existsSync(name) && statSync(name).isDirectory())
    throw usageError(`${stripControls(name)} holds several checks; name the file of one`);
  if (own !== undefined) return { file: own.checkFile };
  const [plugin] = [".ts", ".js"].map((ending) => join(checksDir, `${name}${ending}`)).filter(existsSync);
  if (plugin !== undefined && !name.includes("/")) return { file: plugin };
  const keys = builtInCatalog().checks.map(({ key }) => key);
  if (keys.includes(name)) return { builtInKey: name };
  const shown = stripControls(name.slice(0, nameCharsMax));
  throw usageError(`there is no check ${shown}, as a file or as a key; ${adviceOnName(name, keys, '"assay checks list" lists all keys')}`);
}

async function tryOn(name: TriedName, evidence: Evidence): Promise<ExitCode> {
  if ("builtInKey" in name) {
    print(triedText(triedBuiltIn(name.builtInKey, evidence), evidence));
    return exitCodes.ok;
  }
  const { tried, refused, broken } = await runAuthorTaskInThread({ kind: "try", checkFile: name.file, evidence }, workerFiles.author);
  if (tried !== null) print(triedText(tried, evidence));
  const faults = [broken, tried?.broken ?? null].flatMap((fault) => fault ?? []).concat(tried?.faults ?? []);
  for (const fault of [...refused, ...faults]) printError(`assay: ${faultLine(fault)}`);
  if (refused.length > 0) return exitCodes.usage;
  return faults.length > 0 ? exitCodes.policy : exitCodes.ok;
}

/** Built-in checks end by themselves, so they need no thread. */
function triedBuiltIn(key: string, evidence: Evidence): TriedVerdict {
  const { checks, texts } = builtInCatalog();
  const check = checks.find((one) => one.key === key);
  if (check === undefined) throw new Error(`${key} is not built in`);
  return { definition: check, texts: { "en-gb": texts["en-gb"][key], "de-de": texts["de-de"][key] }, ...tryCheck(check, evidence) };
}

const valueCharsShownMax = 200;

function triedText(tried: TriedVerdict, evidence: Evidence): string {
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
    const { remediation, ...others } = textsOfFinding(finding, { url }, locale, texts);
    const { fixes, values: filled } = fixedFinding(finding, { url }, texts);
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
  return quotedText(JSON.stringify(value), valueCharsShownMax);
}
