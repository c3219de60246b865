/** `assay prove`: proves a policy on a page before it is deployed. */
import { judgeOnce, loadConfiguredCatalog, openOneShotScanner } from "../../app/scanning.ts";
import { systemClock } from "../../base/clock.ts";
import type { ScanErrorCode } from "../../evidence/scan.ts";
import { proofJson } from "../../prove/proof-json.ts";
import { isProven, type Proof, type ProofPlan, proofVerdict, prove } from "../../prove/prove.ts";
import type { Config } from "../../settings/settings.ts";
import { createTexts, type Texts } from "../../text/i18n.ts";
import { scanErrorMessage } from "../../text/render.ts";
import { command } from "../command.ts";
import { codeOfFailure, howToAllow } from "../evidence.ts";
import { CliError, type ExitCode, exitCodes, stopSignal } from "../exit.ts";
import { startProgress } from "../progress.ts";
import { terminalStyle } from "../scan/report-text.ts";
import { commandLog } from "../scan/scan.ts";
import { type CredentialsFor, targetsFrom } from "../scan/targets.ts";
import { configOf, scanSettings, settingOptions } from "../settings.ts";
import { currentTerminal, jsonLines, note, print, printError } from "../terminal.ts";
import { planFrom, proofOutputFrom, proveOptions } from "./options.ts";
import { proofText } from "./proof-text.ts";

const nonceBytes = 16;
const proveSettings = scanSettings.filter((key) => key !== "scan.concurrency");

export const proveCommand = command({
  name: "prove",
  summary: "Prove a Content Security Policy and other headers on a page before they are deployed.",
  arguments: { "<url>": "page to prove; https:// is added where no scheme is given" },
  options: { ...proveOptions, ...settingOptions(["locale.default", ...proveSettings]) },
  help: `
Examples:
  assay prove https://example.com                            draft the strictest policy that works, and prove it
  assay prove https://example.com --draft hosts              begin with a policy by hosts
  assay prove https://example.com --policy csp.txt           prove your own policy
  assay prove https://example.com --header "X-Frame-Options: DENY" -o json=proof.json

The page is visited about eight times; the server is not changed. docs/prove.md says what a proof shows.
Exit codes: 0 works, 1 breaks the page, injected code runs, or no proof is possible, 2 usage, 3 page not reachable, 4 internal or browser failure.`,
  run: async ({ url: given, ...options }, parsed): Promise<ExitCode> => {
    const config = configOf(parsed);
    const plan = planFrom(options);
    const output = proofOutputFrom(options.output);
    const { urls, credentialsFor } = await targetsFrom([given], options, config);
    const [url = ""] = urls;
    const { proof, texts } = await proveUrl(url, plan, config, credentialsFor, options.quiet);
    const json = `${jsonLines(proofJson(proof)).join("\n")}\n`;
    if (output?.file === null) currentTerminal().writeOut(json);
    else print(proofText(proof, terminalStyle(config, options, texts)));
    if (output?.file) {
      await output.file.write(json);
      note(`assay: wrote ${output.file.path}`);
    }
    return isProven(proof) ? exitCodes.ok : exitCodes.policy;
  },
});

/** @throws CliError for a page that cannot be visited, ConfigError, CatalogError or BrowserError. */
async function proveUrl(
  url: string,
  plan: ProofPlan,
  config: Config,
  credentialsFor: CredentialsFor | null,
  quiet: true | undefined,
): Promise<{ readonly proof: Proof; readonly texts: Texts }> {
  const stop = stopSignal();
  const progress = startProgress(1, quiet !== true);
  const log = commandLog(config, quiet, progress);
  const catalog = await loadConfiguredCatalog(config);
  const scanner = await openOneShotScanner(config, 1, log, { catalog, credentialsFor });
  const texts = createTexts(catalog.texts, catalog.checks);
  const failed = (code: ScanErrorCode) => {
    const reason = scanErrorMessage(code, url, config["locale.default"], texts);
    return new CliError(codeOfFailure[code] ?? exitCodes.target, code === "blocked" ? `${reason}\n${howToAllow}` : reason);
  };
  try {
    const scanned = await scanner.scanUrl(url, (stage) => progress.stage(url, stage), stop);
    if (scanned.status === "failed") throw failed(scanned.code);
    const proof = await prove([url], { ...scanned, headerCharsMax: config["scan.header_chars_max"] }, plan, {
      visit: (url, overrides, step) => {
        progress.step(url, step);
        return scanner.visitUrl({ url, overrides, screenshot: false }, () => {}, stop);
      },
      judge: (evidence) =>
        judgeOnce(evidence, { catalog, log, onCheckFault: (key, fault) => printError(`assay: check ${key} failed: ${fault}`) }),
      nonce: () => systemClock.randomBytes(nonceBytes).toString("base64url"),
    });
    if (typeof proof === "string") throw failed(proof);
    progress.ended(url, proofVerdict(proof));
    return { proof, texts };
  } finally {
    progress.stop();
    await scanner.close();
  }
}
