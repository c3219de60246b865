/** `assay prove`: proves a policy on pages before it is deployed. */
import { judgeOnce, loadConfiguredCatalog, openOneShotScanner } from "../../app/scanning.ts";
import { version } from "../../base/build.ts";
import { systemClock } from "../../base/clock.ts";
import type { ScanErrorCode } from "../../evidence/scan.ts";
import { sectionsHtml } from "../../export/sections.tsx";
import { proofJson } from "../../prove/proof-json.ts";
import { isProven, newNonce, type ProofPlan, prove } from "../../prove/prove.ts";
import type { ScanOutcome } from "../../scan/task.ts";
import type { Config } from "../../settings/settings.ts";
import { scanErrorMessage } from "../../text/render.ts";
import { command } from "../command.ts";
import { codeOfFailure, howToAllow } from "../evidence.ts";
import { CliError, type ExitCode, exitCodes, stopSignal } from "../exit.ts";
import { startProgress } from "../progress.ts";
import { writeAndNote } from "../scan/outputs.ts";
import { type ReportStyle, terminalStyle } from "../scan/report-text.ts";
import { commandLog } from "../scan/scan.ts";
import { type CredentialsFor, targetsFrom } from "../scan/targets.ts";
import { configOf, scanSettings, settingOptions } from "../settings.ts";
import { currentTerminal, jsonLines, print, printError } from "../terminal.ts";
import { assertOneOrigin, type ProofFiles, pagesToProve, planFrom, proofFilesFrom, proveOptions } from "./options.ts";
import { linesToCopy, type ProofAnswer, proofSections, proofTitle, sectionsText } from "./proof-text.ts";

/** Pages that are scanned until one has a score. What a scan reads beyond the page, such as TLS, holds for all pages. */
const scansMax = 3;

export const proveCommand = command({
  name: "prove",
  summary: "Prove a Content Security Policy and other headers on pages before they are deployed.",
  arguments: { "[url...]": "pages of one origin; https:// is added where no scheme is given; - reads them from stdin, one a line" },
  options: { ...proveOptions, ...settingOptions(["locale.default", ...scanSettings]) },
  help: `
Examples:
  assay prove https://example.com                            draft the strictest policy that works, and prove it
  assay prove https://example.com --draft hosts              begin with a policy by hosts
  assay prove https://example.com --policy csp.txt           prove your own policy
  assay prove https://example.com --header "X-Frame-Options: DENY" -o json=proof.json
  assay prove https://example.com --format nginx             print the lines for nginx
  assay prove --from-sitemap https://example.com/sitemap.xml --write headers.txt -o html=proof.html

Each page is visited four to eight times; the server is not changed. docs/prove.md says what a proof shows.
Exit codes: 0 works, 1 breaks a page, injected code runs, or no proof is possible, 2 usage, 3 no page could be visited,
4 internal or browser failure, 5 some pages could not be visited or read from the sitemap, 130 interrupted.`,
  run: async ({ url: given, ...options }, parsed): Promise<ExitCode> => {
    const config = configOf(parsed);
    const plan = planFrom(options);
    const files = proofFilesFrom(options);
    const { urls, credentialsFor, complete } = await targetsFrom(given, options, config, assertOneOrigin);
    const { pages, leftOut } = pagesToProve(urls, options.fromSitemap !== undefined);
    const proven = await provePages(pages, plan, config, credentialsFor, options.quiet);
    const answer: ProofAnswer = { ...proven, leftOut, server: options.format ?? null, locale: config["locale.default"] };
    await writeAnswer(answer, files, terminalStyle(config, options, proven.texts));
    if (!isProven(proven.proof)) return exitCodes.policy;
    return proven.proof.unvisited.length > 0 || !complete ? exitCodes.some : exitCodes.ok;
  },
});

async function writeAnswer(answer: ProofAnswer, { outputs, headers }: ProofFiles, style: ReportStyle): Promise<void> {
  const { proof, leftOut, checks, texts, locale } = answer;
  const textOf = {
    json: () => `${jsonLines({ ...proofJson(proof), leftOut }).join("\n")}\n`,
    html: () => sectionsHtml(proofTitle(answer), proofSections(answer), { locale, texts, checks, version }),
  };
  const toStdout = outputs.find(({ file }) => file === null);
  if (toStdout === undefined) print(sectionsText(proofSections(answer), style));
  else currentTerminal().writeOut(textOf[toStdout.format]());
  for (const { format, file } of outputs) if (file !== null) await writeAndNote(file, textOf[format]());
  if (headers === null) return;
  if (isProven(proof)) await writeAndNote(headers, `${linesToCopy(answer).join("\n")}\n`);
  else printError(`assay: ${headers.path} was not written: the headers are not proven`);
}

/** @throws CliError if no page can be visited, ConfigError, CatalogError or BrowserError. */
async function provePages(
  urls: readonly string[],
  plan: ProofPlan,
  config: Config,
  credentialsFor: CredentialsFor | null,
  quiet: true | undefined,
) {
  const stop = stopSignal();
  const progress = startProgress(urls.length, quiet !== true);
  const log = commandLog(config, quiet, progress);
  const catalog = await loadConfiguredCatalog(config);
  const visitsAtOnce = Math.min(urls.length, config["scan.concurrency"]);
  const scanner = await openOneShotScanner(config, visitsAtOnce, log, { catalog, credentialsFor });
  const { texts, checks } = scanner;
  const failed = (code: ScanErrorCode) => {
    const reason = scanErrorMessage(code, urls[0] ?? "", config["locale.default"], texts);
    return new CliError(codeOfFailure[code] ?? exitCodes.target, code === "blocked" ? `${reason}\n${howToAllow}` : reason);
  };
  try {
    const scanned = await firstScanned(urls, (url) => scanner.scanUrl(url, (stage) => progress.stage(url, stage), stop));
    if (scanned.status === "failed") throw failed(scanned.code);
    const proof = await prove(urls, { ...scanned, headerCharsMax: config["scan.header_chars_max"] }, plan, {
      visitsAtOnce,
      visit: (url, overrides, step) => {
        progress.step(url, step);
        return scanner.visitUrl({ url, overrides, screenshot: false }, () => {}, stop);
      },
      judge: (evidence) =>
        judgeOnce(evidence, { catalog, log, onCheckFault: (key, fault) => printError(`assay: check ${key} failed: ${fault}`) }),
      nonce: () => newNonce(systemClock),
    });
    if (typeof proof === "string") throw failed(proof);
    for (const { url, comparison } of proof.pages) progress.ended(url, comparison.verdict);
    for (const { url, code } of proof.unvisited) progress.ended(url, code);
    const { page } = scanned.evidence;
    const sentToday = page.status === "read" ? page.facts.headers.map(({ name }) => name.toLowerCase()) : [];
    return { proof, texts, checks, sentToday };
  } finally {
    progress.stop();
    await scanner.close();
  }
}

/** The first scan that has a score, else the first one that ended well, else the first failure. */
async function firstScanned(urls: readonly string[], scan: (url: string) => Promise<ScanOutcome>): Promise<ScanOutcome> {
  const ended: ScanOutcome[] = [];
  for (const url of urls.slice(0, scansMax)) {
    const outcome = await scan(url);
    if (outcome.status === "finished" && outcome.result.measured) return outcome;
    ended.push(outcome);
    if (outcome.status === "failed" && codeOfFailure[outcome.code] !== undefined) break;
  }
  const [first] = ended;
  if (first === undefined) throw new Error("no page is named");
  return ended.find(({ status }) => status === "finished") ?? first;
}
