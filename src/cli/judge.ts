/** `assay judge`: judges stored or captured evidence again, without network and browser. */
import { Command, Option } from "commander";
import { judgeOnce, loadConfiguredCatalog } from "../app/scanning.ts";
import { readEvidenceFile } from "../authoring/evidence-file.ts";
import { createLog } from "../base/log.ts";
import { usePublicSuffixes } from "../parse/site.ts";
import { noPolicy, pipelineEnd } from "../policy/policy.ts";
import { type ScanOutcome, unreachableBecause } from "../scan/task.ts";
import { configuredPublicSuffixes } from "../settings/files.ts";
import { createTexts } from "../text/i18n.ts";
import type { ExitCode } from "./exit.ts";
import type { ScanOptions } from "./scan/options.ts";
import { exitCodeOf, exportedScanOf, localScanToken, policyPageOf } from "./scan/outcome.ts";
import { renderReports } from "./scan/reports.ts";
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
      usePublicSuffixes(configuredPublicSuffixes(config, new Date()));
      const catalog = await loadConfiguredCatalog(config);
      const judged =
        unreachableBecause(evidence) ??
        (await judgeOnce(evidence, {
          catalog,
          log: createLog({ level: config["log.level"], format: config["log.format"] }),
          onCheckFault: (key, fault) => printError(`assay: check ${key} failed: ${fault}`),
        }));
      const outcome: ScanOutcome =
        typeof judged === "string"
          ? { status: "failed", code: judged, evidence, timings: {} }
          : { status: "finished", result: judged, evidence, screenshot: null, timings: {} };
      const scanned = { token: localScanToken, url: evidence.subject.url, outcome, endedAt: evidence.subject.scannedAt };
      const page = policyPageOf(scanned, catalog.checks);
      const shown = json === true ? ({ ...options, format: "json" } as const) : options;
      const texts = createTexts(catalog.texts, catalog.checks);
      renderReports([exportedScanOf(scanned, page, new Map())], config, shown, { checks: catalog.checks, texts }, false);
      onExit(exitCodeOf(pipelineEnd([page], [], noPolicy)));
    });
  return addSettings(judge, ["locale.default", "public_suffixes.file", "checks.dir"]);
}
