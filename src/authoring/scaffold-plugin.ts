/** Templates of a new check that reads one response header, and the files of a new plugin: a folder that needs only this program. */
import document from "../../docs/writing-checks.md" with { type: "text" };
import { type CheckTexts, locales } from "../check/check.ts";
import { type Evidence, read } from "../evidence/evidence.ts";
import type { HeaderField } from "../evidence/http-facts.ts";
import typesOfPluginApi from "./assay-check.txt" with { type: "text" };

interface PluginFileText {
  /** Name in the folder of the plugin. */
  readonly name: string;
  readonly text: string;
}

const captured = { passed: "passed.json", violated: "violated.json" } as const;

/** Settings for editors and `tsc`. The types of the plugin API are in `assay-check.d.ts`. */
const tsconfig = {
  compilerOptions: {
    target: "esnext",
    module: "preserve",
    moduleResolution: "bundler",
    lib: ["esnext", "dom"],
    types: [],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
  },
  include: ["*.ts"],
};

/** `sample` is evidence of any site whose page was read: the captured evidences are made of it. */
export function scaffoldPlugin(check: NewCheck, sample: Evidence): readonly PluginFileText[] {
  const { key } = check;
  return [
    { name: `${key}.ts`, text: checkSource(check, textsToFillIn(check)) },
    { name: `${key}.test.ts`, text: testSource(check, { checkImport: `./${key}.ts`, testerImport: "assay/check/testing", captured }) },
    { name: captured.passed, text: evidenceText(withHeader(sample, check.header, "value")) },
    { name: captured.violated, text: evidenceText(withHeader(sample, check.header, null)) },
    { name: "assay-check.d.ts", text: typesOfPluginApi },
    { name: "tsconfig.json", text: `${JSON.stringify(tsconfig, null, 2)}\n` },
    { name: "README.md", text: readme(check) },
  ];
}

export function evidenceText(evidence: Evidence): string {
  return `${JSON.stringify(evidence, null, 2)}\n`;
}

/** The page with this header, or without it; a value of the sample's own stays. */
function withHeader(sample: Evidence, header: string, value: string | null): Evidence {
  const { page } = sample;
  if (page.status === "failed") throw new Error("the page of the sample was not read");
  const name = header.toLowerCase();
  const isNamed = (field: HeaderField) => field.name.toLowerCase() === name;
  const { headers } = page.facts;
  if (value !== null && headers.some(isNamed)) return sample;
  const others = headers.filter((field) => !isNamed(field));
  const added = value === null ? [] : [{ name, value, truncated: false }];
  return { ...sample, page: read({ ...page.facts, headers: [...others, ...added] }) };
}

function readme({ key, header }: NewCheck): string {
  return `# ${key}

A check of the response header ${header}, for your own installation of assay. Type the commands in this folder.

1. \`assay checks test --watch\` runs the cases of ${key}.test.ts after every save. It fails until every text is written.
2. Edit ${key}.ts: the rule in \`judge\`, the finding with its severity, and the texts in both languages.
   \`assay-check.d.ts\` holds the types, so that editors complete names and mark mistakes. No node and no package is needed.
3. \`assay checks try ${key}.ts https://example.com\` shows verdict, values and texts for a real page.
4. \`assay evidence capture https://example.com -o example.json\` captures evidence for a case:
   \`["example.com", evidenceFile("example.json")]\`. \`assay evidence show example.json\` prints what a check can read.
5. \`cp ${key}.ts DATA/checks/\`, where DATA is the data directory of the server, then \`kill -HUP\` its process:
   from the next scan on, the check is in every report, and the page /checks describes it.

| file | holds |
| --- | --- |
| ${key}.ts | the check: the only file that the server needs |
| ${key}.test.ts | its cases |
| ${captured.passed}, ${captured.violated} | captured evidence of one page, with and without the header |
| assay-check.d.ts, tsconfig.json | types of \`assay/check\`, for editors and for \`tsc -p .\` |

${sectionsOfDocument.map(sectionOf).join("")}`;
}

/** Parts of the document that an author needs while writing. */
const sectionsOfDocument = ["Tools for plugins", "The contract", "Fixes"];

