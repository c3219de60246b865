/** Files of a new plugin: a folder that needs nothing but this program. */
import document from "../../docs/writing-checks.md" with { type: "text" };
import type { Evidence } from "../evidence/evidence.ts";
import { read } from "../evidence/evidence.ts";
import type { HeaderField } from "../evidence/http-facts.ts";
import typesOfPluginApi from "./assay-check.txt" with { type: "text" };
import { checkSource, type NewCheck, testSource, textsToFillIn } from "./templates.ts";

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
