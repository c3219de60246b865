/** The store of a command: opened for one action, and changed in the name of the user of the operating system. */
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { createLog } from "../base/log.ts";
import { refuseCutStore } from "../doctor/store-examination.ts";
import type { Config } from "../settings/settings.ts";
import type { Account } from "../store/accounts.ts";
import type { Actor } from "../store/audit.ts";
import { DataDirError } from "../store/data-dir.ts";
import { openStore, type Store } from "../store/store.ts";
import { type CommandDeclaration, type CommandFactory, command, type NoParameters, type Parameters } from "./command.ts";
import { type CliError, usageError } from "./exit.ts";
import { configOf } from "./settings.ts";
import { currentTerminal, stripControls } from "./terminal.ts";

/** A command whose `run` gets the store of the data directory, open until it ends. */
export function storeCommand<const A extends Parameters = NoParameters, const O extends Parameters = NoParameters>(
  declared: CommandDeclaration<A, O, [store: Store, config: Config]>,
): CommandFactory {
  const { run, ...rest } = declared;
  return command<A, O>({
    ...rest,
    run: async (values, parsed) => {
      const config = configOf(parsed);
      await refuseCutStore(config.data);
      const store = openStore(config.data);
      try {
        await run(values, store, config);
      } finally {
        await store.close();
      }
    },
  });
}

/**
 * Opens the store for reading only, which also works on a read-only mount, for one action, then closes it. Null: there is no store yet.
 * A store that needs a migration or recovery is opened for writing, as at a start.
 */
export async function readStore(command: Command, action: (store: Store | null) => void): Promise<void> {
  const { data } = configOf(command);
  await refuseCutStore(data);
  const store = openForReading(data);
  try {
    action(store);
  } finally {
    await store?.close();
  }
}

function openForReading(dataDir: string): Store | null {
  try {
    return openStore(dataDir, { readOnly: true });
  } catch (error) {
    const fault = error instanceof DataDirError ? error.fault : null;
    if (fault === "missing") return null;
    if (fault === "older" || fault === "unflushed") return openStore(dataDir);
    throw error;
  }
}

export function noAccount(email: string): CliError {
  return usageError(`there is no account for ${stripControls(email)}; see assay user list`);
}

/** @throws CliError if no account has this address. */
export function accountOf(store: Pick<Store, "accounts">, email: string): Account {
  const account = store.accounts.findByEmail(email);
  if (account === undefined) throw noAccount(email);
  return account;
}

/** What use cases need of a command. The command reports what it did, so only warnings are logged. */
export function cliContext<Opened>(store: Opened) {
  return { store, now: () => new Date(), log: createLog({ level: "warn", format: "text" }) };
}

/** User of the operating system; with sudo also the one who used it. */
export function cliActor(): Actor {
  const { SUDO_USER: through = "" } = currentTerminal().env;
  const name = userName(process.geteuid?.() ?? 0);
  return { kind: "cli", user: through === "" || through === name ? name : `${name} (sudo by ${through})` };
}

/** Not `userInfo`, which in Bun trusts the environment. A user of a directory service, or of a container, may have no entry. */
function userName(uid: number): string {
  try {
    const users = readFileSync("/etc/passwd", "utf8").split("\n");
    return users.map((line) => line.split(":")).find((fields) => fields[2] === String(uid))?.[0] || `uid ${uid}`;
  } catch {
    return `uid ${uid}`;
  }
}
