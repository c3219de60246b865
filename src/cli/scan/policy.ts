/** Policy of one call: its flags and files, read and checked before the first scan, and what it says about the scans. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { catalogOptions } from "../../app/scanning.ts";
import type { CheckDefinition } from "../../check/registry.ts";
import { nearest, type TextFault } from "../../parse/text.ts";
import { type AcceptEntry, acceptFileBytesMax, parseAcceptFile } from "../../policy/accept.ts";
import { baselineBytesMax, parseBaseline, urlsPosition } from "../../policy/baseline.ts";
import { type PageVerdict, type Policy, type PolicyPage, unusedEntries } from "../../policy/policy.ts";
import { loadPolicy } from "../../settings/policy.ts";
import type { Config } from "../../settings/settings.ts";
import { type CliError, usageError } from "../exit.ts";
import { inputBytes, inputBytesIfPresent, utf8Text } from "../input.ts";
import { openOutputFile } from "../output-file.ts";
import { quotedText } from "../terminal.ts";
import { policyFlags, type ScanOptions } from "./options.ts";
import { assertDistinct, assertKept, outputsFrom } from "./outputs.ts";

/** Characters of a text from a file that others may have written. */
const quotedCharsMax = 300;

/** @throws CliError or ConfigError for the first fault of a flag or a file. */
export function scanPolicyOf(options: ScanOptions, config: Config) {
  const { settings, file } = loadPolicy({
    flags: policyFlags(options),
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
  const policy: Policy = {
    failOn: settings.fail_on,
    failUnder: settings.fail_under,
    baseline: baseline?.content ?? null,
    accepted,
    writesBaseline: newBaseline !== null,
    needsMeasurement: usesPipeline || settings.strict,
    today: new Date().toISOString().slice(0, "YYYY-MM-DD".length),
  };
  return {
    policy,
    settings,
    outputs,
    /** File that becomes the new baseline; null for none. */
    newBaseline,
    /** A new baseline may add URLs. @throws CliError if the baseline that is used lacks one of them. */
    assertUrls: (urls: readonly string[]): void => {
      if (newBaseline === null && baseline !== null) assertUrlsIn(baseline, urls);
    },
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

/** Null if it does not exist yet, and may be absent. */
function baselineIn(file: string, mayBeAbsent: boolean) {
  const bytes = inputBytesIfPresent(file, baselineBytesMax);
  if (bytes === null && mayBeAbsent) return null;
  if (bytes === null) throw usageError(`${file} does not exist; --write-baseline writes it`);
  const text = utf8Text(file, bytes);
  const content = parseBaseline(text);
  if ("fault" in content) throw faultIn(file, content.fault);
  return { file, text, content };
}
type BaselineFile = NonNullable<ReturnType<typeof baselineIn>>;

function assertUrlsIn({ file, text, content: { findings } }: BaselineFile, urls: readonly string[]): void {
  const missing = urls.find((url) => !findings.has(url));
  if (missing === undefined) return;
  const [other] = findings.keys();
  const instead = other === undefined ? "" : `, but of ${quotedText(other, quotedCharsMax)}`;
  const reason = `the baseline has no findings of ${missing}${instead}; write it anew with --write-baseline`;
  throw faultIn(file, { reason, ...urlsPosition(text) });
}

function acceptedIn(file: string): readonly AcceptEntry[] {
  const parsed = parseAcceptFile(utf8Text(file, inputBytes(file, acceptFileBytesMax)));
  if ("fault" in parsed) throw faultIn(file, parsed.fault);
  return parsed.entries;
}

function faultIn(file: string, { line, column, reason }: TextFault): CliError {
  return usageError(`${file}, line ${line}, column ${column}: ${quotedText(reason, quotedCharsMax)}`);
}

export interface JudgedCall {
  readonly pages: readonly PolicyPage[];
  /** One for each page, in the same order. */
  readonly verdicts: readonly PageVerdict[];
  readonly policy: Policy;
  readonly checks: readonly CheckDefinition[];
  /** Path of the accept file, for messages. */
  readonly acceptFile: string | null;
  /** Whether lines list the codes that they count. */
  readonly verbose: boolean;
}

/** Why the build fails, and what limits the verdict: one sentence a page, and one for each acceptance that is over. Printed also with `--quiet`. */
export function policyFaults({ pages, verdicts, policy, verbose }: JudgedCall): readonly string[] {
  return verdicts.flatMap((verdict, at) => {
    const { url, expired, marks } = verdict;
    const faults = [...shortfalls(verdict, policy, verbose), ...(pages[at]?.result?.measured === false ? unmeasuredFaults(policy) : [])];
    return [
      ...(faults.length === 0 ? [] : [`${url}: ${faults.join("; ")}`]),
      ...expired
        .filter(({ code }) => marks.get(code)?.inBaseline !== true)
        .map(({ code, entry }) => `${url}: ${code} counts again, because it was accepted until ${entry.until}`),
    ];
  });
}

function unmeasuredFaults({ needsMeasurement, failOn }: Policy): readonly string[] {
  if (needsMeasurement) return ["not measured, so it counts as not scannable"];
  return failOn === null ? [] : ["not measured, so --fail-on saw only part of the checks"];
}

function shortfalls({ score, failing, scoreTooLow }: PageVerdict, policy: Policy, verbose: boolean): readonly string[] {
  const { baseline, failOn, failUnder } = policy;
  const flags = [...(baseline === null ? [] : ["--baseline"]), ...(failOn === null ? [] : ["--fail-on"])].join(", ");
  const kind = `${baseline === null ? "findings" : "new findings"}${failOn === null ? "" : ` that are ${failOn} or worse`}`;
  return [
    ...(failing.length > 0 ? [`${kind}: ${counted(failing, verbose, flags)}`] : []),
    ...(scoreTooLow ? [`its score is ${score ?? "not measured"}, under ${failUnder} (--fail-under)`] : []),
  ];
}

/** Number of findings; also the code of a single one, and with `--verbose` all codes. */
function counted(findings: readonly { readonly code: string }[], verbose: boolean, flags: string): string {
  const codes = verbose || findings.length === 1 ? `: ${findings.map(({ code }) => code).join(", ")}` : "";
  return `${findings.length} (${flags})${codes}`;
}

/** What is worth knowing, and changes no exit code. More than one code is listed with `--verbose` alone. */
export function policyNotes(call: JudgedCall): readonly string[] {
  const { verdicts, policy, verbose } = call;
  const listed = (codes: readonly string[]) => (verbose || codes.length === 1 ? codes.join(", ") : String(codes.length));
  const isOutdated = verdicts.some(({ beyondBaseline, fixed }) => beyondBaseline.length + fixed.length > 0);
  return [
    ...acceptNotes(call),
    ...verdicts.flatMap(({ url, beyondBaseline, fixed }) => {
      const notes = [
        ...(beyondBaseline.length === 0 ? [] : [`unknown when the baseline was written, so not counted: ${listed(beyondBaseline)}`]),
        ...(fixed.length === 0 ? [] : [`fixed since the baseline: ${listed(fixed)}`]),
      ];
      return notes.length === 0 ? [] : [`${url}: ${notes.join("; ")}`];
    }),
    ...(!policy.writesBaseline && isOutdated ? ["the baseline is out of date; write it anew with --write-baseline"] : []),
  ];
}

function acceptNotes({ pages, verdicts, policy, checks, acceptFile }: JudgedCall): readonly string[] {
  if (acceptFile === null) return [];
  const accepted = verdicts.flatMap(({ marks }) => [...marks.values()].filter((mark) => mark.accepted !== null)).length;
  const expired = verdicts.flatMap((verdict) => verdict.expired).length;
  const codes = checks.flatMap(({ findings }) => Object.keys(findings));
  const unknown = policy.accepted.filter(({ code }) => !codes.includes(code));
  const unused = unusedEntries(policy.accepted, pages, checks).filter((entry) => !unknown.includes(entry));
  return [
    `${accepted} accepted, ${expired} expired`,
    ...unknown.map(({ code, line }) => {
      const meant = nearest(code, codes);
      return `${acceptFile}, line ${line}: no check reports "${code}"${meant === null ? "" : `; did you mean ${meant}?`}`;
    }),
    ...unused.map(({ code, line }) => `${acceptFile}, line ${line}: nothing to accept, ${code} was not found`),
  ];
}
