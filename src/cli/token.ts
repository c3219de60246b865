/** `assay token`: API tokens, also while the server runs. */
import { Command, Option } from "commander";
import { createToken, isExpired, revokeToken, type TokenLifetime, tokenLifetimes, tokensMax } from "../account/token-operations.ts";
import type { ApiToken } from "../store/api-tokens.ts";
import type { Store } from "../store/store.ts";
import { cliActor, cliContext } from "./actor.ts";
import { CliError, exitCodes } from "./exit.ts";
import { jsonLine, note, print, printError, table } from "./terminal.ts";
import { accountOf, noAccount, readStore, withStore } from "./user.ts";

export function tokenCommand(): Command {
  const token = new Command("token").description("Create, list and revoke API tokens.");
  token
    .command("create")
    .description("Create an API token and print its value, once.")
    .requiredOption("--user <email>", "account that the token speaks for")
    .requiredOption("--name <name>", "what the token is for")
    .addOption(new Option("--expires <when>", "when it expires").choices(tokenLifetimes).default("never"))
    .action(({ user, name, expires }: { user: string; name: string; expires: TokenLifetime }, command: Command) =>
      withStore(command, async (store) => {
        if (name.trim() === "") throw new CliError(exitCodes.usage, "--name is empty; it says what the token is for");
        const account = accountOf(store, user);
        if (account.plan === "free") printError(`warning: ${account.email} is on the plan free, which answers 403 to API requests`);
        const created = await createToken(cliContext(store), cliActor(), { accountId: account.id, name, lifetime: expires });
        if ("refused" in created)
          throw new CliError(exitCodes.usage, `${account.email} has ${tokensMax} valid tokens; revoke one with assay token revoke ID`);
        note(`token ${created.done.token.id} for ${account.email}; its value is shown only now:`);
        print(created.done.value);
      }),
    );
  token
    .command("list")
    .description("List API tokens, of all accounts or of one.")
    .option("--user <email>", "only those of this account")
    .option("--json", "as a JSON array")
    .action(({ user, json }: { user?: string; json?: boolean }, command: Command) =>
      readStore(command, (store) => {
        if (store === null && user !== undefined) throw noAccount(user);
        const tokens = store === null ? [] : tokensOf(store, user);
        if (json === true) print(jsonLine(tokens));
        else if (tokens.length > 0)
          print(table([["ID", "ACCOUNT", "NAME", "VALUE", "CREATED", "LAST USED (HOUR)", "STATE"], ...tokens.map(rowOf)]));
      }),
    );
  token
    .command("revoke <id>")
    .description("Revoke an API token for good; it is refused from the next request on.")
    .action((id: string, _options, command: Command) =>
      withStore(command, async (store) => {
        const owner = ownerOf(store, id);
        if (owner === null) throw new CliError(exitCodes.usage, `there is no token ${id}; see assay token list`);
        await revokeToken(cliContext(store), cliActor(), owner);
        note(`token ${id} is revoked`);
      }),
    );
  return token;
}

function tokensOf(store: Store, user: string | undefined): readonly (ApiToken & { readonly email: string })[] {
  const accounts = user === undefined ? store.accounts.list() : [accountOf(store, user)];
  return accounts.flatMap(({ id, email }) => store.apiTokens.listOfAccount(id).map((token) => ({ ...token, email })));
}

function ownerOf(store: Pick<Store, "accounts" | "apiTokens">, id: string): ApiToken | null {
  const tokens = store.accounts.list().flatMap((account) => store.apiTokens.listOfAccount(account.id));
  return tokens.find((token) => String(token.id) === id) ?? null;
}

function rowOf(token: ApiToken & { readonly email: string }): readonly string[] {
  const { id, email, name, shown, createdAt, lastUsedAt } = token;
  return [String(id), email, name, `${shown}...`, createdAt, lastUsedAt ?? "never", stateOf(token)];
}

function stateOf(token: ApiToken): string {
  if (token.revokedAt !== null) return `revoked ${token.revokedAt}`;
  if (token.expiresAt === null) return "valid";
  return `${isExpired(token, new Date()) ? "expired" : "valid until"} ${token.expiresAt}`;
}
