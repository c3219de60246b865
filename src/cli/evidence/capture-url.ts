/** Captures evidence of one page, as a scan does, without plugins. */
import { openOneShotScanner } from "../../app/one-shot.ts";
import type { Config } from "../../app/settings.ts";
import { builtInCatalog } from "../../catalog/catalog.ts";
import type { Evidence } from "../../evidence/evidence.ts";
import type { ScanErrorCode } from "../../evidence/scan.ts";
import { scanErrorMessage } from "../../text/render.ts";
import { CliError, type ExitCode, exitCodes } from "../exit.ts";
import { startProgress } from "../progress.ts";
import { commandLog } from "../scan-run.ts";
import { stopSignal } from "../shutdown.ts";

/** Every other failure is one of the target. */
const codeOfFailure: { readonly [C in ScanErrorCode]?: ExitCode } = {
  crashed: exitCodes.internal,
  "browser-unavailable": exitCodes.internal,
  interrupted: exitCodes.interrupted,
};

/** A user who captures a page is the operator of this command. */
const howToAllow = "For a server of your own: --profile internal, or --allow-cidr and, for ports besides 80 and 443, --allow-port.";

/** @throws CliError for a page that cannot be reached, ConfigError or BrowserError. */
export async function captureUrl(url: string, config: Config, options: { readonly quiet?: boolean }): Promise<Evidence> {
  const stop = stopSignal();
  const progress = startProgress(1, options.quiet !== true);
  const log = commandLog(config, options, progress);
  const scanner = await openOneShotScanner(config, 1, log, { catalog: builtInCatalog() }).catch((error) => {
    progress.stop();
    throw error;
  });
  try {
    const outcome = await scanner.scanUrl(url, (stage) => progress.stage(url, stage), stop);
    progress.ended(url, outcome.status);
    if (outcome.status === "finished") return outcome.evidence;
    const { code } = outcome;
    const reason = scanErrorMessage(code, url, config["locale.default"], scanner.texts);
    throw new CliError(codeOfFailure[code] ?? exitCodes.target, code === "blocked" ? `${reason}\n${howToAllow}` : reason);
  } finally {
    progress.stop();
    await scanner.close();
  }
}
