/** Versions of script libraries, held against the advisories in the evidence. */
import { describe, expect, test } from "vitest";
import check from "../../../checks/script-libraries.ts";
import type { LibraryAdvisory, ScriptLibrary } from "../../../src/evidence/page-facts.ts";
import { judgeEvidence } from "../../../src/judge/ledger.ts";
import { testCheck } from "../../support/check-tester.ts";
import { evidence } from "../../support/evidence.ts";

const advisory = (given: Partial<LibraryAdvisory> = {}): LibraryAdvisory => ({
  atOrAbove: "1.2.0",
  below: "3.5.0",
  excludes: [],
  severity: "medium",
  identifiers: ["CVE-2020-11022"],
  ...given,
});
const library = (given: Partial<ScriptLibrary> = {}): ScriptLibrary => ({
  name: "jquery",
  version: "1.12.4",
  detectedBy: ["url"],
  url: "https://site.example/jquery-1.12.4.js",
  advisories: [advisory()],
  ...given,
});
const libraries = (...all: readonly ScriptLibrary[]) => ({ scriptLibraries: { libraries: all } });
const judged = (given: ScriptLibrary) => judgeEvidence(evidence(libraries(given)), { checks: [check as never], version: "test" }, () => {});
const valuesOf = (given: ScriptLibrary) => judged(given).findings[0]?.values;

testCheck(check, {
  passed: [
    ["the first fixed version", libraries(library({ version: "3.5.0" }))],
    ["a version before the vulnerable ones", libraries(library({ version: "1.1.9" }))],
    ["a library without advisories", libraries(library({ advisories: [] }))],
    ["an excluded version", libraries(library({ advisories: [advisory({ excludes: ["1.12.4"] })] }))],
    ["a bound that cannot be read", libraries(library({ advisories: [advisory({ below: "later" })] }))],
  ],
  notApplicable: [
    ["no library", {}],
    ["an image", { page: { mediaType: "image/png" } }],
  ],
  notChecked: [
    ["libraries were dropped", { scriptLibraries: { librariesDropped: 1 } }],
    ["the start of a file was not read", { scriptLibraries: { bannersUnread: 1 } }],
    ["the variables of the page were not read", { scriptLibraries: { libraries: [library({ version: "3.5.0" })], variablesRead: false } }],
    ["the list is more than a year old", { scannedAt: "2027-08-24T00:00:00.000Z", ...libraries(library({ version: "3.5.0" })) }],
  ],
  violated: {
    "security.content.vulnerable-library-high": [
      [
        "an advisory of high severity among others",
        libraries(
          library({
            advisories: [
              advisory({ below: "3.4.0", severity: "low", identifiers: [] }),
              advisory(),
              advisory({ severity: "high", identifiers: ["CVE-2026-1234"] }),
            ],
          }),
        ),
        {
          values: {
            library: "jquery",
            version: "1.12.4",
            fixedIn: "3.5.0",
            identifiers: "CVE-2026-1234, CVE-2020-11022",
            total: 3,
            date: "2026-08-22",
          },
        },
      ],
      ["an advisory of critical severity", libraries(library({ advisories: [advisory({ severity: "critical" })] }))],
    ],
    "security.content.vulnerable-library-medium": [
      ["medium", libraries(library())],
      ["the last vulnerable version", libraries(library({ version: "3.4.1" }))],
      ["a release candidate of the fixed version", libraries(library({ version: "3.5.0-rc.1" }))],
      ["although other libraries were dropped", { scriptLibraries: { libraries: [library()], librariesDropped: 1, variablesRead: false } }],
      ["although the list is old", { scannedAt: "2029-01-01T00:00:00.000Z", ...libraries(library()) }],
      [
        "beside a library with a mild advisory",
        libraries(library({ name: "vue", version: "2.7.0", advisories: [advisory({ severity: "low" })] }), library()),
        { also: ["security.content.vulnerable-library-low"] },
      ],
      [
        "the same advisory in two ranges",
        libraries(library({ advisories: [advisory(), advisory({ below: "3.0.0" })] })),
        { values: { total: 1 } },
      ],
    ],
    "security.content.vulnerable-library-low": [
      [
        "low, without identifier",
        libraries(library({ advisories: [advisory({ severity: "low", identifiers: [] })] })),
        { values: { identifiers: "-" } },
      ],
    ],
    "security.content.vulnerable-library-unfixed": [
      ["every version is affected", libraries(library({ advisories: [advisory({ below: "999.999.999" })] })), { values: { total: 1 } }],
    ],
  },
});

describe("the first fixed version", () => {
  test.each([
    ["lies above the ranges of all advisories", ["3.0.0", "3.4.0", "3.5.0"], "3.5.0"],
    ["is a release", ["3.0.0-beta1"], "3.0.0"],
    ["follows the last version of a branch", ["3.999.999"], "4.0.0"],
  ])("%s", (_words, belows, fixedIn) => {
    expect(valuesOf(library({ advisories: belows.map((below) => advisory({ below })) }))).toMatchObject({ fixedIn });
  });

  test("is in no range of a later branch", () => {
    const advisories = [
      advisory({ below: "3.4.2" }),
      advisory({ atOrAbove: null, below: "3.999.999" }),
      advisory({ atOrAbove: "4.0.0", below: "4.3.1" }),
    ];
    expect(valuesOf(library({ advisories }))).toMatchObject({ fixedIn: "4.3.1", total: 1 });
  });
});

test("a finding lists a limited number of identifiers", () => {
  const advisories = Array.from({ length: 30 }, (_, at) => advisory({ identifiers: [`CVE-2020-${1000 + at}`] }));
  const values = valuesOf(library({ advisories }));
  expect(values?.total).toBe(30);
  expect(String(values?.identifiers)).toMatch(/^(CVE-2020-\d{4}, ){8}\.\.\.$/);
});

test("the worst libraries come first, so that a limit drops the mildest", () => {
  const mild = Array.from({ length: 25 }, (_, at) => library({ name: `a${at}`, advisories: [advisory({ severity: "low" })] }));
  const worst = library({ name: "z", advisories: [advisory({ severity: "critical" })] });
  const { findings, ledger } = judgeEvidence(evidence(libraries(...mild, worst)), { checks: [check as never], version: "test" }, () => {});
  expect(findings[0]?.values.library).toBe("z");
  expect(ledger[0]?.charged).toBe(4);
});

test.each([
  ["high", 4],
  ["medium", 3],
  ["low", 1],
] as const)("severity %s charges %d", (severity, charged) => {
  expect(judged(library({ advisories: [advisory({ severity })] })).ledger[0]?.charged).toBe(charged);
});
