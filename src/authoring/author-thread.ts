/** Runs in a thread: imports the code of an author, and tests or tries it. Everything that it posts is plain data. */
import { realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type DeclarationFault, type PluginFault, placeOfProperty, type SourcePlace } from "../catalog/fault.ts";
import { type ModuleRecord, provideModules, recordModules } from "../catalog/plugin-modules.ts";
import { definitionOf, importFault } from "../catalog/plugin-thread.ts";
import { unknownKeysOf } from "../catalog/unknown-keys.ts";
import { faultsOfCheck } from "../catalog/validate.ts";
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
  /** Of the slower judgement, in milliseconds. */
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
  | { readonly type: "loading"; readonly file: string }
  | { readonly type: "refused"; readonly faults: readonly PluginFault[] }
  /** Sent before a judgement, so that one that never ends can be named. */
  | { readonly type: "running"; readonly name: string; readonly place: PluginFault }
  | { readonly type: "ran"; readonly ran: RanCase }
  | { readonly type: "tried"; readonly tried: TriedPlugin }
  | { readonly type: "end" };

type Post = (message: AuthorMessage) => void;

export async function runAuthorTask(task: AuthorTask, post: Post): Promise<void> {
  provideModules({ "assay/check/testing": testingApi });
  const record = recordModules(null);
  if (task.kind === "test") await runTest(task, record, post);
  else await runTry(task, record, post);
  post({ type: "end" });
}

async function runTest({ testFile, checkFile }: AuthorTask & { kind: "test" }, record: ModuleRecord, post: Post): Promise<void> {
  const [test, check] = [realpathSync(testFile), realpathSync(checkFile)];
  post({ type: "loading", file: testFile });
  let tables: readonly testingApi.TestedTable[];
  try {
    tables = await testingApi.collectTestedTables(dirname(test), () => import(test));
  } catch (error) {
    return post({ type: "refused", faults: [importFault(error, test, record)] });
  }
  const [tested] = tables;
  if (tested === undefined || tables.length > 1 || record.sourceOf(check) === undefined) {
    const reason = `must call testCheck once, with the check of ${checkFile}; it called it ${tables.length} times`;
    return post({ type: "refused", faults: [locatedAt(test, record, ["testCheck"], reason)] });
  }
  const pathOf = ({ file, path }: CasePlace) => ({ file: file === "check" ? check : test, path });
  const texts = { texts: tested.check.texts ?? {}, fileOf: () => basename(checkFile) };
  for (const one of testCasesOf(tested.check, tested.table, texts)) {
    const { file, path } = pathOf(one.place);
    post({ type: "running", name: one.name, place: locatedAt(file, record, path, "") });
    post({ type: "ran", ran: ranCase(one, (place, reason) => locatedAt(pathOf(place).file, record, place.path, reason), record) });
  }
}

function ranCase(one: TestCase, located: (place: CasePlace, reason: string) => PluginFault, record: ModuleRecord): RanCase {
  const { group, name } = one;
  try {
    return { group, name, judgeMs: one.run(), fault: null };
  } catch (error) {
    const ofCase = located(one.place, "");
    const fault = error instanceof CaseFault ? located(error.place ?? one.place, error.message) : importFault(error, ofCase.file, record);
    // An exception that names no line of the author is one of the case.
    const placed = fault.line === null ? { ...ofCase, reason: fault.reason } : fault;
    return { group, name, judgeMs: 0, fault: { ...placed, reason: `${name}: ${placed.reason}` } };
  }
}

async function runTry({ checkFile, evidence }: AuthorTask & { kind: "try" }, record: ModuleRecord, post: Post): Promise<void> {
  const file = realpathSync(checkFile);
  post({ type: "loading", file: checkFile });
  const before = registeredChecks().length;
  try {
    await import(file);
  } catch (error) {
    return post({ type: "refused", faults: [importFault(error, file, record)] });
  }
  const checks = registeredChecks().slice(before);
  const [check] = checks;
  if (check === undefined || checks.length > 1)
    return post({
      type: "refused",
      faults: [locatedAt(file, record, ["key"], `must register exactly one check, but registered ${checks.length}`)],
    });
  const located = ({ path, reason }: DeclarationFault) => locatedAt(file, record, path, reason);
  const texts = { "en-gb": check.texts?.["en-gb"], "de-de": check.texts?.["de-de"] };
  const faults = [...faultsOfCheck(check, texts), ...unknownKeysOf(check)].map(located);
  if (typeof check.judge !== "function") return post({ type: "refused", faults });
  post({ type: "running", name: "judge", place: locatedAt(file, record, ["judge"], "") });
  const { result, judged, thrown, fault } = tryCheck(check, evidence);
  const ofVerdict = fault === null ? null : locatedAt(file, record, ["judge"], fault);
  const broken = thrown === null ? ofVerdict : importFault(thrown.error, file, record);
  post({ type: "tried", tried: { definition: definitionOf(check), texts, result, judged, faults, broken } });
}

const nowhere = { line: null, column: null };

function locatedAt(file: string, record: ModuleRecord, path: readonly string[], reason: string): PluginFault {
  const place: SourcePlace | null = placeOfProperty(record.sourceOf(file) ?? "", path);
  return { file, reason, ...(place ?? nowhere) };
}
