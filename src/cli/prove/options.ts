/** What is to be proven, from the options of `assay prove`. */
import type { ReplacedHeader } from "../../probe/browser/page-fetch.ts";
import { draftStarts, plannedHeaderCharsMax, plannedHeadersMax, policyFaultText } from "../../prove/plan.ts";
import { faultsOfPolicy, onOneLine } from "../../prove/policy-faults.ts";
import type { ProofPlan } from "../../prove/prove.ts";
import { type GlobalValues, repeated, type Values } from "../command.ts";
import { usageError } from "../exit.ts";
import { inputBytes } from "../input.ts";
import { type OutputFile, openOutputFile } from "../output-file.ts";
import { quotedText } from "../terminal.ts";

/** RFC 9110 section 5.1: a field name is a token. */
const headerPattern = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/;

export const proveOptions = {
  "--policy <file>": "prove the Content Security Policy of this file, which may have line breaks",
  "--draft <start>": { text: "draft a policy, beginning with strict ones or with hosts (default: strict)", choices: ["strict", "hosts"] },
  "--header <field>": { text: 'send this header too, as "Name: value"; "Name:" takes one away (repeatable)', parse: repeated },
  "-o, --output <json=path>": "write the whole proof as JSON; the path - is stdout",
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

/** Null without the option. `file` is null for stdout. */
export function proofOutputFrom(text: string | undefined): { readonly file: OutputFile | null } | null {
  if (text === undefined) return null;
  const [, path] = /^json=(.+)$/s.exec(text) ?? [];
  if (path === undefined) throw usageError(`-o ${quotedText(text)} must be json=PATH; the path - is stdout`);
  return { file: path === "-" ? null : openOutputFile(path) };
}