/** A section of docs/writing-checks.md. Its links lead to files that are not here, so only their words stay. @throws Error without it. */
function sectionOf(title: string): string {
  const section = document.split(/^(?=## )/m).find((text) => text.startsWith(`## ${title}\n`));
  if (section === undefined) throw new Error(`docs/writing-checks.md has no section "${title}"`);
  return section.replace(/\[([^\]]+)\]\((?!https:)[^)]*\)/g, "$1");
}

/** Key of the check, and the response header in its usual spelling. */
export interface NewCheck {
  readonly key: string;
  readonly header: string;
}

/** A check that passes and fails by this value, so that its test passes at once. */
const exampleValue = "value";

export function codeOfNewCheck({ key }: NewCheck): string {
  return `security.missing-header.${key}`;
}

/** Source of the check. Texts of a plugin are part of it; texts of a built-in check are in `locales/`. */
export function checkSource(check: NewCheck, texts: CheckTexts | null): string {
  const { key, header } = check;
  const code = codeOfNewCheck(check);
  const name = header.toLowerCase();
  return `/** Checks the response header ${header}. */
import { passed, registerCheck, setHeader, violated } from "assay/check";

export default registerCheck({
  key: "${key}",
  weight: 1,
  area: "headers",
  reads: ["page"],
  headers: ["${name}"],
  findings: {
    "${code}": { severity: "info", riskLevel: "low", effort: "low" },
  },
  fixes: {
    "${code}": [setHeader("${header}", "${exampleValue}")],
  },
  judge({ headers }) {
    const [value] = headers${/^\w+$/.test(name) ? `.${name}` : `["${name}"]`};
    return value === undefined ? violated("${code}") : passed();
  },${texts === null ? "" : textsSource(texts)}
});
`;
}

function textsSource(texts: CheckTexts): string {
  const blocks = locales.map((locale) => `"${locale}": ${sourceOf(texts, "    ")},`);
  return `
  texts: {
    ${blocks.join("\n    ")}
  },`;
}

/** A text or an object of texts as TypeScript, formatted as editors do it. */
function sourceOf(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const lines = Object.entries(value).map(
    ([name, part]) => `${inner}${/^\w+$/.test(name) ? name : `"${name}"`}: ${sourceOf(part, inner)},\n`,
  );
  return `{\n${lines.join("")}${indent}}`;
}

/** Places that differ between the repository and the folder of a plugin. */
interface TestPlace {
  readonly checkImport: string;
  readonly testerImport: string;
  /** Files of captured evidence by state; null without files. */
  readonly captured: { readonly passed: string; readonly violated: string } | null;
}

export function testSource(check: NewCheck, { checkImport, testerImport, captured }: TestPlace): string {
  const code = codeOfNewCheck(check);
  const header = `{ headers: { "${check.header.toLowerCase()}": "${exampleValue}" } }`;
  const capturedCase = (file: string, indent: string) => `\n${indent}["captured", evidenceFile("${file}")],`;
  const ofPassed = captured === null ? "" : capturedCase(captured.passed, "    ");
  const ofViolated = captured === null ? "" : capturedCase(captured.violated, "      ");
  return `/** Cases of the check of the response header ${check.header}. */
import check from "${checkImport}";
import { ${captured === null ? "" : "evidenceFile, "}testCheck } from "${testerImport}";

testCheck(check, {
  passed: [
    ["the header is sent", ${header}],${ofPassed}
  ],
  notApplicable: [],
  violated: {
    "${code}": [
      ["no header", {}],${ofViolated}
    ],
  },
});
`;
}

/** `Fill in` marks what the author has to write; the test of the check fails as long as it is there. */
export function textsToFillIn(check: NewCheck): CheckTexts {
  return {
    label: check.key,
    reason: "Fill in: why this is checked.",
    method: "Fill in: what is read, and which value decides.",
    findings: {
      [codeOfNewCheck(check)]: {
        title: `Fill in: the fact, such as ${check.header} is missing`,
        detail: "Fill in: what was found on {{host}}.",
        riskStatement: "Fill in: what can happen.",
        remediation: "Fill in: what to do.",
      },
    },
  };
}
