/** `assay user`: accounts of this appliance, also while its server runs. */
import { Command, Option } from "commander";
import { changeAccountState, changePlan, inviteAccount } from "../account/account-operations.ts";
import { createPasswords } from "../account/passwords.ts";
import { baseUrl, hashOfPassword, urlOfLink } from "../app/accounts.ts";
import { refuseCutStore } from "../doctor/store-examination.ts";
import type { Config } from "../settings/settings.ts";
import { type Account, plans } from "../store/accounts.ts";
import { DataDirError } from "../store/data-dir.ts";
import type { IssuedLink } from "../store/one-time-links.ts";
import { openStore, type Store } from "../store/store.ts";
import { cliActor, cliContext } from "./actor.ts";
import { CliError, exitCodes } from "./exit.ts";
import { addPasswordOptions, type PasswordOptions, readPassword } from "./input.ts";
import { addSettings, configOf } from "./settings.ts";
import { jsonLine, note, print, stripControls, table } from "./terminal.ts";

type Plan = Account["plan"];

export function userCommand(): Command {
  const user = new Command("user").description(
    "Create and list accounts, change their plans, and reset passwords, second factors and links.",
  );
  addCreate(user);
  addList(user);
  addSetPlan(user);
  addResetPassword(user);
  addUnlink(user);
  addSwitches(user);
  addLinks(user);
  return user;
}

function addCreate(user: Command): void {
  const create = user
    .command("create <email>")
    .description("Create an account. The first one is admin and on the agency plan.")
    .option("--admin", "may do everything")
    .addOption(planOption());
  addPasswordOptions(create).action(
    (email: string, { admin, plan, ...options }: { admin?: boolean; plan?: Plan } & PasswordOptions, command: Command) =>
      withStore(command, async (store, config) => {
        const passwordHash = await readPasswordHash(config, options, email);
        const account = await store.accounts.create({ email, plan, admin: admin === true, passwordHash, now: new Date(), by: cliActor() });
        if (account === "email-taken") throw taken(email);
        if (account === "email-invalid") throw noAddress(email);
        for (const step of nextSteps(account, passwordHash !== null)) note(step);
        print(table([rowOf(account)]));
      }),
  );
}

function nextSteps({ email, plan }: Account, hasPassword: boolean): readonly string[] {
  return [
    hasPassword
      ? "created; it can sign in"
      : `created; nobody can sign in to it yet: assay user reset-password ${email} makes a link that sets a password`,
    plan === "free"
      ? `API requests need another plan: assay user set-plan ${email} agency`
      : `for the API: assay token create --user ${email} --name NAME`,
  ];
}

function addList(user: Command): void {
  user
    .command("list")
    .description("List all accounts, oldest first.")
    .option("--json", "as a JSON array")
    .action(({ json }, command: Command) =>
      readStore(command, (store) => {
        const accounts = store?.accounts.list() ?? [];
        if (json === true) print(jsonLine(accounts));
        else if (accounts.length === 0) note("there is no account yet: assay user setup-link prints a link that makes the first one");
        else print(table([["ID", "EMAIL", "PLAN", "ROLE", "STATE", "CREATED"], ...accounts.map(rowOf)]));
      }),
    );
}

function addSetPlan(user: Command): void {
  user
    .command("set-plan")
    .argument("<email>")
    .argument("<plan>", plans.join(" or "))
    .description("Change the plan of an account; it takes effect with the next request.")
    .action((email: string, plan: string, _options, command: Command) =>
      withStore(command, async (store) => {
        const known = plans.find((one) => one === plan);
        if (known === undefined) throw new CliError(exitCodes.usage, `plan "${plan}" is not one of ${plans.join(", ")}`);
        const changed = await changePlan(cliContext(store), cliActor(), { id: accountOf(store, email).id, plan: known });
        if ("done" in changed) print(table([rowOf(changed.done)]));
      }),
    );
}

function addResetPassword(user: Command): void {
  const reset = user
    .command("reset-password <email>")
    .description("Print a one-time link that sets a new password; or set one, and end the account's sessions.");
  addPasswordOptions(addSettings(reset, ["listen", "public_url"])).action((email: string, options: PasswordOptions, command: Command) =>
    withStore(command, async (store, config) => {
      const account = accountOf(store, email);
      const passwordHash = await readPasswordHash(config, options, account.email);
      if (passwordHash !== null) {
        await store.credentials.change(account.id, { passwordHash }, { reopen: null, by: cliActor() });
        note(`the password of ${account.email} is set, and its sessions are ended`);
      } else if (account.disabled) {
        throw new CliError(exitCodes.usage, `${account.email} is disabled; assay user enable ${account.email} comes first`);
      } else printLink(config, await store.oneTimeLinks.create({ kind: "reset", accountId: account.id }, new Date(), cliActor()));
    }),
  );
}

