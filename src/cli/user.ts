/** `assay user`: accounts of this appliance, also while its server runs. */
import { changeAccountState, changePlan, inviteAccount } from "../accounts/account-operations.ts";
import { createPasswords } from "../accounts/passwords.ts";
import { baseUrl, hashOfPassword, urlOfLink } from "../app/accounts.ts";
import type { Config } from "../settings/settings.ts";
import { type Account, plans } from "../store/accounts.ts";
import type { IssuedLink } from "../store/one-time-links.ts";
import { type CommandFactory, command, commandGroup } from "./command.ts";
import { type CliError, usageError } from "./exit.ts";
import { type PasswordOptions, passwordOptions, readPassword } from "./input.ts";
import { settingOptions } from "./settings.ts";
import { accountOf, cliActor, cliContext, readStore, storeCommand } from "./store.ts";
import { note, print, printList, stripControls, table } from "./terminal.ts";

/** Settings from which the URL of a link follows. */
const linkSettings = settingOptions(["listen", "public_url"]);
const planOption = { "--plan <plan>": { text: "free has no API access", choices: plans } } as const;

const create = storeCommand({
  name: "create",
  summary: "Create an account. The first one is admin and on the agency plan.",
  arguments: { "<email>": "" },
  options: { "--admin": "may do everything", ...planOption, ...passwordOptions },
  run: async ({ email, admin, plan, ...given }, store, config) => {
    const passwordHash = await readPasswordHash(config, given, email);
    const account = await store.accounts.create({ email, plan, admin: admin === true, passwordHash, now: new Date(), by: cliActor() });
    if (typeof account === "string") throw refusedAddress(account, email);
    for (const step of nextSteps(account, passwordHash !== null)) note(step);
    print(table([rowOf(account)]));
  },
});

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

const list = command({
  name: "list",
  summary: "List all accounts, oldest first.",
  options: { "--json": "as a JSON array" },
  run: ({ json }, parsed) =>
    readStore(parsed, (store) => {
      const none = "there is no account yet: assay user setup-link prints a link that makes the first one";
      printList(store?.accounts.list() ?? [], json, ["ID", "EMAIL", "PLAN", "ROLE", "STATE", "CREATED"], rowOf, none);
    }),
});

const setPlan = storeCommand({
  name: "set-plan",
  summary: "Change the plan of an account; it takes effect with the next request.",
  arguments: { "<email>": "", "<plan>": plans.join(" or ") },
  run: async ({ email, plan }, store) => {
    const known = plans.find((one) => one === plan);
    if (known === undefined) throw usageError(`plan "${plan}" is not one of ${plans.join(", ")}`);
    const changed = await changePlan(cliContext(store), cliActor(), { id: accountOf(store, email).id, plan: known });
    if ("done" in changed) print(table([rowOf(changed.done)]));
  },
});

const resetPassword = storeCommand({
  name: "reset-password",
  summary: "Print a one-time link that sets a new password; or set one, and end the account's sessions.",
  arguments: { "<email>": "" },
  options: { ...linkSettings, ...passwordOptions },
  run: async ({ email, ...given }, store, config) => {
    const account = accountOf(store, email);
    const passwordHash = await readPasswordHash(config, given, account.email);
    if (passwordHash !== null) {
      await store.credentials.change(account.id, { passwordHash }, { reopen: null, by: cliActor() });
      note(`the password of ${account.email} is set, and its sessions are ended`);
    } else if (account.disabled) {
      throw usageError(`${account.email} is disabled; assay user enable ${account.email} comes first`);
    } else printLink(config, await store.oneTimeLinks.create({ kind: "reset", accountId: account.id }, new Date(), cliActor()));
  },
});

const unlink = storeCommand({
  name: "unlink",
  summary: "Remove the link of an account to an identity of the identity provider, and end its sessions.",
  arguments: { "<email>": "" },
  run: async ({ email: typed }, store) => {
    const { id, email } = accountOf(store, typed);
    const link = store.oidcLinks.ofAccount(id);
    if (link === null) throw usageError(`${email} is not linked to an identity`);
    await store.credentials.change(id, { oidc: null }, { reopen: null, by: cliActor() });
    note(`${email} is no longer linked to ${stripControls(link.subject)} of ${link.issuer}`);
    if (store.credentials.get(id).passwordHash === null)
      note(`it has no password: the next verified identity with this mail address gets it, or assay user reset-password ${email}`);
  },
});

