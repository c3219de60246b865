/** First account of an appliance: created from settings at the start, or by a one-time link that the start prints. */
import { createPasswords } from "../account/passwords.ts";
import { shellWord } from "../base/shell-word.ts";
import { linkHours } from "../store/one-time-links.ts";
import type { Store } from "../store/store.ts";
import { ConfigError } from "./config.ts";
import { baseUrl, urlOfLink } from "./links.ts";
import { hashOfPassword, passwordInFile } from "./passwords.ts";
import { ownCommand } from "./placement.ts";
import type { Config } from "./settings.ts";

/** Creates the account of `admin.email` and `admin.password_file` if no account exists; true if it did. @throws ConfigError */
export async function createConfiguredAdmin(store: Pick<Store, "accounts">, config: Config, now: Date): Promise<boolean> {
  const { "admin.email": email, "admin.password_file": file } = config;
  if (store.accounts.hasAny() || (email === null && file === null)) return false;
  if (email === null || file === null)
    throw new ConfigError("admin.email and admin.password_file create the first account together; only one of them is set");
  const passwords = createPasswords({ charsMin: config["accounts.password_min"] });
  const passwordHash = await hashOfPassword(passwords, passwordInFile(file, "admin.password_file"), email);
  const account = await store.accounts.createFirst({ email, passwordHash, now });
  if (account === "email-invalid" || account === "email-taken")
    throw new ConfigError(`admin.email: "${email}" cannot be an account's address`);
  return account !== "not-first";
}

/** Instructions for the first account, with a new link each time; empty if an account exists. `port` is the one the server got. */
export async function firstSteps(store: Pick<Store, "oneTimeLinks">, config: Config, port: number, now: Date): Promise<readonly string[]> {
  const link = await store.oneTimeLinks.create({ kind: "setup" }, now);
  if (typeof link === "string") return [];
  const folder = shellWord(config.data);
  return [
    `There is no account yet. The first one is admin and on the agency plan. Open this link within ${linkHours.setup} hours, it works once:`,
    `  ${urlOfLink(baseUrl(config, port), link)}`,
    "or make it here:",
    `  ${ownCommand()} user create you@example.com --data ${folder}`,
    `  ${ownCommand()} token create --user you@example.com --name first --data ${folder}`,
  ];
}
