/** Templates of a new check that reads one response header, for the repository and for plugins. */
import { type CheckTexts, locales } from "../check/check.ts";

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

/** Source of the check. Texts of a plugin are part of it; those of a built-in check are in `locales/`. */
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
  /** Files of captured evidence by state; null if there are none. */
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
