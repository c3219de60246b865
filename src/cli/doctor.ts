/** `assay doctor`: checks everything that a scan needs, and scans a page of this machine. */
import { Command } from "commander";
import { doctorSettings } from "../app/doctor.ts";
import { examineMachine } from "../doctor/system-checks.ts";
import { type ExitCode, exitCodes } from "./exit.ts";
import { addSettings, configOf } from "./settings.ts";
import { jsonLine, print, table } from "./terminal.ts";

export function doctorCommand(onExit: (code: ExitCode) => void): Command {
  const doctor = new Command("doctor")
    .description("Check data directory, port, checks, DNS and browser; exit 1 if something is wrong.")
    .option("--json", "as a JSON array")
    .action(async ({ json }: { json?: boolean }, command: Command) => {
      const findings = await examineMachine(doctorSettings(configOf(command)));
      if (json === true) print(jsonLine(findings));
      else print(table(findings.map(({ state, what, detail }) => [state, what, detail])));
      onExit(findings.some(({ state }) => state === "failed") ? exitCodes.policy : exitCodes.ok);
    });
  return addSettings(doctor, ["listen", "dns.servers", "checks.dir", "browser.path", "browser.sandbox"]);
}
