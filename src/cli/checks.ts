/** `assay checks`: lists the catalog of built-in and plugin checks. */
import { Command } from "commander";
import { loadConfiguredCatalog } from "../app/configured-catalog.ts";
import type { Config } from "../app/settings.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { describeFault } from "../catalog/fault.ts";
import { chargeOf } from "../check/check.ts";
import { createTexts } from "../text/i18n.ts";
import { newCheckCommand } from "./checks/new.ts";
import { testChecksCommand } from "./checks/test.ts";
import { tryCheckCommand } from "./checks/try.ts";
import type { ExitCode } from "./exit.ts";
import { addSettings, configOf } from "./settings.ts";
import { jsonLine, print, table } from "./terminal.ts";

export function checksCommand(onExit: (code: ExitCode) => void): Command {
  const checks = new Command("checks").description("Show the catalog of checks, and write checks of your own.");
  const list = checks
    .command("list")
    .description("List every check with its weight, and the file of each plugin.")
    .option("--json", "as a JSON object with the catalog's version")
    .action(async ({ json }: { json?: boolean }, command: Command) => {
      const config = configOf(command);
      const catalog = await loadConfiguredCatalog(config);
      for (const warning of catalog.warnings) process.stderr.write(`warning: ${describeFault(warning)}\n`);
      const rows = rowsOf(catalog, config["locale.default"]);
      if (json === true) print(jsonLine({ catalogVersion: catalog.version, checks: rows }));
      else
        print(
          table([["KEY", "WEIGHT", "LABEL", "FILE"], ...rows.map((row) => [row.key, weightCell(row), row.label, row.file ?? "built in"])]),
        );
    });
  addSettings(list, ["checks.dir", "locale.default"]);
  checks.addCommand(newCheckCommand());
  checks.addCommand(testChecksCommand(onExit));
  checks.addCommand(tryCheckCommand(onExit));
  return checks;
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
