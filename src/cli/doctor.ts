/** `assay doctor`: checks everything that a scan needs and scans a page of this machine, or examines the store. */
import { doctorSettings } from "../app/operator.ts";
import { examineStore, type StoreExamination } from "../doctor/store-examination.ts";
import { examineMachine } from "../doctor/system-checks.ts";
import type { Config } from "../settings/settings.ts";
import { command } from "./command.ts";
import { type ExitCode, exitCodes, usageError } from "./exit.ts";
import { configOf, natsSettings, settingOptions } from "./settings.ts";
import { jsonLine, note, print, table } from "./terminal.ts";

export const doctorCommand = command({
  name: "doctor",
  summary:
    "Check data directory, port, checks, DNS, nats-server if nats.url is set, identity provider if oidc.issuer is set, and browser; exit 1 if something is wrong.",
  options: {
    "--json": "as a JSON array; with --store as an object",
    "--offline": "contact nothing; list resolvers, root certificates, data files with their age, and configured services instead",
    "--store": "read every row of the store instead, and name what is lost; exit 6 if it is damaged",
    "--repair": "with --store: rebuild lists and indexes from the records; the server must be stopped",
    ...settingOptions([
      "listen",
      ...natsSettings,
      "dns.servers",
      "checks.dir",
      "browser.path",
      "browser.sandbox",
      "scan.ca_files",
      "scan.system_roots",
      "hsts.preload_file",
      "public_suffixes.file",
      "scripts.advisories_file",
    ]),
  },
  run: async ({ json, store, repair = false, offline }, parsed): Promise<ExitCode> => {
    if (offline === true && store === true) throw usageError("--offline and --store exclude each other");
    if (store === true) return examineStoreOf(configOf(parsed).data, json === true, repair);
    if (repair) throw usageError("--repair needs --store");
    if (offline === true) return printOfflineReport(configOf(parsed), json === true);
    const findings = await examineMachine(doctorSettings(configOf(parsed)));
    return printFindings(findings, json === true, (finding) => [finding.state, finding.what, finding.detail]);
  },
});

async function printOfflineReport(config: Config, asJson: boolean): Promise<ExitCode> {
  const { offlineReport } = await import("../doctor/offline-report.ts");
  return printFindings(offlineReport(config, process.env, new Date()), asJson, (finding) => {
    const age = finding.date === null ? "" : `${finding.date}, ${finding.ageDays} days`;
    return [finding.state, finding.what, finding.name, finding.source, age, finding.detail];
  });
}

function printFindings<T extends { readonly state: string }>(
  findings: readonly T[],
  asJson: boolean,
  rowOf: (finding: T) => readonly string[],
): ExitCode {
  print(asJson ? jsonLine(findings) : table(findings.map(rowOf)));
  return findings.some(({ state }) => state === "failed") ? exitCodes.policy : exitCodes.ok;
}

const exitCodeOf: Readonly<Record<StoreExamination["state"], ExitCode>> = {
  ok: exitCodes.ok,
  lost: exitCodes.policy,
  damaged: exitCodes.dataDir,
};

/** @throws DataDirError `locked` for a repair beside a server. */
async function examineStoreOf(dataDir: string, asJson: boolean, repair: boolean): Promise<ExitCode> {
  const examination = await examineStore(dataDir, { repair, onTable: (name) => note(`reading ${name}`) });
  print(asJson ? jsonLine(examination) : table(rowsOf(examination)));
  const advice = adviceOf(examination, repair);
  if (advice !== null) note(advice);
  return exitCodeOf[examination.state];
}

function rowsOf({ report, diedIn, derived, lowCounters, repaired }: StoreExamination): readonly (readonly string[])[] {
  const mended = repaired ? "repaired" : "failed";
  if (diedIn !== null) return [["failed", diedIn, "its check was ended by a signal: the table has damaged pages"]];
  if (report === null) return [["ok", "store", "there is none yet; the first start creates it"]];
  const { pages, fileBytes, damagedTables, tables, lostRows } = report;
  return [
    [damagedTables.length === 0 ? "ok" : "failed", "pages", `${pages} in use; the file has ${fileBytes} bytes`],
    ...damagedTables.map(({ table: name, reason }) => ["failed", name, `its pages are damaged: ${reason}`]),
    ...tables.map(({ table: name, rows, lost }) => [
      lost === 0 ? "ok" : "failed",
      name,
      lost === 0 ? `${rows} rows` : `${rows} rows, ${lost} of them lost`,
    ]),
    ...lostRows.map(({ table: name, key }) => ["failed", name, `lost: ${key}`]),
    ...derived.map(({ table: name, missing, stray }) => [mended, name, `${missing} rows missing, ${stray} without a record`]),
    ...lowCounters.map(({ counter, used }) => [mended, "meta", `${counter} is lower than an id in use (${used})`]),
  ];
}

function adviceOf({ state, derived, lowCounters, repaired }: StoreExamination, repair: boolean): string | null {
  if (state === "damaged")
    return `the store cannot be used: restore a backup, or move data.mdb away to begin anew${repair ? "; a repair needs sound pages" : ""}`;
  if (repaired) return state === "ok" ? "repaired: the store is whole" : "repaired, but the lost records are not in the store any more";
  if (derived.length + lowCounters.length > 0)
    return "stop the server and run assay doctor --store --repair to rebuild what follows from the records";
  return state === "lost" ? "the lost records are passed over; a backup may still have them" : null;
}
