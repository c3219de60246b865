/** `assay doctor`: checks everything that a scan needs, and scans a page of this machine. */
import { Command } from "commander";
import { doctorSettings } from "../app/doctor.ts";
import { examineMachine } from "../doctor/system-checks.ts";
import { examineStoreCommand } from "./doctor-store.ts";
import { CliError, type ExitCode, exitCodes } from "./exit.ts";
import { addSettings, configOf } from "./settings.ts";
import { jsonLine, print, table } from "./terminal.ts";

export function doctorCommand(onExit: (code: ExitCode) => void): Command {
  const doctor = new Command("doctor")
    .description(
      "Check data directory, port, checks, DNS, nats-server if nats.url is set, identity provider if oidc.issuer is set, and browser; exit 1 if something is wrong.",
    )
    .option("--json", "as a JSON array; with --store as an object")
    .option("--store", "read every row of the store instead, and name what is lost; exit 6 if it is damaged")
    .option("--repair", "with --store: rebuild lists and indexes from the records; the server must be stopped")
    .action(async ({ json, store, repair }: { json?: boolean; store?: boolean; repair?: boolean }, command: Command) => {
      if (store === true) {
        const options = { json: json === true, repair: repair === true };
        return onExit(await examineStoreCommand(configOf(command).data, options));
      }
      if (repair === true) throw new CliError(exitCodes.usage, "--repair needs --store");
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
  ]);
}
