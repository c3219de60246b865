/** The module `assay/check/testing`: what test files of plugins import. */
import { resolve } from "node:path";
import type { Check, FindingCode } from "../check/check.ts";
import type { AnyCheck } from "../check/registry.ts";
import type { Evidence, ReadingName } from "../evidence/evidence.ts";
import { readEvidenceFile } from "./evidence-file.ts";
import type { AnyCaseTable, CaseTable } from "./evidence-given.ts";

export { failed, read } from "../evidence/evidence.ts";
export type { Case, CaseEvidence, CaseTable, EvidenceGiven, HeadersGiven, ViolationCase } from "./evidence-given.ts";
export {
  certificate,
  evidence,
  headerFields,
  httpAnswer,
  nameServer,
  textRecords,
  weakOffer,
  weakSuiteAnswers,
} from "./evidence-given.ts";

export interface TestedTable {
  readonly check: AnyCheck;
  readonly table: AnyCaseTable;
}

interface Collection {
  readonly folder: string;
  readonly tables: TestedTable[];
}

let collection: Collection | null = null;

/** Tables that a test file declares while `load` imports it. Paths of its evidence files are relative to `folder`. */
export async function collectTestedTables(folder: string, load: () => Promise<unknown>): Promise<readonly TestedTable[]> {
  const collecting: Collection = { folder, tables: [] };
  collection = collecting;
  try {
    await load();
  } finally {
    collection = null;
  }
  return collecting.tables;
}

/** Declares the cases of a check. They run in `assay checks test`, which adds cases with failed readings and cut headers. */
export function testCheck<Code extends FindingCode, Reads extends ReadingName, Consults extends ReadingName, Header extends string>(
  check: Check<Code, Reads, Consults, Header>,
  table: CaseTable<Code>,
): void {
  currentCollection("testCheck").tables.push({ check: check as unknown as AnyCheck, table: table as unknown as AnyCaseTable });
}

/**
 * Evidence of a file beside the test file: captured by `assay evidence capture`, or a full report.
 * @throws EvidenceFileError for a file without evidence.
 */
export function evidenceFile(name: string): Evidence {
  return readEvidenceFile(resolve(currentCollection("evidenceFile").folder, name));
}

function currentCollection(caller: string): Collection {
  if (collection === null) throw new Error(`${caller} works while a test file is loaded by "assay checks test"`);
  return collection;
}
