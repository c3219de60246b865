/** The command line: its commands, shared options, and the mapping of errors to exit codes. */
import { Command } from "commander";
import { commit, version } from "../base/build.ts";
import { auditCommand } from "./audit.ts";
import { backupCommand, restoreCommand } from "./backup.ts";
import { checksCommand } from "./checks/checks.ts";
import { type CommandFactory, optionOf } from "./command.ts";
import { dataCommand } from "./data.ts";
import { doctorCommand } from "./doctor.ts";
import { evidenceCommand } from "./evidence.ts";
import { type ExitCode, exitCodes, failureOf } from "./exit.ts";
import { fleetCommand } from "./fleet.ts";
import { judgeCommand } from "./judge.ts";
import { licencesCommand } from "./licences.ts";
import { proveCommand } from "./prove/prove.ts";
import { scanCommand } from "./scan/scan.ts";
import { serveCommand, workerCommand } from "./server.ts";
import { settingOptions } from "./settings.ts";
import { storeCopy, storeWalk } from "./store-tools.ts";
import { currentTerminal, OutputClosed, print, printError, silenceNotes, type Terminal, withTerminal } from "./terminal.ts";
import { tokenCommand } from "./token.ts";
import { userCommand } from "./user.ts";

const examples = `
Examples:
  assay serve                                      serve pages and API on 127.0.0.1:8787
  assay scan example.com                           scan once and print a report
  assay scan https://example.com --fail-on high    exit 1 if a finding is high or critical
  assay scan - --format json < urls.txt            one line of JSON for each URL
  assay scan --urls urls.txt                       many pages, with a table, the worst first
  assay scan example.com -o html=report.html       write a report as a file; also sarif, junit, csv and others
  assay scan example.com --server assay.example    scan on a server, with the API token in ASSAY_TOKEN
  assay scan example.com --baseline b.json         exit 1 only for what is new since --write-baseline b.json
  assay prove https://example.com                  draft a policy that works, and prove it on the page
  assay judge report.json                          judge the evidence of a report again
  assay checks new acme-build                      write a check of your own
  assay user create you@example.com                create an account; the first is admin
  assay user reset-password you@example.com        print a one-time link that sets a password
  assay token create --user you@example.com --name ci
  assay backup create                              back up the data directory, also while the server runs
  assay fleet enrol berlin                         make a key for a worker on another machine

Exit codes: 0 ok, 1 policy not met, 2 usage or configuration, 3 target not scannable,
4 internal or browser failure, 5 some of several targets failed, 6 data directory or backup, 130 interrupted.`;

/** Runs one command line, in the terminal of the process by default; never throws. */
export function run(args: readonly string[], terminal?: Terminal): Promise<ExitCode> {
  return withTerminal(terminal, async () => {
    try {
      let exitCode: ExitCode = exitCodes.ok;
      const root = program((code) => {
        exitCode = code;
      });
      await root.parseAsync(args, { from: "user" });
      return exitCode;
    } catch (error) {
      return fail(error);
    }
  });
}

/** Prints the error as one sentence and returns its exit code. Only ASSAY_LOG_LEVEL=debug adds the stack trace. */
export function fail(error: unknown): ExitCode {
  if (error instanceof OutputClosed) return exitCodes.ok;
  const { code, sentence } = failureOf(error);
  if (sentence !== null) printError(`assay: ${sentence}`);
  const isDebug = currentTerminal().env.ASSAY_LOG_LEVEL === "debug";
  if (code === exitCodes.internal && isDebug && error instanceof Error) printError(error.stack ?? "");
  return code;
}

const commands: readonly CommandFactory[] = [
  serveCommand,
  scanCommand,
  proveCommand,
  userCommand,
  tokenCommand,
  fleetCommand,
  auditCommand,
  dataCommand,
  checksCommand,
  judgeCommand,
  evidenceCommand,
  backupCommand,
  restoreCommand,
  doctorCommand,
  workerCommand,
  licencesCommand,
];

function program(onExit: (code: ExitCode) => void): Command {
  const root = new Command("assay")
    .description("Scans web pages with a real browser and reports how secure they are.")
    // The first word is the version alone: scripts read that word.
    .version(
      commit === null ? version : `${version} (commit ${commit})`,
      "-V, --version",
      "print the version, and the commit where the build knew it",
    )
    .option("--config <file>", "TOML file with settings (default: <data>/assay.toml if it exists)")
    .option("--quiet", "no progress, no notes: only data and errors")
    .option("--no-color", "no colours; NO_COLOR does the same")
    .addHelpText("after", examples)
    .hook("preAction", (program) => {
      if (program.opts().quiet === true) silenceNotes();
    });
  for (const [flags, about] of Object.entries(settingOptions(["data", "log.level", "log.format"]))) root.addOption(optionOf(flags, about));
  for (const make of commands) root.addCommand(make(onExit));
  for (const make of [storeWalk, storeCopy]) root.addCommand(make(onExit), { hidden: true });
  for (const command of [root, ...root.commands, ...root.commands.flatMap((verb) => verb.commands)]) {
    command
      .exitOverride()
      .configureOutput({
        writeOut: (text) => print(text.trimEnd()),
        writeErr: (text) => printError(text.trimEnd().replace(/^error: /, "assay: ")),
      })
      .configureHelp({ showGlobalOptions: true });
  }
  return root;
}
