/** Policy of one call: its flags and files, read and checked before the first scan. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { catalogOptions } from "../app/configured-catalog.ts";
import { loadPolicy, type PolicySettings } from "../app/policy-settings.ts";
import type { Config } from "../app/settings.ts";
import type { TextFault } from "../parse/text.ts";
import { type AcceptEntry, acceptFileBytesMax, parseAcceptFile } from "../policy/accept.ts";
import { type Baseline, baselineBytesMax, parseBaseline, urlsPosition } from "../policy/baseline.ts";
import type { Policy } from "../policy/policy.ts";
import { CliError, exitCodes } from "./exit.ts";
import { inputBytes, inputBytesIfPresent } from "./input-file.ts";
import { type OutputFile, openOutputFile } from "./output-file.ts";
import { policyFlags, type ScanOptions } from "./scan-options.ts";
import { assertDistinct, assertKept, outputsFrom, type ScanOutput } from "./scan-outputs.ts";
import { stripControls } from "./terminal.ts";

export interface ScanPolicy {
  readonly policy: Policy;
  readonly settings: PolicySettings;
  readonly outputs: readonly ScanOutput[];
  /** File that becomes the new baseline; null for none. */
  readonly newBaseline: OutputFile | null;
  /** @throws CliError if the baseline lacks one of these URLs. */
  assertUrls(urls: readonly string[]): void;
}

const quotedCharsMax = 300;

/** @throws CliError or ConfigError for the first fault of a flag or a file. */
export function scanPolicyOf(command: Command, config: Config): ScanPolicy {
  const options = command.optsWithGlobals<ScanOptions & { readonly config?: string }>();
  const { settings, file } = loadPolicy({
    flags: policyFlags(command),
    configFile: options.config ?? null,
    currentFolder: process.cwd(),
    dataDir: config.data,
  });
  const outputs = outputsFrom(options.output ?? []);
  const newBaseline = options.writeBaseline === undefined ? null : openOutputFile(options.writeBaseline);
  const outputFiles = outputs.flatMap(({ file: output }) => (output === null ? [] : [output]));
  const written = newBaseline === null ? outputFiles : [...outputFiles, newBaseline];
  assertDistinct(written);
  const baseline = settings.baseline === null ? null : baselineIn(settings.baseline, newBaseline !== null);
  const accepted = settings.accept === null ? [] : acceptedIn(settings.accept);
  assertKept(
    [
      settings.accept,
      file,
      options.urls,
      options.headerFile,
      options.cookieFile,
      options.tokenFile,
      ...configFiles(config, options.config),
    ],
    written,
  );
  // A new baseline may replace the one that the call reads.
  assertKept([settings.baseline], outputFiles);
  const usesPipeline = [settings.baseline, settings.accept, file, newBaseline].some((used) => used !== null) || outputs.length > 0;
  return {
    policy: {
      failOn: settings.fail_on,
      failUnder: settings.fail_under,
      baseline: baseline?.content ?? null,
      accepted,
      writesBaseline: newBaseline !== null,
      needsMeasurement: usesPipeline || settings.strict,
      today: new Date().toISOString().slice(0, "YYYY-MM-DD".length),
    },
    settings,
    outputs,
    newBaseline,
    // A new baseline may add URLs.
    assertUrls: (urls) => newBaseline === null && baseline !== null && assertUrlsIn(baseline, urls),
  };
}

/** Files from which the settings are read, and those that they name. */
function configFiles(config: Config, configFile: string | undefined): readonly (string | null)[] {
  const data = (["hsts.preload_file", "public_suffixes.file", "scripts.advisories_file"] as const).map((key) => config[key]);
  const { checksDir, pinsFile = null } = catalogOptions(config);
  const checks = checksDir === null ? [] : codeFilesIn(checksDir);
  return [configFile ?? join(config.data, "assay.toml"), ...config["scan.ca_files"], ...data, ...checks, pinsFile, config["browser.path"]];
}

/** Checks and what they share. Empty for a folder that cannot be read: loading the checks reports it. */
function codeFilesIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => /\.[tj]s$/.test(name));
    return names.map((name) => join(folder, name));
  } catch {
    return [];
  }
}

interface BaselineFile {
  readonly file: string;
  readonly text: string;
  readonly content: Baseline;
}

/** Null if it does not exist yet, and may be absent. */
function baselineIn(file: string, mayBeAbsent: boolean): BaselineFile | null {
  const bytes = inputBytesIfPresent(file, baselineBytesMax);
  if (bytes === null && mayBeAbsent) return null;
  if (bytes === null) throw new CliError(exitCodes.usage, `${file} does not exist; --write-baseline writes it`);
  const text = decoded(file, bytes);
  const content = parseBaseline(text);
  if ("fault" in content) throw faultIn(file, content.fault);
  return { file, text, content };
}

function assertUrlsIn({ file, text, content: { findings } }: BaselineFile, urls: readonly string[]): void {
  const missing = urls.find((url) => !findings.has(url));
  if (missing === undefined) return;
  const [other] = findings.keys();
  const instead = other === undefined ? "" : `, but of ${quoted(other)}`;
  const reason = `the baseline has no findings of ${missing}${instead}; write it anew with --write-baseline`;
  throw faultIn(file, { reason, ...urlsPosition(text) });
}

function acceptedIn(file: string): readonly AcceptEntry[] {
  const parsed = parseAcceptFile(decoded(file, inputBytes(file, acceptFileBytesMax)));
  if ("fault" in parsed) throw faultIn(file, parsed.fault);
  return parsed.entries;
}

/** @throws CliError for bytes that are not UTF-8. */
function decoded(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new CliError(exitCodes.usage, `${file} is not UTF-8 text`);
  }
}

function faultIn(file: string, { line, column, reason }: TextFault): CliError {
  return new CliError(exitCodes.usage, `${file}, line ${line}, column ${column}: ${quoted(reason)}`);
}

/** Text of a file that others may have written. */
function quoted(text: string): string {
  return stripControls(text.length > quotedCharsMax ? `${text.slice(0, quotedCharsMax)}...` : text);
}
