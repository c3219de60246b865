/** Runs in a thread: imports the code of an author, and tests or tries it. Everything that it posts is plain data. */
import { realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type DeclarationFault, faultAt, type PluginFault, placeOfProperty } from "../catalog/fault.ts";
import { type ModuleRecord, provideModules, recordModules } from "../catalog/plugin-modules.ts";
import { definitionOf, importFault } from "../catalog/plugin-thread.ts";
import { faultsOfCheck, unknownKeysOf } from "../catalog/validate.ts";
import { registeredChecks } from "../check/registry.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { CaseFault, type CasePlace, type TestCase, testCasesOf } from "./test-cases.ts";
import * as testingApi from "./testing.ts";
import { type TriedVerdict, tryCheck } from "./try-check.ts";

export type AuthorTask =
  /** Runs the cases of a test file; `checkFile` is the check beside it. */
  | { readonly kind: "test"; readonly testFile: string; readonly checkFile: string }
  /** Judges evidence with one check. */
  | { readonly kind: "try"; readonly checkFile: string; readonly evidence: Evidence };

/** A case that was run. */
export interface RanCase {
  readonly group: string;
  readonly name: string;
  /** Time of the slower judgement, in milliseconds. */
  readonly judgeMs: number;
  /** Null for a case that passed. */
  readonly fault: PluginFault | null;
}

export interface TriedPlugin extends TriedVerdict {
  /** Faults of the declarations: a server would refuse the check. */
  readonly faults: readonly PluginFault[];
  /** What `judge` threw, or how its verdict breaks the contract. */
  readonly broken: PluginFault | null;
}

export type AuthorMessage =
  | { readonly type: "refused"; readonly faults: readonly PluginFault[] }
  /** Sent before a judgement, so that one that never ends can be named. */
  | { readonly type: "running"; readonly name: string; readonly place: PluginFault }
  | { readonly type: "ran"; readonly ran: RanCase }
  | { readonly type: "tried"; readonly tried: TriedPlugin }
  | { readonly type: "end" };

type Post = (message: AuthorMessage) => void;

/** What cannot be loaded or used is refused with its place: code of authors is not type-checked. */
export async function runAuthorTask(task: AuthorTask, post: Post): Promise<void> {
  provideModules({ "assay/check/testing": testingApi });
  const record = recordModules(null);
  const file = realpathSync(task.kind === "test" ? task.testFile : task.checkFile);
  try {
    if (task.kind === "test") await runTest(file, task.checkFile, record, post);
    else await runTry(file, task.evidence, record, post);
  } catch (error) {
    post({ type: "refused", faults: [importFault(error, file, record)] });
  }
  post({ type: "end" });
}

async function runTest(test: string, checkFile: string, record: ModuleRecord, post: Post): Promise<void> {
  const check = realpathSync(checkFile);
  const tables = await testingApi.collectTestedTables(dirname(test), () => import(test));
  const [tested] = tables;
  const refuse = (reason: string) => post({ type: "refused", faults: [locatedAt(test, record, ["testCheck"], reason)] });
  if (tested === undefined || tables.length > 1) return refuse(`must call testCheck once, but called it ${tables.length} times`);
  if (record.sourceOf(check) === undefined) return refuse(`must test the check of ${basename(checkFile)}, which it does not import`);
  const pathOf = ({ file, path }: CasePlace) => ({ file: file === "check" ? check : test, path });
  const texts = { texts: tested.check.texts ?? {}, fileOf: () => basename(checkFile) };
  for (const testCase of testCasesOf(tested.check, tested.table, texts)) {
    const { file, path } = pathOf(testCase.place);
    post({ type: "running", name: testCase.name, place: locatedAt(file, record, path, "") });
    post({ type: "ran", ran: ranCase(testCase, (place, reason) => locatedAt(pathOf(place).file, record, place.path, reason), record) });
  }
}

function ranCase(testCase: TestCase, located: (place: CasePlace, reason: string) => PluginFault, record: ModuleRecord): RanCase {
  const { group, name } = testCase;
  try {
    return { group, name, judgeMs: testCase.run(), fault: null };
  } catch (error) {
    const ofCase = located(testCase.place, "");
    const fault =
      error instanceof CaseFault ? located(error.place ?? testCase.place, error.message) : importFault(error, ofCase.file, record);
    // An exception that names no line of the author is one of the case.
    const placed = fault.line === null ? { ...ofCase, reason: fault.reason } : fault;
    return { group, name, judgeMs: 0, fault: { ...placed, reason: `${name}: ${placed.reason}` } };
  }
}

async function runTry(file: string, evidence: Evidence, record: ModuleRecord, post: Post): Promise<void> {
  const before = registeredChecks().length;
  await import(file);
  const checks = registeredChecks().slice(before);
  const [check] = checks;
  if (check === undefined || checks.length > 1) {
    const reason = `must register exactly one check, but registered ${checks.length}`;
    return post({ type: "refused", faults: [locatedAt(file, record, ["key"], reason)] });
  }
  const located = ({ path, reason }: DeclarationFault) => locatedAt(file, record, path, reason);
  const faults = [...faultsOfCheck(check), ...unknownKeysOf(check)].map(located);
  if (typeof check.judge !== "function") return post({ type: "refused", faults });
  post({ type: "running", name: "judge", place: locatedAt(file, record, ["judge"], "") });
  const { result, judged, thrown, fault } = tryCheck(check, evidence);
  const definition = definitionOf(check);
  const ofVerdict = fault === null ? null : locatedAt(file, record, ["judge"], fault);
  const ofThrown = thrown === null ? null : importFault(thrown.error, file, record);
  // An exception that names no line of the author is one of the verdict.
  const broken = ofThrown === null || ofThrown.line === null ? ofVerdict : ofThrown;
  post({ type: "tried", tried: { definition, texts: definition.texts ?? {}, result, judged, faults, broken } });
}

function locatedAt(file: string, record: ModuleRecord, path: readonly string[], reason: string): PluginFault {
  return faultAt(file, placeOfProperty(record.sourceOf(file) ?? "", path), reason);
}
