/** `assay checks list`: the catalog of built-in and plugin checks. */
import { Command } from "commander";
import { loadConfiguredCatalog } from "../../app/configured-catalog.ts";
import type { Config } from "../../app/settings.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { describeFault } from "../../catalog/fault.ts";
import { chargeOf } from "../../check/check.ts";
import { createTexts } from "../../text/i18n.ts";
import { addSettings, configOf } from "../settings.ts";
import { jsonLine, print, printError, stripControls, table } from "../terminal.ts";

const examples = `
Examples:
  assay checks list
  assay checks list --checks-dir ./checks    also: are the files of a folder without fault?
  assay checks list --json                   with findings, and SHA-256 of each plugin file

Exit codes: 0 ok, 2 a plugin has a fault.`;

export function listChecksCommand(): Command {
  const list = new Command("list")
    .description("List every check with its weight, and the file of each plugin.")
    .option("--json", "as a JSON object with the catalog's version")
    .addHelpText("after", examples)
    .action(async ({ json }: { readonly json?: boolean }, command: Command) => {
      const config = configOf(command);
      const catalog = await catalogWithWarnings(config);
      const rows = rowsOf(catalog, config["locale.default"]);
      if (json === true) return print(jsonLine({ catalogVersion: catalog.version, checks: rows }));
      const cells = rows.map((row) => [row.key, weightCell(row), row.label, row.file ?? "built in"]);
      print(table([["KEY", "WEIGHT", "LABEL", "FILE"], ...cells]));
    });
  return addSettings(list, ["checks.dir", "locale.default"]);
}

/** Prints the warnings of the catalog. @throws ConfigError or CatalogError */
export async function catalogWithWarnings(config: Config): Promise<Catalog> {
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
