/** Accounts of the server: sign-in by password or identity provider, the first account, links and passwords that an operator sets. */

import { networkInterfaces } from "node:os";
import { type AccountActions, createAccountActions } from "../accounts/account-actions.ts";
import type { OidcSignIn } from "../accounts/oidc/oidc-sign-in.ts";
import type { OidcExamination, ProviderSettings } from "../accounts/oidc/provider.ts";
import { createPasswords, type PasswordFault, type Passwords } from "../accounts/passwords.ts";
import { ownCommand } from "../base/build.ts";
import type { Log } from "../base/log.ts";
import { shellWord } from "../base/shell-word.ts";
import { endpointText } from "../parse/address.ts";
import { ConfigError } from "../settings/config.ts";
import { certificatePem, passwordInFile } from "../settings/files.ts";
import type { Config } from "../settings/settings.ts";
import { type IssuedLink, linkHours } from "../store/one-time-links.ts";
import type { Store } from "../store/store.ts";
import { linkPath, oidcCallbackPath } from "../web/link-paths.ts";

interface Server {
  readonly store: Store;
  readonly now: () => Date;
  readonly log: Log;
}

/** Sign-in by password, and by the identity provider if there is one. @throws ConfigError */
export async function openConfiguredAccounts(
  config: Config,
  server: Server,
): Promise<{ readonly actions: AccountActions; readonly oidc: OidcSignIn | null }> {
  const actions = createAccountActions({ store: server.store, passwordCharsMin: config["accounts.password_min"], now: server.now });
  return { actions, oidc: await openConfiguredOidc(config, { ...server, actions }) };
}

/** Null without `oidc.issuer`. The provider is asked in the background. */
async function openConfiguredOidc(
  config: Config,
  { store, actions, now, log }: Server & { readonly actions: AccountActions },
): Promise<OidcSignIn | null> {
  const settings = providerSettings(config);
  if (settings === null) return null;
  const [provider, { createOidcSignIn, watchIssuer }] = await Promise.all([
    openProvider(config, settings),
    import("../accounts/oidc/oidc-sign-in.ts"),
  ]);
  return createOidcSignIn({
    label: config["oidc.label"] ?? new URL(settings.issuer).host,
    watch: watchIssuer(provider.discover, log),
    groups: config["oidc.groups"],
    signUp: config["oidc.signup"],
    defaultPlan: config["accounts.default_plan"],
    store,
    actions,
    throttles: actions.throttles,
    now,
    log,
  });
}

/** Null without `oidc.issuer`. Never rejects. @throws ConfigError */
export function oidcExamination(config: Config): (() => Promise<OidcExamination>) | null {
  const settings = providerSettings(config);
  if (settings === null) return null;
  return async () => {
    const { examine } = await openProvider(config, settings);
    return examine();
  };
}

type CompleteSettings = Omit<ProviderSettings, "fetch">;

async function openProvider(config: Config, settings: CompleteSettings) {
  const [{ discoverProvider, examineProvider }, { createConfiguredFetch }] = await Promise.all([
    import("../accounts/oidc/provider.ts"),
    import("../egress/configured-fetch.ts"),
  ]);
  const caFile = config["oidc.ca_file"];
  const fetch = createConfiguredFetch({
    caPems: caFile === null ? [] : [certificatePem("oidc.ca_file", caFile)],
    dnsServers: config["dns.servers"],
    connectTo: config["scan.connect_to"],
  });
  const all = { ...settings, fetch };
  return { discover: () => discoverProvider(all), examine: () => examineProvider(all) };
}

/** Null without `oidc.issuer`. @throws ConfigError */
function providerSettings(config: Config): CompleteSettings | null {
  const { "oidc.issuer": issuer, "oidc.client_id": clientId, "oidc.client_secret_file": secretFile, public_url } = config;
  if (issuer === null) {
    if (clientId === null && secretFile === null) return null;
    throw new ConfigError("oidc.client_id and oidc.client_secret_file need oidc.issuer, the address of the identity provider");
  }
  if (clientId === null)
    throw new ConfigError("oidc.issuer needs oidc.client_id, the name under which the identity provider knows this server");
  if (public_url === null)
    throw new ConfigError(
      `oidc.issuer needs public_url: the identity provider sends people back to <public_url>${oidcCallbackPath}, never to the host of a request`,
    );
  const clientSecret = secretFile === null ? null : passwordInFile(secretFile, "oidc.client_secret_file");
  if (clientSecret === "")
    throw new ConfigError(`the first line of ${secretFile} is empty; oidc.client_secret_file needs the secret there`);
  if (config["oidc.signup"] === "groups" && config["oidc.groups"].length === 0)
    throw new ConfigError("oidc.signup = groups needs oidc.groups, which names the groups");
  return {
    issuer,
    clientId,
    clientSecret,
    redirectUri: `${public_url}${oidcCallbackPath}`,
    groupsClaim: config["oidc.groups_claim"],
    readsGroups: config["oidc.groups"].length > 0,
  };
}

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

/** Hash in PHC string format. @throws ConfigError if the password breaks a rule. */
export async function hashOfPassword(passwords: Passwords, password: string, email: string): Promise<string> {
  const fault = passwords.faultOf(password, email);
  if (fault !== null) throw new ConfigError(`the password is refused: ${reasonOf(fault, passwords.charsMin)}`);
  const hash = await passwords.hash(password);
  if (hash === "busy") throw new Error("too many passwords are being hashed");
  return hash;
}

function reasonOf(fault: PasswordFault, charsMin: number): string {
  const reasons: Readonly<Record<PasswordFault, string>> = {
    "too-short": `it needs at least ${charsMin} characters (accounts.password_min)`,
    "too-long": "it is too long",
    common: "it is one that everybody who guesses tries first",
    "is-email": "it is the mail address",
  };
  return reasons[fault];
}

export function urlOfLink(base: string, { link, value }: IssuedLink): string {
  return `${base}${linkPath(link.kind, value)}`;
}

/** `public_url`, or else the listening address. `port` is the actual one if `listen` asked for port 0. */
export function baseUrl({ public_url, listen }: Config, port = listen.port): string {
  return public_url ?? `http://${endpointText(reachable(listen.address), port)}`;
}

/** An address that can be opened: for 0.0.0.0 and ::, the first external IPv4 address of this machine. */
function reachable(address: string): string {
  if (address !== "0.0.0.0" && address !== "::") return address;
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return own.find(({ internal, family }) => !internal && family === "IPv4")?.address ?? "127.0.0.1";
}
