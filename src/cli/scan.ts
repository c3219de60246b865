/** `assay scan`: scans once, without server or account, and judges the outcome by the caller's policy. */
import { Command, Option } from "commander";
import { openBrowserOf } from "../app/browser.ts";
import { workerFile } from "../app/placement.ts";
import { caPems, egressSettings, scanDeadlines } from "../app/scan-settings.ts";
import type { Config } from "../app/settings.ts";
import { untilAskedToStop } from "../app/shutdown.ts";
import { createLog, type Log } from "../base/log.ts";
import { loadCatalog } from "../catalog/load.ts";
import { type Severity, severities } from "../check/check.ts";
import { parseScanUrl } from "../parse/scan-url.ts";
import { openScanner } from "../scan/scanner.ts";
import { createTexts, type Texts } from "../text/i18n.ts";
import { checksDirOf } from "./checks.ts";
import { type ExitCode, exitCodes, VerbError } from "./exit.ts";
import { type Progress, startProgress } from "./progress.ts";
import { reportText } from "./report-text.ts";
import { codeOf, type Policy, reportOf, type ScannedUrl, shortfalls } from "./scan-outcome.ts";
import { addSettings, configOf, scanSettings } from "./settings.ts";
import { harmless, jsonLine, print, tell } from "./terminal.ts";

/** URLs of one call; a longer list is a job for the server's queue. */
const urlsMax = 1_000;
/** Lines of a report, where the terminal does not say how wide it is. */
const columnsDefault = 100;
/** Of a URL that is refused: enough to tell which it was. */
const quotedCharsMax = 100;

interface ScanOptions {
  readonly format: "text" | "json";
  readonly failOn?: Severity;
  readonly failUnder?: number;
  readonly quiet?: boolean;
  readonly color: boolean;
}

/** `onExit` is told the exit code, which the policy decides. */
export function scanCommand(onExit: (code: ExitCode) => void): Command {
  const scan = new Command("scan")
    .description("Scan pages once, without server or account. Progress goes to stderr, reports to stdout.")
    .argument("<url...>", "pages to scan; https:// is added where no scheme is given; - reads them from stdin, one a line")
    .addOption(new Option("--format <format>", "json is one line for each URL").choices(["text", "json"]).default("text"))
    .addOption(new Option("--fail-on <severity>", "exit 1 if a finding is at least so severe").choices(severities))
    .addOption(new Option("--fail-under <score>", "exit 1 if a score is lower, or could not be measured").argParser(scoreFrom))
    .action(async (given: string[], _options, command: Command) => {
      onExit(await scanAll(await urlsFrom(given), configOf(command), command.optsWithGlobals()));
    });
  return addSettings(scan, ["locale.default", ...scanSettings]);
}

async function scanAll(urls: readonly string[], config: Config, options: ScanOptions): Promise<ExitCode> {
  const asked = untilAskedToStop();
  const trustedPems = caPems(config);
  const checksDir = checksDirOf(config);
  const catalog = await loadCatalog({ checksDir });
  const progress = startProgress(urls.length, options.quiet !== true);
  const log = logOf(config, options, progress);
  const browser = openBrowserOf(config, log);
  const concurrency = Math.min(urls.length, config["scan.concurrency"]);
  const egress = egressSettings(config, []);
  const deadlines = scanDeadlines(config);
  const scanner = openScanner({ egress, caPems: trustedPems, deadlines, concurrency, checksDir, browser, workerFile, log });
  const scanned: ScannedUrl[] = [];
  const waiting = urls.map((url, at) => ({ url, at }));
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined && !asked.aborted; next = waiting.shift()) {
      const { url, at } = next;
      const outcome = await scanner.scanUrl(url, (stage) => progress.stage(url, stage), asked);
      scanned[at] = { url, outcome };
      progress.ended(url, asked.aborted && outcome.status === "failed" ? "interrupted" : outcome.status);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, work));
  } finally {
    progress.stop();
    await scanner.close();
    await browser.stop();
  }
  // A scan that was cut short by the signal says nothing, and leaves a hole in the list.
  const complete = Object.values(scanned).filter(({ outcome }) => outcome.status === "finished" || outcome.code !== "interrupted");
  const policy: Policy = { failOn: options.failOn ?? null, failUnder: options.failUnder ?? null };
  const code = codeOf(complete, policy, asked.aborted);
  render(complete, config, options, createTexts(catalog.texts));
  for (const shortfall of shortfalls(complete, policy)) tell(`assay: ${shortfall}`);
  return code;
}

/** For the person who waits: what goes well is no news, and lines are text unless JSON was asked for. */
function logOf(config: Config, { quiet }: ScanOptions, progress: Progress): Log {
  const level = config["log.level"] === "info" ? "warn" : config["log.level"];
  const format = config["log.format"] === "auto" ? "text" : config["log.format"];
  return createLog({ level: quiet === true ? "error" : level, format, write: progress.interject });
}

function render(scanned: readonly ScannedUrl[], config: Config, options: ScanOptions, texts: Texts): void {
  const locale = config["locale.default"];
  const colour = process.stdout.isTTY === true && options.color && !process.env.NO_COLOR && process.env.TERM !== "dumb";
  // A terminal that nobody has sized yet is 0 columns wide, as under "docker run -t" in a pipeline.
  const style = { locale, texts, colour, columns: process.stdout.columns || columnsDefault };
  const reports = scanned.map((one) => reportOf(one, locale, texts));
  if (options.format === "json") for (const report of reports) print(jsonLine(report));
  else if (reports.length > 0) print(reports.map((report) => reportText(report, style)).join("\n\n"));
}

/** @throws VerbError for the first that cannot be scanned. */
async function urlsFrom(given: readonly string[]): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const text of given) {
    if (text === "-") texts.push(...(await Bun.stdin.text()).split("\n").map((line) => line.trim()));
    else texts.push(text.trim());
  }
  const urls = texts.filter((text) => text !== "").map(urlFrom);
  if (urls.length === 0 && !given.includes("-")) throw new VerbError(exitCodes.usage, "the URL is empty");
  if (urls.length === 0) throw new VerbError(exitCodes.usage, "stdin names no URL");
  if (urls.length > urlsMax) throw new VerbError(exitCodes.usage, `${urls.length} URLs are too many for one call; it takes ${urlsMax}`);
  return urls;
}

function urlFrom(text: string): string {
  const parsed = parseScanUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if ("fault" in parsed) throw new VerbError(exitCodes.usage, `"${quoted(text)}" cannot be scanned: it ${parsed.fault}`);
  return parsed.url;
}

function quoted(text: string): string {
  return harmless(text.length > quotedCharsMax ? `${text.slice(0, quotedCharsMax)}...` : text);
}

function scoreFrom(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) > 100)
    throw new VerbError(exitCodes.usage, `--fail-under ${text} is not a whole number from 0 to 100`);
  return Number(text);
}