function addUnlink(user: Command): void {
  user
    .command("unlink <email>")
    .description("Remove the link of an account to an identity of the identity provider, and end its sessions.")
    .action((email: string, _options, command: Command) =>
      withStore(command, async (store) => {
        const account = accountOf(store, email);
        const link = store.oidcLinks.ofAccount(account.id);
        if (link === null) throw new CliError(exitCodes.usage, `${account.email} is not linked to an identity`);
        await store.credentials.change(account.id, { oidc: null }, { reopen: null, by: cliActor() });
        const { passwordHash } = store.credentials.get(account.id);
        note(`${account.email} is no longer linked to ${stripControls(link.subject)} of ${link.issuer}`);
        if (passwordHash === null)
          note(
            `it has no password: the next verified identity with this mail address gets it, or assay user reset-password ${account.email}`,
          );
      }),
    );
}

function addSwitches(user: Command): void {
  user
    .command("disable-2fa <email>")
    .description("Remove the second factor and recovery codes of an account, and end its sessions.")
    .action((email: string, _options, command: Command) =>
      withStore(command, async (store) => {
        const account = accountOf(store, email);
        await store.credentials.change(account.id, { totp: null, recoveryCodeHashes: [] }, { reopen: null, by: cliActor() });
        note(`${account.email} signs in with the password alone`);
      }),
    );
  for (const [verb, disabled, description] of [
    ["disable", true, "Shut an account out: its sessions end, its API tokens are refused from the next request on."],
    ["enable", false, "Let a disabled account in again; its API tokens work again, its sessions stay ended."],
  ] as const)
    user
      .command(`${verb} <email>`)
      .description(description)
      .action((email: string, _options, command: Command) =>
        withStore(command, async (store) => {
          const changed = await changeAccountState(cliContext(store), cliActor(), { id: accountOf(store, email).id, disabled });
          if ("done" in changed) print(table([rowOf(changed.done)]));
          if (!store.accounts.list().some((one) => one.admin && !one.disabled))
            note(`no administrator can sign in now; assay user enable ${email} undoes this`);
        }),
      );
}

function addLinks(user: Command): void {
  const invite = user
    .command("invite [email]")
    .description("Print a one-time link to sign up with, for one address or for everybody who has it.")
    .option("--admin", "the account may do everything")
    .addOption(planOption());
  addSettings(invite, ["listen", "public_url"]).action(
    (email: string | undefined, { admin, plan }: { admin?: boolean; plan?: Plan }, command: Command) =>
      withStore(command, async (store, config) => {
        const context = { ...cliContext(store), config };
        const given = { email: email ?? null, plan: plan ?? config["accounts.default_plan"], admin: admin === true };
        const invited = await inviteAccount(context, cliActor(), given);
        if ("done" in invited) return printLink(config, invited.done);
        if (invited.refused === "closed")
          throw new CliError(exitCodes.usage, "accounts.signup is closed: set it to invite, or create the account with assay user create");
        if (invited.refused === "email-taken") throw taken(email ?? "");
        if (invited.refused === "email-invalid") throw noAddress(email ?? "");
        printLink(config, invited.refused);
      }),
  );
  const setup = user.command("setup-link").description("Print a one-time link that creates the first account; it revokes earlier ones.");
  addSettings(setup, ["listen", "public_url"]).action((_options, command: Command) =>
    withStore(command, async (store, config) =>
      printLink(config, await store.oneTimeLinks.create({ kind: "setup" }, new Date(), cliActor())),
    ),
  );
}

function planOption(): Option {
  return new Option("--plan <plan>", "free has no API access").choices(plans);
}

/** Null if no password was given. @throws ConfigError if the password breaks a rule. */
async function readPasswordHash(config: Config, options: PasswordOptions, email: string): Promise<string | null> {
  const password = await readPassword(options);
  return password === null ? null : hashOfPassword(createPasswords({ charsMin: config["accounts.password_min"] }), password, email);
}

function printLink(config: Config, link: IssuedLink | string): void {
  if (typeof link === "string") {
    const reason = link === "set-up" ? "there is an account already; assay user list shows it" : "too many links are open; they expire";
    throw new CliError(exitCodes.usage, reason);
  }
  note(`works once, until ${link.link.expiresAt}, and is shown only now:`);
  print(urlOfLink(baseUrl(config), link));
}

function taken(email: string): CliError {
  return new CliError(exitCodes.usage, `there is an account for ${stripControls(email)} already`);
}

function noAddress(email: string): CliError {
  return new CliError(exitCodes.usage, `"${stripControls(email)}" is not an email address`);
}

function rowOf({ id, email, plan, admin, disabled, createdAt }: Account): readonly string[] {
  return [String(id), email, plan, admin ? "admin" : "user", disabled ? "disabled" : "active", createdAt];
}

export function noAccount(email: string): CliError {
  return new CliError(exitCodes.usage, `there is no account for ${stripControls(email)}; see assay user list`);
}

/** @throws CliError if no account has this address. */
export function accountOf(store: Pick<Store, "accounts">, email: string): Account {
  const account = store.accounts.findByEmail(email);
  if (account === undefined) throw noAccount(email);
  return account;
}

/** Opens the store of the data directory for one action, then closes it. */
export async function withStore(command: Command, action: (store: Store, config: Config) => Promise<void>): Promise<void> {
  const config = configOf(command);
  await refuseCutStore(config.data);
  const store = openStore(config.data);
  try {
    await action(store, config);
  } finally {
    await store.close();
  }
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
