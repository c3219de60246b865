/** Independent readers of the export formats. Each throws for a file that breaks its format. */
import sarifSchema from "@microsoft/sarif-multitool-linux/sarif-2.1.0.json" with { type: "json" };
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { parse } from "csv-parse/sync";
import { XmlDocument, type XmlElement } from "libxml2-wasm";
import MarkdownIt, { type Token } from "markdown-it";
import { openapiDocument } from "../../src/api/openapi.ts";
import type { FullReport } from "../../src/text/render.ts";

const ajv = new Ajv2020({ allErrors: true, strict: false });
ajv.addFormat("uri", (text) => URL.canParse(text));
ajv.addFormat("uri-reference", (text) => URL.canParse(text, "https://base.example/") && !/[^\x21-\x7e]/.test(text));
ajv.addFormat("date-time", (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) && !Number.isNaN(Date.parse(text)));
ajv.addFormat("uuid", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);

function checked<T>(validate: ValidateFunction, value: unknown): T {
  if (!validate(value)) throw new Error(ajv.errorsText(validate.errors, { separator: "\n" }));
  return value as T;
}

/** Files are Unicode without byte order mark and lone surrogates. */
function decoded(text: string): string {
  if (!text.isWellFormed()) throw new Error("has a lone surrogate");
  if (text.startsWith("\ufeff")) throw new Error("begins with a byte order mark");
  return text;
}

/** JSON whose strings are well-formed, escapes included. */
function parsedJson(text: string): unknown {
  return JSON.parse(decoded(text), (_key, value) => (typeof value === "string" ? decoded(value) : value));
}

interface SarifMessage {
  readonly text: string;
  readonly markdown?: string;
}

export interface SarifRule {
  readonly id: string;
  readonly name: string;
  readonly shortDescription: SarifMessage;
  readonly fullDescription: SarifMessage;
  readonly help: SarifMessage;
  readonly helpUri?: string;
  readonly defaultConfiguration: { readonly level: string };
  readonly properties: { readonly tags: readonly string[]; readonly precision: string; readonly "security-severity"?: string };
}

export interface SarifResult {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: string;
  readonly message: SarifMessage;
  readonly locations: readonly [
    {
      readonly physicalLocation: { readonly artifactLocation: { readonly uri: string }; readonly region: object };
      readonly logicalLocations: readonly [{ readonly fullyQualifiedName: string }];
    },
  ];
  readonly partialFingerprints: { readonly primaryLocationLineHash: string };
  readonly baselineState?: string;
  readonly suppressions?: readonly { readonly kind: string; readonly status: string; readonly justification: string }[];
}

export interface SarifRun {
  readonly tool: {
    readonly driver: { readonly semanticVersion: string; readonly informationUri: string; readonly rules: readonly SarifRule[] };
  };
  readonly automationDetails: { readonly id: string };
  readonly invocations: readonly [{ readonly toolExecutionNotifications: readonly { readonly message: SarifMessage }[] }];
  readonly results: readonly SarifResult[];
}

const validateSarif = ajv.compile(sarifSchema);

/** Reads SARIF by the schema of the OASIS standard. */
export function readSarif(text: string): readonly SarifRun[] {
  return checked<{ readonly runs: readonly SarifRun[] }>(validateSarif, parsedJson(text)).runs;
}

export interface GitlabIssue {
  readonly description: string;
  readonly check_name: string;
  readonly fingerprint: string;
  readonly severity: string;
  readonly location: { readonly path: string; readonly lines: { readonly begin: number } };
}

const filled = { type: "string", minLength: 1 };
/** The fields that GitLab documents for Code Quality reports. */
const validateGitlab = ajv.compile({
  type: "array",
  items: {
    type: "object",
    additionalProperties: false,
    required: ["description", "check_name", "fingerprint", "severity", "location"],
    properties: {
      description: filled,
      check_name: filled,
      fingerprint: filled,
      severity: { enum: ["info", "minor", "major", "critical", "blocker"] },
      location: {
        type: "object",
        additionalProperties: false,
        required: ["path", "lines"],
        properties: {
          path: { type: "string", pattern: "^[^/]" },
          lines: {
            type: "object",
            additionalProperties: false,
            required: ["begin"],
            properties: { begin: { type: "integer", minimum: 1 } },
          },
        },
      },
    },
  },
});

export function readGitlab(text: string): readonly GitlabIssue[] {
  return checked(validateGitlab, parsedJson(text));
}

ajv.addSchema(openapiDocument(), "openapi");
const validateReport = ajv.compile({ $ref: "openapi#/components/schemas/FullReport" });

/** Reads reports by the schema of the API's own description. */
export function readReports(text: string): readonly FullReport<unknown, unknown>[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => checked(validateReport, JSON.parse(line)));
}

export type CsvRecord = Readonly<Record<string, string>>;

/** Reads CSV by RFC 4180: every line has all columns, and only quoted values have quotes. */
export function readCsv(text: string): readonly CsvRecord[] {
  return parse<Record<string, string>>(decoded(text), { columns: true, record_delimiter: "\r\n" });
}

export interface JunitCase {
  readonly classname: string;
  readonly name: string;
  readonly outcome: string;
  readonly message: string | null;
  readonly type: string | null;
  readonly text: string;
}

export interface JunitSuite {
  readonly name: string;
  /** Attributes by name. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly cases: readonly JunitCase[];
}

/** Reads JUnit files with libxml2. */
export function readJunit(text: string): { readonly attributes: Readonly<Record<string, string>>; readonly suites: readonly JunitSuite[] } {
  using document = XmlDocument.fromString(decoded(text));
  if (document.root.name !== "testsuites") throw new Error(`the root is ${document.root.name}`);
  return { attributes: attributesOf(document.root), suites: elementsIn(document.root, "testsuite").map(junitSuite) };
}

function junitSuite(suite: XmlElement): JunitSuite {
  const attributes = attributesOf(suite);
  return { name: attributes.name ?? "", attributes, cases: elementsIn(suite, "testcase").map(junitCase) };
}

function junitCase(element: XmlElement): JunitCase {
  const { classname = "", name = "" } = attributesOf(element);
  const [outcome, ...others] = elementsIn(element, "*");
  if (others.length > 0) throw new Error(`${classname} ${name} has several outcomes`);
  const { message = null, type = null } = outcome === undefined ? {} : attributesOf(outcome);
  const isPassed = outcome === undefined || outcome.name === "system-out";
  return { classname, name, outcome: isPassed ? "passed" : outcome.name, message, type, text: outcome?.content ?? "" };
}

function elementsIn(parent: XmlElement, name: string): readonly XmlElement[] {
  return parent.find(`./${name}`) as XmlElement[];
}

function attributesOf(element: XmlElement): Readonly<Record<string, string>> {
  return Object.fromEntries(element.attrs.map(({ name, content }) => [name, content]));
}

interface MarkdownFile {
  readonly html: string;
  readonly inline: readonly Token[];
  /** Texts of paragraphs, headings and cells as a reader sees them, without empty ones. */
  readonly blocks: readonly string[];
}

/** Reads Markdown with markdown-it, with HTML as services allow it. Tables are an extension of GitHub that is on by default. */
export function readMarkdown(text: string): MarkdownFile {
  const markdown = new MarkdownIt({ html: true });
  const inline = markdown.parse(decoded(text), {}).map(({ children }) => children ?? []);
  const visible = (token: Token) => (token.type === "html_inline" ? "" : token.content);
  const blocks = inline.map((tokens) => tokens.map(visible).join("").trim()).filter((block) => block !== "");
  return { html: markdown.render(text), inline: inline.flat(), blocks };
}
