/** Identity provider: its configuration document, the request of a sign-in and the verified answer. Loaded only if one is configured. */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type ServerMetadata,
} from "openid-client";
import type { ConfiguredFetch } from "../../egress/configured-fetch.ts";
import { type Claims, claimAt, identityOf, type ProviderIdentity } from "./identity.ts";
import { ProviderError, toProviderError } from "./refusal.ts";

/** Difference of clocks that is accepted. */
export const clockToleranceSeconds = 30;
/** For each request; the fetch function has a limit of its own. */
const requestSeconds = 10;
/** Asked for if the provider lists it, or lists nothing. */
const usualScopes = ["openid", "email", "profile"];
/** Without it, many providers leave out the groups; others refuse an unknown scope. */
const groupsScope = "groups";
const subjectCharsMax = 255;

export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client, which PKCE alone protects. */
  readonly clientSecret: string | null;
  readonly redirectUri: string;
  readonly groupsClaim: string;
  /** Whether groups decide anything. */
  readonly readsGroups: boolean;
  readonly fetch: ConfiguredFetch;
}

/** Secrets of one sign-in: they bind the answer to the browser that asked. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface DiscoveredProvider {
  readonly metadata: ServerMetadata;
  /** Address of the provider for a new sign-in. */
  authorizationUrl(secrets: SignInSecrets): Promise<string>;
  /** `query` is that of the redirection. @throws ProviderError */
  identity(query: URLSearchParams, secrets: SignInSecrets): Promise<ProviderIdentity>;
}

export function newSignInSecrets(): SignInSecrets {
  return { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
}

/** Reads the configuration document (OpenID Connect Discovery section 4). @throws ProviderError */
export async function discoverProvider(settings: ProviderSettings): Promise<DiscoveredProvider> {
  const metadata = await discoveredMetadata(settings);
  for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const)
    if (!URL.canParse(metadata[name] ?? "")) throw new ProviderError("broken", `the configuration document of the issuer has no ${name}`);
  return {
    metadata,
    authorizationUrl: async ({ state, nonce, verifier }) => {
      const parameters = {
        redirect_uri: settings.redirectUri,
        scope: scopesOf(metadata, settings.readsGroups).join(" "),
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      };
      return buildAuthorizationUrl(configurationOf(metadata, settings), parameters).href;
    },
    identity: async (query, secrets) => {
      try {
        return await verifiedIdentity(metadata, settings, query, secrets);
      } catch (error) {
        throw toProviderError(error);
      }
    },
  };
}

async function discoveredMetadata({ issuer, clientId, fetch }: ProviderSettings): Promise<ServerMetadata> {
  try {
    const execute = isPlain(issuer) ? [allowInsecureRequests] : [];
    const options = { [customFetch]: fetch, timeout: requestSeconds, execute };
    return (await discovery(new URL(issuer), clientId, undefined, None(), options)).serverMetadata();
  } catch (error) {
    throw toProviderError(error);
  }
}

/** A configuration for each sign-in: it reads the keys of the issuer anew, so a rotation takes effect at once. */
function configurationOf(metadata: ServerMetadata, { issuer, clientId, clientSecret, fetch }: ProviderSettings): Configuration {
  const client = { [clockTolerance]: clockToleranceSeconds };
  const configuration = new Configuration(metadata, clientId, client, clientAuthOf(metadata, clientSecret));
  configuration[customFetch] = fetch;
  configuration.timeout = requestSeconds;
  if (isPlain(issuer)) allowInsecureRequests(configuration);
  // Without it the library trusts a token from the token endpoint for its TLS connection alone.
  enableNonRepudiationChecks(configuration);
  return configuration;
}

/** OpenID Connect Discovery section 3: client_secret_basic is the default of a provider that lists no method. */
function clientAuthOf({ token_endpoint_auth_methods_supported: methods }: ServerMetadata, secret: string | null): ClientAuth {
  if (secret === null) return None();
  const isBasic = methods === undefined || methods.includes("client_secret_basic") || !methods.includes("client_secret_post");
  return isBasic ? basicAuth(secret) : ClientSecretPost(secret);
}

/** RFC 6749 section 2.3.1. The library also encodes characters such as the hyphen, which some providers do not decode. */
function basicAuth(secret: string): ClientAuth {
  return (_as, { client_id: id }, _body, headers) =>
    headers.set("authorization", `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString("base64")}`);
}

/** As a value of application/x-www-form-urlencoded. */
function formEncoded(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

function scopesOf({ scopes_supported: supported }: ServerMetadata, readsGroups: boolean): readonly string[] {
  const usual = usualScopes.filter((scope) => scope === "openid" || supported === undefined || supported.includes(scope));
  return readsGroups && supported?.includes(groupsScope) ? [...usual, groupsScope] : usual;
}

async function verifiedIdentity(
  metadata: ServerMetadata,
  settings: ProviderSettings,
  query: URLSearchParams,
  { state, nonce, verifier }: SignInSecrets,
): Promise<ProviderIdentity> {
  const configuration = configurationOf(metadata, settings);
  const tokens = await authorizationCodeGrant(configuration, new URL(`${settings.redirectUri}?${query}`), {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new ProviderError("broken", "the answer has no ID token");
  if (claims.iat > Date.now() / 1_000 + clockToleranceSeconds) throw new ProviderError("clock", "the ID token is from the future");
  if (claims.sub === "" || claims.sub.length > subjectCharsMax) throw new ProviderError("broken", "the claim sub is empty or too long");
  const hasMail = "email" in claims && "email_verified" in claims;
  const isComplete = hasMail && (!settings.readsGroups || claimAt(claims, settings.groupsClaim) !== undefined);
  const asks = !isComplete && metadata.userinfo_endpoint !== undefined;
  const info: Claims = asks ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
  // The ID token is signed, so its claims come first. The verified address is that of one source.
  const { email, email_verified } = hasMail || !asks ? claims : info;
  const all: Claims = { ...info, ...claims, email, email_verified };
  return identityOf(all, { issuer: claims.iss, subject: claims.sub }, settings.groupsClaim);
}

function isPlain(issuer: string): boolean {
  return issuer.startsWith("http:");
}