const disableSecondFactor = storeCommand({
  name: "disable-2fa",
  summary: "Remove the second factor and recovery codes of an account, and end its sessions.",
  arguments: { "<email>": "" },
  run: async ({ email: typed }, store) => {
    const { id, email } = accountOf(store, typed);
    await store.credentials.change(id, { totp: null, recoveryCodeHashes: [] }, { reopen: null, by: cliActor() });
    note(`${email} signs in with the password alone`);
  },
});

function accountSwitch(name: string, disabled: boolean, summary: string): CommandFactory {
  return storeCommand({
    name,
    summary,
    arguments: { "<email>": "" },
    run: async ({ email }, store) => {
      const changed = await changeAccountState(cliContext(store), cliActor(), { id: accountOf(store, email).id, disabled });
      if ("done" in changed) print(table([rowOf(changed.done)]));
      if (!store.accounts.list().some((one) => one.admin && !one.disabled))
        note(`no administrator can sign in now; assay user enable ${email} undoes this`);
    },
  });
}

const invite = storeCommand({
  name: "invite",
  summary: "Print a one-time link to sign up with, for one address or for everybody who has it.",
  arguments: { "[email]": "" },
  options: { "--admin": "the account may do everything", ...planOption, ...linkSettings },
  run: async ({ email = null, admin, plan }, store, config) => {
    const given = { email, plan: plan ?? config["accounts.default_plan"], admin: admin === true };
    const invited = await inviteAccount({ ...cliContext(store), config }, cliActor(), given);
    if ("done" in invited) return printLink(config, invited.done);
    const { refused } = invited;
    if (refused === "closed") throw usageError("accounts.signup is closed: set it to invite, or create the account with assay user create");
    if (refused === "email-taken" || refused === "email-invalid") throw refusedAddress(refused, email ?? "");
    printLink(config, refused);
  },
});

const setupLink = storeCommand({
  name: "setup-link",
  summary: "Print a one-time link that creates the first account; it revokes earlier ones.",
  options: linkSettings,
  run: async (_values, store, config) => printLink(config, await store.oneTimeLinks.create({ kind: "setup" }, new Date(), cliActor())),
});

export const userCommand = commandGroup({
  name: "user",
  summary: "Create and list accounts, change their plans, and reset passwords, second factors and links.",
  commands: [
    create,
    list,
    setPlan,
    resetPassword,
    unlink,
    disableSecondFactor,
    accountSwitch("disable", true, "Shut an account out: its sessions end, its API tokens are refused from the next request on."),
    accountSwitch("enable", false, "Let a disabled account in again; its API tokens work again, its sessions stay ended."),
    invite,
    setupLink,
  ],
});

/** Null if no password was given. @throws ConfigError if the password breaks a rule. */
async function readPasswordHash(config: Config, options: PasswordOptions, email: string): Promise<string | null> {
  const password = await readPassword(options);
  return password === null ? null : hashOfPassword(createPasswords({ charsMin: config["accounts.password_min"] }), password, email);
}

function printLink(config: Config, link: IssuedLink | string): void {
  if (link === "set-up") throw usageError("there is an account already; assay user list shows it");
  if (typeof link === "string") throw usageError("too many links are open; they expire");
  note(`works once, until ${link.link.expiresAt}, and is shown only now:`);
  print(urlOfLink(baseUrl(config), link));
}

function refusedAddress(because: "email-taken" | "email-invalid", email: string): CliError {
  const shown = stripControls(email);
  return usageError(because === "email-taken" ? `there is an account for ${shown} already` : `"${shown}" is not an email address`);
}

function rowOf({ id, email, plan, admin, disabled, createdAt }: Account): readonly string[] {
  return [String(id), email, plan, admin ? "admin" : "user", disabled ? "disabled" : "active", createdAt];
}
