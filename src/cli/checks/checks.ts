/** `assay checks`: shows the catalog, and helps to write checks. */
import { loadConfiguredCatalog } from "../../app/scanning.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { describeFault } from "../../catalog/fault.ts";
import { areaOf, chargeOf, type FindingDefinition, type FindingTexts, worstFirst } from "../../check/check.ts";
import type { CheckDefinition } from "../../check/registry.ts";
import { nearest } from "../../parse/text.ts";
import type { Config } from "../../settings/settings.ts";
import { chargeSentence, findingCharge } from "../../text/charge.ts";
import { createTexts } from "../../text/i18n.ts";
import { createI18n } from "../../text/translator.ts";
import { command, commandGroup } from "../command.ts";
import { usageError } from "../exit.ts";
import { configOf, settingOptions } from "../settings.ts";
import { jsonLine, print, printError, stripControls, table } from "../terminal.ts";
import { newCheck, testChecks } from "./author.ts";
import { tryOne } from "./try.ts";

const catalogSettings = settingOptions(["checks.dir", "locale.default"]);

const list = command({
  name: "list",
  summary: "List every check with its weight, and the file of each plugin.",
  options: { "--json": "as a JSON object with the catalog's version", ...catalogSettings },
  help: `
Examples:
  assay checks list
  assay checks list --checks-dir ./checks    also: are the files of a folder without fault?
  assay checks list --json                   with findings, and SHA-256 of each plugin file

Exit codes: 0 ok, 2 a plugin has a fault.`,
  run: async ({ json }, parsed) => {
    const config = configOf(parsed);
    const catalog = await catalogWithWarnings(config);
    const rows = rowsOf(catalog, config["locale.default"]);
    if (json === true) return print(jsonLine({ catalogVersion: catalog.version, checks: rows }));
    const cells = rows.map((row) => [row.key, weightCell(row), row.label, row.file ?? "built in"]);
    print(table([["KEY", "WEIGHT", "LABEL", "FILE"], ...cells]));
  },
});

/** Prints the warnings of the catalog. @throws ConfigError or CatalogError */
async function catalogWithWarnings(config: Config): Promise<Catalog> {
  const catalog = await loadConfiguredCatalog(config);
  for (const warning of catalog.warnings) printError(stripControls(`warning: ${describeFault(warning)}`));
  return catalog;
}

/** Weight of the check, and the points that its findings charge where they differ from it. */
function weightCell({ weight, findings }: ReturnType<typeof rowsOf>[number]): string {
  if (weight === 0) return "note, 0";
  const charges = findings.map((finding) => chargeOf({ weight }, finding));
  const [from, to] = [Math.min(...charges), Math.max(...charges)];
  if (charges.every((charge) => charge === weight)) return String(weight);
  return `${weight}, charges ${from === to ? to : `${from} to ${to}`}`;
}

function rowsOf(catalog: Catalog, locale: Config["locale.default"]) {
  const texts = createTexts(catalog.texts, catalog.checks);
  return catalog.checks.map(({ key, weight, findings }) => ({
    key,
    weight,
    label: texts.ofCheck(locale, key)?.label ?? key,
    findings: Object.entries(findings).map(([code, definition]) => ({ code, ...definition })),
    file: catalog.pluginFiles[key]?.path ?? null,
    sha256: catalog.pluginFiles[key]?.sha256 ?? null,
  }));
}

const keyCharsShownMax = 64;
const suggestionsMax = 5;
const indent = "  ";

const show = command({
  name: "show",
  summary: "Print everything about a check: origin, weight, what it reads, its findings with their texts and fixes.",
  arguments: { "<key>": "key of the check, as `assay checks list` prints it" },
  options: { "--json": "as a JSON object", ...catalogSettings },
  help: `
Examples:
  assay checks show hsts-effective
  assay checks show acme-build --checks-dir ./checks --locale de-de
  assay checks show acme-build --json`,
  run: async ({ key, json }, parsed) => {
    const config = configOf(parsed);
    const shown = shownCheck(key, config, await catalogWithWarnings(config));
    print(json === true ? jsonLine(jsonOf(shown)) : textOf(shown));
  },
});

export const checksCommand = commandGroup({
  name: "checks",
  summary: "Show the catalog of checks, and write checks of your own.",
  help: `
Examples:
  assay checks list                                 every check, and the file of each plugin
  assay checks show content-security-policy         all about one check
  assay checks new acme-build --header X-Acme-Build
  assay checks test acme-build --watch
  assay checks try acme-build https://example.com`,
  commands: [list, show, newCheck, testChecks, tryOne],
});

