/** The first account of an appliance: made from settings at the start, or by whoever opens the link that is printed then. */
import { createPasswords } from "../account/passwords.ts";
import { exitCodes, VerbError } from "../cli/exit.ts";
import { hashOfPassword, passwordInFile } from "../cli/password.ts";
import { linkHours } from "../store/one-time-links.ts";
import type { Store } from "../store/store.ts";
import { baseUrl, urlOfLink } from "./links.ts";
import { ownCommand } from "./placement.ts";
import type { Config } from "./settings.ts";

/** Makes the account that `admin.email` and `admin.password_file` describe, unless there is one. True when it did. @throws VerbError */
export async function createConfiguredAdmin(store: Store, config: Config, now: Date): Promise<boolean> {
  const { "admin.email": email, "admin.password_file": file } = config;
  if (store.accounts.hasAny() || (email === null && file === null)) return false;
  if (email === null || file === null)
    throw new VerbError(exitCodes.usage, "admin.email and admin.password_file make the first account together; only one of them is set");
  const passwords = createPasswords({ charsMin: config["accounts.password_min"] });
  const passwordHash = await hashOfPassword(passwords, passwordInFile(file, "admin.password_file"), email);
  const account = await store.accounts.createFirst({ email, passwordHash, now });
  if (account === "email-invalid" || account === "email-taken")
    throw new VerbError(exitCodes.usage, `admin.email: "${email}" cannot be an account's address`);
  return account !== "not-first";
}

/** How to make the first account, where there is none; a new link each time. `port` is the one the server listens on. */
export async function firstSteps(store: Store, config: Config, port: number, now: Date): Promise<readonly string[]> {
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

/** To be pasted into a shell. */
function shellWord(text: string): string {
  return /^[\w/.,:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
