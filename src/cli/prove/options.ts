/** What is to be proven, from the options of `assay prove`. */
import { provePagesMax } from "../../evidence/proof.ts";
import type { ReplacedHeader } from "../../probe/browser/page-fetch.ts";
import { draftStarts, plannedHeaderCharsMax, plannedHeadersMax, policyFaultText, provenPages } from "../../prove/plan.ts";
import { faultsOfPolicy, onOneLine } from "../../prove/policy-faults.ts";
import type { ProofPlan } from "../../prove/prove.ts";
import { serverNames } from "../../text/servers/server-lines.ts";
import { type GlobalValues, repeated, type Values } from "../command.ts";
import { usageError } from "../exit.ts";
import { inputBytes } from "../input.ts";
import { type OutputFile, openOutputFile } from "../output-file.ts";
import { assertDistinct, assertKept } from "../scan/outputs.ts";
import { quotedText } from "../terminal.ts";

/** RFC 9110 section 5.1: a field name is a token. */
const headerPattern = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/;

export const proveOptions = {
  "--policy <file>": "prove the Content Security Policy of this file, which may have line breaks",
  "--draft <start>": { text: "draft a policy, beginning with strict ones or with hosts (default: strict)", choices: ["strict", "hosts"] },
  "--header <field>": { text: 'send this header too, as "Name: value"; "Name:" takes one away (repeatable)', parse: repeated },
  "--write <file>": "write the proven headers to this file; with --format, as lines for that server",
  "--format <server>": { text: "print the headers as lines for this server", choices: serverNames },
  "-o, --output <format=path>": { text: "write a file: json or html; the path - is stdout (repeatable)", parse: repeated },
  "--urls <file>": "prove the policy on the pages of this file too, one a line; # begins a comment",
  "--from-sitemap <url>": `prove it on the pages of this sitemap too; the first ${provePagesMax} pages are visited`,
  "--header-file <file>": "as in assay scan: request headers for the page's own origin",
  "--cookie-file <file>": "as in assay scan: cookies for the page's own origin",
} as const;
export type ProveOptions = Values<typeof proveOptions> & GlobalValues;

/** @throws CliError for the first fault; then nothing is visited. */
export function planFrom({ policy: file, draft, header = [] }: ProveOptions): ProofPlan {
  if (file !== undefined && draft !== undefined) throw usageError("--policy and --draft exclude each other");
  if (header.length > plannedHeadersMax) throw usageError(`--header may be given ${plannedHeadersMax} times`);
  const headers = header.map(headerFrom);
  const policy = file === undefined ? null : policyFrom(file, new TextDecoder().decode(inputBytes(file, plannedHeaderCharsMax)));
  const needsDraft = policy === null && (draft !== undefined || headers.length === 0);
  return { policy, headers, draft: needsDraft ? draftStarts[draft ?? "strict"] : null };
}

function headerFrom(text: string): ReplacedHeader {
  const [, name, value = ""] = headerPattern.exec(text) ?? [];
  if (name === undefined) throw usageError(`--header "${quotedText(text)}" must be "Name: value"`);
  if (/^content-security-policy$/i.test(name)) throw usageError("--header takes no Content-Security-Policy: --policy FILE does");
  if (/[^\t\x20-\x7e]/.test(value)) throw usageError(`--header ${name}: the value may have printable ASCII characters only`);
  return { name, value: value.trim() === "" ? null : value.trim() };
}

function policyFrom(file: string, text: string): string {
  // A file may hold the whole header line.
  const policy = text.replace(/^\s*content-security-policy:/i, (name) => name.replace(/\S/g, " "));
  const faults = faultsOfPolicy(policy);
  if (faults.length > 0) throw usageError(faults.map((fault) => `${file}, ${policyFaultText(fault, quotedText)}`).join("\nassay: "));
  return onOneLine(policy);
}

const outputFormats = ["json", "html"] as const;

export interface ProofOutput {
  readonly format: (typeof outputFormats)[number];
  /** Null for stdout. */
  readonly file: OutputFile | null;
}

export interface ProofFiles {
  readonly outputs: readonly ProofOutput[];
  /** File of the proven headers. */
  readonly headers: OutputFile | null;
}

/** @throws CliError for the first file that cannot be written, or that another option names, too. */
export function proofFilesFrom({ output = [], write, format, policy, urls, headerFile, cookieFile }: ProveOptions): ProofFiles {
  const outputs = output.map(outputFrom);
  const toStdout = outputs.filter(({ file }) => file === null).length;
  if (toStdout > 1) throw usageError("stdout takes one output: -o FORMAT=-");
  if (toStdout > 0 && format !== undefined && write === undefined)
    throw usageError("--format prints to stdout, which has the file of -o: --write FILE takes the lines");
  const headers = write === undefined ? null : openOutputFile(write);
  const files = [headers, ...outputs.map(({ file }) => file)].filter((file) => file !== null);
  assertDistinct(files);
  assertKept([policy, urls, headerFile, cookieFile], files);
  return { outputs, headers };
}

function outputFrom(text: string): ProofOutput {
  const [, name = "", path = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const format = outputFormats.find((known) => known === name);
  if (format === undefined || path === "") throw usageError(`-o ${quotedText(text)} must be json=PATH or html=PATH; the path - is stdout`);
  return { format, file: path === "-" ? null : openOutputFile(path) };
}

/** @throws CliError for a page of another origin. */
export function assertOneOrigin(urls: readonly string[]): void {
  const { fault } = provenPages(urls, provePagesMax);
  if (fault?.code === "origin")
    throw usageError(
      `${quotedText(fault.url)} is not of ${fault.origin}: one policy is proven for one origin. Prove each origin by itself`,
    );
}

/** The first pages are visited; a sitemap may name more. @throws CliError for too many pages that the user named. */
export function pagesToProve(urls: readonly string[], hasSitemap: boolean) {
  const { fault } = provenPages(urls, provePagesMax);
  if (fault?.code === "too-many" && !hasSitemap)
    throw usageError(`${fault.pages} URLs are too many for one proof; it takes ${provePagesMax}`);
  return { pages: urls.slice(0, provePagesMax), leftOut: urls.slice(provePagesMax) };
}
