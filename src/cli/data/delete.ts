/** `assay data delete`: removes all that is stored about an account or a host, also while the server runs. */
import { Command } from "commander";
import { addDeletion } from "../../store/deletions-file.ts";
import { cliActor } from "../actor.ts";
import { CliError, exitCodes } from "../exit.ts";
import { firstLineOfInput } from "../input-line.ts";
import { currentTerminal, note, stripControls } from "../terminal.ts";
import { withStore } from "../user.ts";
import { addSubjectOptions, type DataSubject, dataSubject, type SubjectOptions, scansOfSubject } from "./subject.ts";

const help = `
Deleted are scans with results, evidence and pictures, and watched sites with their history and events. A site that has moved from the host to
another address stays, without the history and the events of the time before. Of an account also its channels, rules,
deliveries, members, brand, tokens, sessions, links and the account itself. There is no way back.
The audit log notes it without the name, and the file "deletions" in the data directory lets a restored backup lose the same data again: keep it.
Backups made before still have the data, and so have free pages of the store until new scans fill them, or "assay data compact" drops them.

Examples:
  assay data export --account you@example.com > you.jsonl
  assay data delete --account you@example.com
  assay data delete --host example.org --with-subdomains --yes

Exit codes: 0 deleted, 2 usage, no such account, or not confirmed, 6 data directory.`;

export function deleteCommand(): Command {
  const command = new Command("delete")
    .description("Delete all that is stored about an account or a host, for good.")
    .option("--yes", "do not ask");
  return addSubjectOptions(command)
    .addHelpText("after", help)
    .action(({ yes, ...options }: SubjectOptions & { readonly yes?: true }, own: Command) =>
      withStore(own, async (store, config) => {
        const subject = dataSubject(store, options);
        const scans = scansOfSubject(store, subject).length;
        if (yes !== true) await confirm(subject, scans);
        const now = new Date();
        const { erasure, accounts } = store;
        const deletion = subject.account === null ? erasure.hostDeletion(subject.host, now) : erasure.accountDeletion(subject.account, now);
        // First: what is interrupted goes on at the next start.
        addDeletion(config.data, deletion);
        const deleted = await erasure.carryOut(deletion, cliActor(), now);
        note(`deleted: ${deleted} scans${subject.account === null ? "" : ` and the account ${subject.account.email}`}`);
        if (subject.account?.admin === true && !accounts.list().some((one) => one.admin && !one.disabled))
          note("no administrator is left: assay user create EMAIL --admin makes one");
      }),
    );
}

/** @throws CliError if the name is not typed. */
async function confirm({ account, host }: DataSubject, scans: number): Promise<void> {
  const name = account?.email ?? host?.host ?? "";
  if (!currentTerminal().isInteractive())
    throw new CliError(exitCodes.usage, `this would delete ${scans} scans of ${stripControls(name)} for good; --yes confirms it`);
  note(`This deletes ${scans} scans of ${stripControls(name)} for good. Type the name to confirm:`);
  if ((await firstLineOfInput()).trim() !== name) throw new CliError(exitCodes.usage, "not confirmed; nothing was deleted");
}