/** The check with its file, if it is a plugin, and the texts of the locale. @throws CliError if the catalog has no such check */
function shownCheck(key: string, config: Config, catalog: Catalog) {
  const check = catalog.checks.find((one) => one.key === key);
  if (check === undefined) {
    const name = stripControls(key.slice(0, keyCharsShownMax));
    throw usageError(`there is no check "${name}"; ${adviceOn(name, catalog)}`);
  }
  const texts = createTexts(catalog.texts, catalog.checks);
  return { check, file: catalog.pluginFiles[key], texts, i18n: createI18n(texts, config["locale.default"]) };
}
type ShownCheck = ReturnType<typeof shownCheck>;

function adviceOn(name: string, { checks }: Catalog): string {
  const keys = checks.map(({ key }) => key);
  const similar = nearest(name, keys);
  const meant = similar === null ? keys.filter((key) => name !== "" && key.includes(name)).slice(0, suggestionsMax) : [similar];
  return meant.length === 0 ? '"assay checks list" lists all' : `did you mean ${meant.join(", ")}?`;
}

/** The declaration with every default, and the texts of the locale. */
function jsonOf({ check, file, texts, i18n }: ShownCheck) {
  const { key, weight, standards = [], appliesTo = [], reads, consults = [], headers = [], headersFrom = "page" } = check;
  const own = texts.ofCheck(i18n.locale, key);
  return {
    key,
    file: file?.path ?? null,
    sha256: file?.sha256 ?? null,
    weight,
    area: areaOf(check),
    standards,
    appliesTo,
    reads,
    consults,
    headers,
    headersFrom,
    locale: i18n.locale,
    label: own?.label ?? key,
    reason: own?.reason ?? null,
    method: own?.method ?? null,
    notApplicable: own?.notApplicable ?? null,
    findings: findingsOf(check).map(([code, definition]) => ({
      code,
      ...definition,
      cwe: texts.cweOf(code),
      ...own?.findings[code],
      fixes: texts.fixesOf(code),
    })),
  };
}

function findingsOf({ findings }: CheckDefinition): readonly (readonly [string, FindingDefinition])[] {
  return Object.entries<FindingDefinition>(findings).toSorted(([, one], [, other]) => worstFirst(one, other));
}

function textOf(shown: ShownCheck): string {
  const { check, texts, i18n } = shown;
  const own = texts.ofCheck(i18n.locale, check.key);
  const paragraphs = [
    [i18n.t("check.method"), own?.method],
    [i18n.t("check.notApplicable"), own?.notApplicable],
  ] as const;
  return [
    stripControls(`${check.key}: ${own?.label ?? check.key}`),
    ...block(own?.reason),
    "",
    table(factsOf(shown)),
    ...paragraphs.flatMap(([title, text]) => (text === undefined ? [] : ["", title, ...block(text)])),
    ...findingsOf(check).flatMap(([code, definition]) => ["", ...findingLines(shown, code, definition, own?.findings[code])]),
  ].join("\n");
}

/** Rows without a value are left out. */
function factsOf({ check, file, i18n }: ShownCheck): readonly (readonly [string, string])[] {
  const rows: readonly (readonly [string, string])[] = [
    [i18n.t("check.area"), i18n.t(`checks.areas.${areaOf(check)}`)],
    [i18n.t("check.weight"), chargeSentence(check, i18n)],
    [i18n.t("check.origin"), file === undefined ? i18n.t("check.builtIn") : file.path],
    [i18n.t("check.sha256"), file?.sha256 ?? ""],
    ["reads", check.reads.join(", ")],
    ["consults", (check.consults ?? []).join(", ")],
    ["headers", (check.headers ?? []).join(", ")],
    ["headersFrom", check.headersFrom ?? ""],
    ["appliesTo", (check.appliesTo ?? []).join(", ")],
    [i18n.t("check.standards"), (check.standards ?? []).join("; ")],
  ];
  return rows.filter(([, value]) => value !== "").map(([name, value]) => [indent + name, value]);
}

function findingLines({ check, texts, i18n }: ShownCheck, code: string, definition: FindingDefinition, own: FindingTexts | undefined) {
  const { severity, riskLevel, effort, scoreCap } = definition;
  const facts = [
    `severity ${severity}`,
    `riskLevel ${riskLevel}`,
    `effort ${effort}`,
    findingCharge(check, definition, i18n),
    scoreCap === undefined ? null : i18n.t("check.scoreCap", { score: i18n.number(scoreCap) }),
    texts.cweOf(code),
  ];
  return [
    stripControls(own?.title ?? code),
    `${indent}${code}`,
    indent + facts.filter((fact) => fact !== null).join(" \u00b7 "),
    ...block(own?.detail),
    ...block(own?.riskStatement),
    ...block(own?.remediation),
    ...texts.fixesOf(code).map((fix) => `${indent}${indent}${jsonLine(fix)}`),
  ];
}

/** A remediation has several lines. */
function block(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split("\n").map((line) => indent + stripControls(line));
}
