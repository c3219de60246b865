/** `assay token`: API tokens, also while the server runs. */
import { createToken, isExpired, revokeToken, tokenLifetimes, tokensMax } from "../accounts/token-operations.ts";
import type { ApiToken } from "../store/api-tokens.ts";
import type { Store } from "../store/store.ts";
import { command, commandGroup } from "./command.ts";
import { usageError } from "./exit.ts";
import { accountOf, cliActor, cliContext, noAccount, readStore, storeCommand } from "./store.ts";
import { note, print, printError, printList } from "./terminal.ts";

const create = storeCommand({
  name: "create",
  summary: "Create an API token and print its value, once.",
  options: {
    "--user <email>": { text: "account that the token speaks for", required: true },
    "--name <name>": { text: "what the token is for", required: true },
    "--expires <when>": { text: "when it expires", choices: tokenLifetimes, default: "never" },
  },
  run: async ({ user, name, expires }, store) => {
    if (name.trim() === "") throw usageError("--name is empty; it says what the token is for");
    const account = accountOf(store, user);
    if (account.plan === "free") printError(`warning: ${account.email} is on the plan free, which answers 403 to API requests`);
    const created = await createToken(cliContext(store), cliActor(), { accountId: account.id, name, lifetime: expires });
    if ("refused" in created) throw usageError(`${account.email} has ${tokensMax} valid tokens; revoke one with assay token revoke ID`);
    note(`token ${created.done.token.id} for ${account.email}; its value is shown only now:`);
    print(created.done.value);
  },
});

const list = command({
  name: "list",
  summary: "List API tokens, of all accounts or of one.",
  options: { "--user <email>": "only those of this account", "--json": "as a JSON array" },
  run: ({ user, json }, parsed) =>
    readStore(parsed, (store) => {
      if (store === null && user !== undefined) throw noAccount(user);
      const tokens = store === null ? [] : tokensOf(store, user);
      printList(tokens, json, ["ID", "ACCOUNT", "NAME", "VALUE", "CREATED", "LAST USED (HOUR)", "STATE"], rowOf);
    }),
});

const revoke = storeCommand({
  name: "revoke",
  summary: "Revoke an API token for good; it is refused from the next request on.",
  arguments: { "<id>": "" },
  run: async ({ id }, store) => {
    const token = tokensOf(store, undefined).find((one) => String(one.id) === id);
    if (token === undefined) throw usageError(`there is no token ${id}; see assay token list`);
    await revokeToken(cliContext(store), cliActor(), token);
    note(`token ${id} is revoked`);
  },
});

export const tokenCommand = commandGroup({
  name: "token",
  summary: "Create, list and revoke API tokens.",
  commands: [create, list, revoke],
});

function tokensOf(store: Store, user: string | undefined): readonly (ApiToken & { readonly email: string })[] {
  const accounts = user === undefined ? store.accounts.list() : [accountOf(store, user)];
  return accounts.flatMap(({ id, email }) => store.apiTokens.listOfAccount(id).map((token) => ({ ...token, email })));
}

function rowOf(token: ReturnType<typeof tokensOf>[number]): readonly string[] {
  const { id, email, name, shown, createdAt, lastUsedAt } = token;
  return [String(id), email, name, `${shown}...`, createdAt, lastUsedAt ?? "never", stateOf(token)];
}

function stateOf(token: ApiToken): string {
  if (token.revokedAt !== null) return `revoked ${token.revokedAt}`;
  if (token.expiresAt === null) return "valid";
  return `${isExpired(token, new Date()) ? "expired" : "valid until"} ${token.expiresAt}`;
}
