/** `assay scan`: scans pages once, without server or account, and applies the policy of the caller. */
import { Command, Option } from "commander";
import { openOneShotScanner } from "../app/one-shot.ts";
import type { Config } from "../app/settings.ts";
import { createLog, type Log } from "../base/log.ts";
import { type Severity, severities } from "../check/check.ts";
import { parseScanUrl } from "../parse/scan-url.ts";
import { CliError, type ExitCode, exitCodes } from "./exit.ts";
import { type Progress, startProgress } from "./progress.ts";
import { reportText } from "./report-text.ts";
import { codeOf, type Policy, type ReportCatalog, reportOf, type ScannedUrl, shortfalls, undecided } from "./scan-outcome.ts";
import { addSettings, configOf, scanSettings } from "./settings.ts";
import { stopSignal } from "./shutdown.ts";
import { currentTerminal, jsonLine, print, printError, stripControls } from "./terminal.ts";

/** URLs of one call; the server's queue is for longer lists. */
const urlsMax = 1_000;
/** Width of a report if the terminal does not report its own. */
const columnsDefault = 100;
const quotedCharsMax = 100;

export interface ScanOptions {
  readonly format: "text" | "json";
  readonly failOn?: Severity;
  readonly failUnder?: number;
  readonly quiet?: boolean;
  readonly color: boolean;
}

export function scanCommand(onExit: (code: ExitCode) => void): Command {
  const scan = new Command("scan")
    .description("Scan pages once, without server or account. Progress goes to stderr, reports to stdout.")
    .argument("<url...>", "pages to scan; https:// is added where no scheme is given; - reads them from stdin, one a line")
    .addOption(new Option("--format <format>", "json is one line for each URL").choices(["text", "json"]).default("text"))
    .addOption(new Option("--fail-on <severity>", "exit 1 if a finding is at least so severe; notes do not count").choices(severities))
    .addOption(new Option("--fail-under <score>", "exit 1 if a score is lower, or could not be measured").argParser(scoreFrom))
    .action(async (given: string[], _options, command: Command) => {
      onExit(await scanAll(await urlsFrom(given), configOf(command), command.optsWithGlobals()));
    });
  return addSettings(scan, ["locale.default", ...scanSettings]);
}

async function scanAll(urls: readonly string[], config: Config, options: ScanOptions): Promise<ExitCode> {
  const stop = stopSignal();
  const progress = startProgress(urls.length, options.quiet !== true);
  const concurrency = Math.min(urls.length, config["scan.concurrency"]);
  const scanner = await openOneShotScanner(config, concurrency, logOf(config, options, progress)).catch((error) => {
    progress.stop();
    throw error;
  });
  const scanned: ScannedUrl[] = [];
  const waiting = urls.map((url, at) => ({ url, at }));
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined && !stop.aborted; next = waiting.shift()) {
      const { url, at } = next;
      const outcome = await scanner.scanUrl(url, (stage) => progress.stage(url, stage), stop);
      scanned[at] = { url, outcome };
      progress.ended(url, stop.aborted && outcome.status === "failed" ? "interrupted" : outcome.status);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, work));
  } finally {
    progress.stop();
    await scanner.close();
  }
  // An interrupted scan has no report.
  const complete = Object.values(scanned).filter(({ outcome }) => outcome.status === "finished" || outcome.code !== "interrupted");
  const policy: Policy = { failOn: options.failOn ?? null, failUnder: options.failUnder ?? null };
  const code = codeOf(complete, policy, stop.aborted);
  renderReports(complete, config, options, scanner);
  for (const note of [...shortfalls(complete, policy), ...undecided(complete, policy)]) printError(`assay: ${note}`);
  return code;
}

/** Log for a terminal: warnings and errors only, as text unless JSON is configured. */
function logOf(config: Config, { quiet }: ScanOptions, progress: Progress): Log {
  const level = config["log.level"] === "info" ? "warn" : config["log.level"];
  const format = config["log.format"] === "auto" ? "text" : config["log.format"];
  return createLog({ level: quiet === true ? "error" : level, format, write: progress.interject });
}

export function renderReports(scanned: readonly ScannedUrl[], config: Config, options: ScanOptions, catalog: ReportCatalog): void {
  const locale = config["locale.default"];
  const colour = process.stdout.isTTY === true && options.color && !process.env.NO_COLOR && process.env.TERM !== "dumb";
  // A terminal without size has 0 columns, as under "docker run -t" in a pipeline.
  const style = { locale, texts: catalog.texts, colour, columns: process.stdout.columns || columnsDefault };
  const reports = scanned.map((one) => reportOf(one, locale, catalog));
  if (options.format === "json") for (const report of reports) print(jsonLine(report));
  else if (reports.length > 0) print(reports.map((report) => reportText(report, style)).join("\n\n"));
}

/** @throws CliError for the first URL that cannot be scanned. */
async function urlsFrom(given: readonly string[]): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const text of given) {
    if (text === "-") texts.push(...(await currentTerminal().stdin.text()).split("\n").map((line) => line.trim()));
    else texts.push(text.trim());
  }
  const urls = texts.filter((text) => text !== "").map(urlFrom);
  if (urls.length === 0 && !given.includes("-")) throw new CliError(exitCodes.usage, "the URL is empty");
  if (urls.length === 0) throw new CliError(exitCodes.usage, "stdin names no URL");
  if (urls.length > urlsMax) throw new CliError(exitCodes.usage, `${urls.length} URLs are too many for one call; it takes ${urlsMax}`);
  return urls;
}

function urlFrom(text: string): string {
  const parsed = parseScanUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, "")}`);
  if ("fault" in parsed) throw new CliError(exitCodes.usage, `"${quoted(text)}" cannot be scanned: it ${parsed.fault}`);
  return parsed.url;
}

function quoted(text: string): string {
  return stripControls(text.length > quotedCharsMax ? `${text.slice(0, quotedCharsMax)}...` : text);
}

function scoreFrom(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) > 100)
    throw new CliError(exitCodes.usage, `--fail-under ${text} is not a whole number from 0 to 100`);
  return Number(text);
}
