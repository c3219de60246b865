/** The account or host that `assay data export` and `assay data delete` are about. */
import type { Command } from "commander";
import { hostOf } from "../../parse/site.ts";
import type { Account } from "../../store/accounts.ts";
import type { HostScope } from "../../store/erasure.ts";
import type { ScanRecord } from "../../store/scans.ts";
import type { Store } from "../../store/store.ts";
import { CliError, exitCodes } from "../exit.ts";
import { stripControls } from "../terminal.ts";
import { accountOf } from "../user.ts";

export interface SubjectOptions {
  readonly account?: string;
  readonly host?: string;
  readonly withSubdomains?: true;
}

export type DataSubject = { readonly account: Account; readonly host: null } | { readonly account: null; readonly host: HostScope };

export function addSubjectOptions(command: Command): Command {
  return command
    .option("--account <email>", "an account: its scans, sites, channels, tokens and sessions")
    .option("--host <host>", "a host: all scans and watched sites of it, by whomever")
    .option("--with-subdomains", "with --host: also the hosts below it");
}

/** @throws CliError */
export function dataSubject(store: Store, { account, host, withSubdomains }: SubjectOptions): DataSubject {
  if ((account === undefined) === (host === undefined))
    throw new CliError(exitCodes.usage, "name either an account by --account EMAIL or a host by --host HOST");
  if (account !== undefined && withSubdomains === true) throw new CliError(exitCodes.usage, "--with-subdomains needs --host");
  if (account !== undefined) return { account: accountOf(store, account), host: null };
  return { account: null, host: { host: hostNamed(host ?? ""), withSubdomains: withSubdomains === true } };
}

/** In the form in which scans have it. @throws CliError */
function hostNamed(typed: string): string {
  const host = hostOf(`https://${typed.includes(":") && !typed.startsWith("[") ? `[${typed}]` : typed}/`);
  if (host === null || host.startsWith(".") || /[/?#@\\\s]/.test(typed))
    throw new CliError(
      exitCodes.usage,
      `"${stripControls(typed)}" is no host; it is written as in www.example.org, without https:// and path`,
    );
  return host;
}

export function scansOfSubject(store: Store, { account, host }: DataSubject): readonly ScanRecord[] {
  if (account === null) return store.erasure.scansOfHost(host);
  const scans: ScanRecord[] = [];
  for (let cursor: number | null = null, isEnd = false; !isEnd; ) {
    const page = store.scans.listOfAccount(account.id, { limit: 1_000, cursor });
    scans.push(...page.items);
    [cursor, isEnd] = [page.nextCursor, page.nextCursor === null];
  }
  return scans.toReversed();
}
