/** Sign-in by an identity provider, built from the configuration. Without `oidc.issuer` no code of it is loaded. */
import { type AccountActions, createAccountActions } from "../account/account-actions.ts";
import type { OidcSignIn } from "../account/oidc/oidc-sign-in.ts";
import type { OidcExamination, ProviderSettings } from "../account/oidc/provider.ts";
import type { Log } from "../base/log.ts";
import type { Store } from "../store/store.ts";
import { oidcCallbackPath } from "../web/link-paths.ts";
import { ConfigError } from "./config.ts";
import { passwordInFile } from "./passwords.ts";
import { certificatePem } from "./scanning.ts";
import type { Config } from "./settings.ts";

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
  const [provider, { createOidcSignIn }, { watchIssuer }] = await Promise.all([
    openProvider(config, settings),
    import("../account/oidc/oidc-sign-in.ts"),
    import("../account/oidc/oidc-sign-in.ts"),
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
  const [{ discoverProvider }, { examineProvider }, { createConfiguredFetch }] = await Promise.all([
    import("../account/oidc/provider.ts"),
    import("../account/oidc/provider.ts"),
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
