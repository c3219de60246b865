/** Tests one built-in check by a table of cases: runs the cases of src/authoring under vitest. */
import { describe, test } from "vitest";
import deDe from "../../locales/de-de.json" with { type: "json" };
import enGb from "../../locales/en-gb.json" with { type: "json" };
import type { AnyCaseTable, CaseEvidence, CaseTable, EvidenceGiven } from "../../src/authoring/evidence-given.ts";
import { testCasesOf } from "../../src/authoring/test-cases.ts";
import type { Check, CheckTexts, FindingCode } from "../../src/check/check.ts";
import type { AnyCheck } from "../../src/check/registry.ts";
import type { ReadingName } from "../../src/evidence/evidence.ts";

interface CollectedTable {
  readonly check: AnyCheck;
  readonly passed: readonly EvidenceGiven[];
  readonly others: readonly EvidenceGiven[];
}

let collected: CollectedTable[] | null = null;

/** Reads the tables of these test files without running their tests. The query loads a second instance of each module. */
export async function collectTables(files: readonly string[]): Promise<readonly CollectedTable[]> {
  const tables: CollectedTable[] = [];
  collected = tables;
  try {
    for (const file of files) await import(`${file}?table`);
  } finally {
    collected = null;
  }
  return tables;
}

const builtInTexts = { "en-gb": enGb.checks, "de-de": deDe.checks } as Record<string, Record<string, CheckTexts>>;

export function testCheck<Code extends FindingCode, Reads extends ReadingName, Consults extends ReadingName, Header extends string>(
  typedCheck: Check<Code, Reads, Consults, Header>,
  typedTable: CaseTable<Code>,
): void {
  const check = typedCheck as unknown as AnyCheck;
  const table = typedTable as unknown as AnyCaseTable;
  if (collected !== null) {
    const others = [table.notApplicable, table.notChecked ?? [], ...Object.values(table.violated)].flat();
    collected.push({ check, passed: table.passed.map(partsOf), others: others.map(partsOf) });
    return;
  }
  const textsIn = (locale: string) => check.texts?.[locale as "en-gb"] ?? builtInTexts[locale]?.[check.key];
  const texts = { "en-gb": textsIn("en-gb"), "de-de": textsIn("de-de") };
  describe(check.key, () => {
    for (const { name, run } of testCasesOf(check, table, { texts, fileOf: (locale) => `locales/${locale}.json` }))
      test(name, () => {
        run();
      });
  });
}

/** Tables of built-in checks hold no captured evidence, because other tests combine their parts. */
function partsOf([words, given]: readonly [string, CaseEvidence, ...unknown[]]): EvidenceGiven {
  if ("subject" in given) throw new Error(`case "${words}" is captured evidence`);
  return given;
}
