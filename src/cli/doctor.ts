/** `assay doctor`: checks everything that a scan needs, and scans a page of this machine. */
import { Command } from "commander";
import { doctorSettings } from "../app/doctor.ts";
import type { Config } from "../app/settings.ts";
import { examineMachine } from "../doctor/system-checks.ts";
import { examineStoreCommand } from "./doctor-store.ts";
import { CliError, type ExitCode, exitCodes } from "./exit.ts";
import { addSettings, configOf } from "./settings.ts";
import { jsonLine, print, table } from "./terminal.ts";

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
  const { offlineReport } = await import("../app/offline-report.ts");
  const findings = offlineReport(config, process.env, new Date());
  const age = ({ date, ageDays }: (typeof findings)[number]) => (date === null ? "" : `${date}, ${ageDays} days`);
  if (asJson) print(jsonLine(findings));
  else print(table(findings.map((finding) => [finding.state, finding.what, finding.name, finding.source, age(finding), finding.detail])));
  return findings.some(({ state }) => state === "failed") ? exitCodes.policy : exitCodes.ok;
}
