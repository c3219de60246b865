/** `assay judge`: judges stored or captured evidence again, without network and browser. */
import { judgeOnce, loadConfiguredCatalog } from "../app/scanning.ts";
import { readEvidenceFile } from "../authoring/evidence-file.ts";
import { createLog } from "../base/log.ts";
import { usePublicSuffixes } from "../parse/site.ts";
import { noPolicy, pipelineEnd } from "../policy/policy.ts";
import { type ScanOutcome, unreachableBecause } from "../scan/task.ts";
import { configuredPublicSuffixes } from "../settings/files.ts";
import { createTexts } from "../text/i18n.ts";
import { serverNames } from "../text/servers/server-lines.ts";
import { command } from "./command.ts";
import { type ExitCode, exitCodes } from "./exit.ts";
import { exportedScanOf, localScanToken, policyPageOf } from "./scan/outcome.ts";
import { renderReports } from "./scan/report-text.ts";
import { configOf, settingOptions } from "./settings.ts";
import { printError } from "./terminal.ts";

export const judgeCommand = command({
  name: "judge",
  summary: "Judge evidence again, without network and browser, and print the report of `assay scan`.",
  arguments: { "<file>": "JSON with evidence: a full report of page or API, a landmark, or the evidence alone" },
  options: {
    "--format <format>": { text: "as in assay scan", choices: ["text", "json"], default: "text" },
    "--json": "the same as --format json",
    "--lines <server>": { text: "as in assay scan", choices: serverNames },
    "--verbose": "list each check that was not checked",
    ...settingOptions(["locale.default", "public_suffixes.file", "checks.dir"]),
  },
  run: async ({ file, format, json, ...options }, parsed): Promise<ExitCode> => {
    const config = configOf(parsed);
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
    const texts = createTexts(catalog.texts, catalog.checks);
    const printing = { ...options, format: json === true ? "json" : format } as const;
    renderReports([exportedScanOf(scanned, page, new Map())], config, printing, texts, false);
    return exitCodes[pipelineEnd([page], [], noPolicy)];
  },
});
