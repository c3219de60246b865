/** `assay user`: accounts of this appliance, also while its server runs. */
import { Command, Option } from "commander";
import { type Account, plans } from "../store/accounts.ts";
import { openStore, type Store } from "../store/store.ts";
import { exitCodes, VerbError } from "./exit.ts";
import { configOf } from "./settings.ts";
import { jsonLine, note, print, table } from "./terminal.ts";

export function userCommand(): Command {
  const user = new Command("user").description("Create and list accounts, and change their plans.");
  user
    .command("create <email>")
    .description("Create an account. The first one is admin and on the agency plan.")
    .option("--admin", "may do everything")
    .addOption(new Option("--plan <plan>", "free has no API access").choices(plans))
    .action((email: string, { admin, plan }, command: Command) =>
      withStore(command, async (store) => {
        const account = await store.createAccount({ email, plan, admin: admin === true, now: new Date() });
        if (account === "email-taken") throw new VerbError(exitCodes.usage, `there is an account for ${email} already`);
        if (account === "email-invalid") throw new VerbError(exitCodes.usage, `"${email}" is not an email address`);
        note(`created; next: assay token create --user ${account.email} --name NAME`);
        print(table([rowOf(account)]));
      }),
    );
  user
    .command("list")
    .description("List all accounts, oldest first.")
    .option("--json", "as a JSON array")
    .action(({ json }, command: Command) =>
      withStore(command, async (store) => {
        const accounts = store.accounts();
        if (json === true) print(jsonLine(accounts));
        else if (accounts.length > 0) print(table([["ID", "EMAIL", "PLAN", "ROLE", "CREATED"], ...accounts.map(rowOf)]));
      }),
    );
  user
    .command("set-plan")
    .argument("<email>")
    .argument("<plan>", plans.join(" or "))
    .description("Put an account on another plan; it takes effect with the next request.")
    .action((email: string, plan: string, _options, command: Command) =>
      withStore(command, async (store) => {
        const known = plans.find((one) => one === plan);
        if (known === undefined) throw new VerbError(exitCodes.usage, `plan "${plan}" is not one of ${plans.join(", ")}`);
        const changed = await store.setPlan(accountOf(store, email).id, known);
        if (changed !== undefined) print(table([rowOf(changed)]));
      }),
    );
  return user;
}

function rowOf({ id, email, plan, admin, createdAt }: Account): readonly string[] {
  return [String(id), email, plan, admin ? "admin" : "user", createdAt];
}

/** @throws VerbError when there is none. */
export function accountOf(store: Store, email: string): Account {
  const account = store.accountByEmail(email);
  if (account === undefined) throw new VerbError(exitCodes.usage, `there is no account for ${email}; see assay user list`);
  return account;
}

/** Opens the store of the data directory for one action and closes it whatever happens. */
export async function withStore(command: Command, action: (store: Store) => Promise<void>): Promise<void> {
  const store = openStore(configOf(command).data);
  try {
    await action(store);
  } finally {
    await store.close();
  }
}
