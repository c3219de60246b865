/** `assay doctor`: checks everything that a scan needs and scans a page of this machine, or examines the store. */
import { Command } from "commander";
import { doctorSettings } from "../app/operator.ts";
import { examineStore, type StoreExamination } from "../doctor/store-examination.ts";
import { examineMachine } from "../doctor/system-checks.ts";
import type { Config } from "../settings/settings.ts";
import { CliError, type ExitCode, exitCodes } from "./exit.ts";
import { addSettings, configOf } from "./settings.ts";
import { jsonLine, note, print, table } from "./terminal.ts";

interface DoctorFlags {
  readonly json?: boolean;
  readonly store?: boolean;
  readonly repair?: boolean;
  readonly offline?: boolean;
}

export function doctorCommand(onExit: (code: ExitCode) => void): Command {
  const doctor = new Command("doctor")
    .description(
      "Check data directory, port, checks, DNS, nats-server if nats.url is set, identity provider if oidc.issuer is set, and browser; exit 1 if something is wrong.",
    )
    .option("--json", "as a JSON array; with --store as an object")
    .option("--offline", "contact nothing; list resolvers, root certificates, data files with their age, and configured services instead")
    .option("--store", "read every row of the store instead, and name what is lost; exit 6 if it is damaged")
    .option("--repair", "with --store: rebuild lists and indexes from the records; the server must be stopped")
    .action(async ({ json, store, repair, offline }: DoctorFlags, command: Command) => {
      if (offline === true && store === true) throw new CliError(exitCodes.usage, "--offline and --store exclude each other");
      if (store === true) {
        const options = { json: json === true, repair: repair === true };
        return onExit(await examineStoreCommand(configOf(command).data, options));
      }
      if (repair === true) throw new CliError(exitCodes.usage, "--repair needs --store");
      if (offline === true) return onExit(await printOfflineReport(configOf(command), json === true));
      const findings = await examineMachine(doctorSettings(configOf(command)));
      if (json === true) print(jsonLine(findings));
      else print(table(findings.map(({ state, what, detail }) => [state, what, detail])));
      onExit(findings.some(({ state }) => state === "failed") ? exitCodes.policy : exitCodes.ok);
    });
  return addSettings(doctor, [
    "listen",
    "nats.url",
    "nats.credentials_file",
    "nats.ca_file",
    "dns.servers",
    "checks.dir",
    "browser.path",
    "browser.sandbox",
    "scan.ca_files",
    "scan.system_roots",
    "hsts.preload_file",
    "public_suffixes.file",
    "scripts.advisories_file",
  ]);
}

async function printOfflineReport(config: Config, asJson: boolean): Promise<ExitCode> {
  const { offlineReport } = await import("../doctor/offline-report.ts");
  const findings = offlineReport(config, process.env, new Date());
  const age = ({ date, ageDays }: (typeof findings)[number]) => (date === null ? "" : `${date}, ${ageDays} days`);
  if (asJson) print(jsonLine(findings));
  else print(table(findings.map((finding) => [finding.state, finding.what, finding.name, finding.source, age(finding), finding.detail])));
  return findings.some(({ state }) => state === "failed") ? exitCodes.policy : exitCodes.ok;
}

const exitCodeOf: Readonly<Record<StoreExamination["state"], ExitCode>> = {
  ok: exitCodes.ok,
  lost: exitCodes.policy,
  damaged: exitCodes.dataDir,
};

interface StoreDoctorOptions {
  readonly json: boolean;
  readonly repair: boolean;
}

/** @throws DataDirError `locked` for a repair beside a server. */
async function examineStoreCommand(dataDir: string, { json, repair }: StoreDoctorOptions): Promise<ExitCode> {
  const examination = await examineStore(dataDir, { repair, onTable: (name) => note(`reading ${name}`) });
  if (json) print(jsonLine(examination));
  else print(table(rowsOf(examination)));
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
