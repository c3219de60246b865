/** `assay judge`: judges stored or captured evidence again, without network and browser. */
import { Command, Option } from "commander";
import { checksDirOf } from "../app/scanning.ts";
import { loadCatalog } from "../catalog/load.ts";
import { readEvidenceFile } from "../evidence/evidence-file.ts";
import { performJudge } from "../scan/judge-task.ts";
import type { ScanOutcome } from "../scan/task.ts";
import { unreachableBecause } from "../scan/unreachable.ts";
import { createTexts } from "../text/i18n.ts";
import type { ExitCode } from "./exit.ts";
import type { ScanOptions } from "./scan-options.ts";
import { codeOf } from "./scan-outcome.ts";
import { renderReports } from "./scan-reports.ts";
import { addSettings, configOf } from "./settings.ts";
import { printError } from "./terminal.ts";

export function judgeCommand(onExit: (code: ExitCode) => void): Command {
  const judge = new Command("judge")
    .description("Judge evidence again, without network and browser, and print the report of `assay scan`.")
    .argument("<file>", "JSON with evidence: a full report of page or API, a landmark, or the evidence alone")
    .addOption(new Option("--format <format>", "as in assay scan").choices(["text", "json"]).default("text"))
    .option("--json", "the same as --format json")
    .action(async (file: string, { json }: { readonly json?: boolean }, command: Command) => {
      const config = configOf(command);
      const options: ScanOptions = command.optsWithGlobals();
      const evidence = readEvidenceFile(file);
      const catalog = await loadCatalog({ checksDir: checksDirOf(config) });
      const code = unreachableBecause(evidence);
      const { result, faults } = performJudge({ evidence, hung: [] }, catalog, () => {});
      for (const { key, fault } of faults) printError(`assay: check ${key} failed: ${fault}`);
      const outcome: ScanOutcome =
        code === null
          ? { status: "finished", result, evidence, screenshot: null, timings: {} }
          : { status: "failed", code, evidence, timings: {} };
      const judged = [{ url: evidence.subject.url, outcome }];
      renderReports(judged, config, json === true ? { ...options, format: "json" } : options, {
        checks: catalog.checks,
        texts: createTexts(catalog.texts, catalog.checks),
      });
      onExit(codeOf(judged, { failOn: null, failUnder: null }, false));
    });
  return addSettings(judge, ["locale.default", "checks.dir"]);
}
