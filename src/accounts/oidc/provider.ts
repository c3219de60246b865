/** Identity provider: configuration, sign-in request, verified answer, refusals, and its examination. Loaded only if one is configured. */

import {
  AuthorizationResponseError,
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
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type ServerMetadata,
} from "openid-client";
import { isObject } from "../../base/is-object.ts";
import type { ConfiguredFetch } from "../../egress/configured-fetch.ts";
import { EgressError } from "../../egress/egress-error.ts";
import { isEmail } from "../../parse/mail/address.ts";

export interface ProviderIdentity {
  readonly issuer: string;
  /** Unique and never reassigned within the issuer (OpenID Connect Core section 5.7). */
  readonly subject: string;
  /** Mail address; null without a valid one. */
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly groups: readonly string[];
}

export type Claims = Readonly<Record<string, unknown>>;

const groupsMax = 1_000;
const groupCharsMax = 256;

/** `groupsClaim` is the name of a claim, or a path to a member of one, for example `realm_access.roles`. */
function identityOf(claims: Claims, given: Pick<ProviderIdentity, "issuer" | "subject">, groupsClaim: string): ProviderIdentity {
  const { email, email_verified: verified } = claims;
  return {
    issuer: given.issuer,
    subject: given.subject,
    email: typeof email === "string" && isEmail(email) ? email : null,
    // Some providers send the string "true".
    emailVerified: verified === true || verified === "true",
    groups: groupsOf(claimAt(claims, groupsClaim)),
  };
}

/** Undefined if absent. A claim whose name has dots comes before the path. */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path
    .split(".")
    .reduce<unknown>((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), claims);
}

function groupsOf(claim: unknown): readonly string[] {
  const names: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return names
    .slice(0, groupsMax)
    .filter((name): name is string => typeof name === "string" && name !== "" && name.length <= groupCharsMax);
}

/** Why the provider or its answer was refused. */
export type ProviderRefusal =
  /** The provider does not answer, or asks to try again later. */
  | "unreachable"
  /** Unknown, expired or used state; or a code that the provider does not accept any more. */
  | "over"
  /** The person or the provider cancelled. */
  | "denied"
  /** The provider does not accept this server as its client. */
  | "client"
  | "audience"
  | "issuer"
  | "nonce"
  | "signature"
  /** Expired, or issued in the future. */
  | "clock"
  /** Anything else that does not follow the protocol. */
  | "broken";

export class ProviderError extends Error {
  override readonly name = "ProviderError";
  /** The message is for logs: it has no token and no claim of a person. */
  constructor(
    readonly because: ProviderRefusal,
    message: string,
  ) {
    super(message);
  }
}

/** Errors of the authorization response (RFC 6749 section 4.1.2.1) that are not faults of the protocol. */
const responseErrors: Readonly<Record<string, ProviderRefusal>> = {
  access_denied: "denied",
  login_required: "denied",
  consent_required: "denied",
  interaction_required: "denied",
  temporarily_unavailable: "unreachable",
  server_error: "unreachable",
  unauthorized_client: "client",
};
/** Errors of the token endpoint (RFC 6749 section 5.2). */
const tokenErrors: Readonly<Record<string, ProviderRefusal>> = {
  invalid_grant: "over",
  invalid_client: "client",
  unauthorized_client: "client",
};
const claimRefusals: Readonly<Record<string, ProviderRefusal>> = {
  aud: "audience",
  azp: "audience",
  iss: "issuer",
  nonce: "nonce",
  exp: "clock",
  nbf: "clock",
  iat: "clock",
};
/** Messages of the library that carry no claim: the first match counts. */
const messageRefusals: readonly (readonly [pattern: RegExp, because: ProviderRefusal])[] = [
  [/"nonce"/, "nonce"],
  [/"iss"|issuer/, "issuer"],
  [/"state"/, "over"],
  [/signature|"alg"|algorithm|verification key/i, "signature"],
];
/** Longest chain of causes that is read. */
const causesMax = 5;
/** RFC 6749 section 5.2 allows more characters; real codes have these. */
const errorCodePattern = /^[a-z_]{1,40}$/;

/** Errors of the library carry tokens and claims. Only their fixed messages, error codes and names of claims are repeated. */
export function toProviderError(thrown: unknown): ProviderError {
  const chain = causesOf(thrown);
  const known = chain.find((each): each is ProviderError | EgressError => each instanceof ProviderError || each instanceof EgressError);
  if (known instanceof ProviderError) return known;
  if (known !== undefined) return new ProviderError(known.because === "invalid" ? "broken" : "unreachable", known.message);
  for (const each of chain) {
    if (each instanceof AuthorizationResponseError)
      return ofErrorCode(each.error, responseErrors, "the answer of the provider is the error");
    if (each instanceof ResponseBodyError) return ofErrorCode(each.error, tokenErrors, "the token endpoint answers with the error");
    if (isNamed(each, "TimeoutError")) return new ProviderError("unreachable", "the provider did not answer in time");
  }
  const claim = chain.map(claimOf).find((name) => name !== null);
  const because = claim === undefined || claim === null ? undefined : claimRefusals[claim];
  if (because !== undefined) return new ProviderError(because, `unexpected value of the claim ${claim}`);
  const messages = chain.flatMap((each) => (isOfLibrary(each) ? [each.message] : []));
  const found = messageRefusals.find(([pattern]) => messages.some((message) => pattern.test(message)));
  return new ProviderError(found?.[1] ?? "broken", messages.at(-1) ?? "unknown fault");
}

function ofErrorCode(code: string, refusals: Readonly<Record<string, ProviderRefusal>>, sentence: string): ProviderError {
  const shown = errorCodePattern.test(code) ? code : "of another form";
  return new ProviderError(refusals[shown] ?? "broken", `${sentence} ${shown}`);
}

/** The thrown value and its causes, outermost first. */
function causesOf(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let each = thrown; each !== undefined && each !== null && chain.length < causesMax; each = (each as { cause?: unknown }).cause)
    chain.push(each);
  return chain;
}

function claimOf(each: unknown): string | null {
  const claim = typeof each === "object" && each !== null && "claim" in each ? each.claim : null;
  return typeof claim === "string" && claim.length <= 10 ? claim : null;
}

/** Messages of other errors may quote what was received. */
function isOfLibrary(each: unknown): each is Error {
  return each instanceof Error && "code" in each && typeof each.code === "string" && each.code.startsWith("OAUTH_");
}

function isNamed(each: unknown, name: string): boolean {
  return each instanceof Error && each.name === name;
}

/** Difference of clocks that is accepted. */
const clockToleranceSeconds = 30;
/** Limit of each request; the fetch function has a limit of its own. */
const requestSeconds = 10;
/** Asked for if the provider lists it, or lists nothing. */
const usualScopes = ["openid", "email", "profile"];
/** Scope without which many providers leave out the groups; others refuse an unknown scope. */
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
  /** Verifies the answer. `query` is the query of the redirection. @throws ProviderError */
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

/** A configuration for each sign-in: it reads the current keys of the issuer, so a rotation takes effect at once. */
function configurationOf(metadata: ServerMetadata, { issuer, clientId, clientSecret, fetch }: ProviderSettings): Configuration {
  const client = { [clockTolerance]: clockToleranceSeconds };
  const configuration = new Configuration(metadata, clientId, client, clientAuthOf(metadata, clientSecret));
  configuration[customFetch] = fetch;
  configuration.timeout = requestSeconds;
  if (isPlain(issuer)) allowInsecureRequests(configuration);
  // Without this option, the library trusts a token from the token endpoint for its TLS connection alone.
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

/** Encodes a value of application/x-www-form-urlencoded. */
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
  // The ID token is signed, so its claims come first. The verified address comes from a single source.
  const { email, email_verified } = hasMail || !asks ? claims : info;
  const all: Claims = { ...info, ...claims, email, email_verified };
  return identityOf(all, { issuer: claims.iss, subject: claims.sub }, settings.groupsClaim);
}

function isPlain(issuer: string): boolean {
  return issuer.startsWith("http:");
}

export interface OidcExamination {
  readonly isUsable: boolean;
  /** One line in English. */
  readonly detail: string;
}

/** Never rejects. */
export async function examineProvider(settings: ProviderSettings): Promise<OidcExamination> {
  const { issuer, redirectUri } = settings;
  let dateHeader: string | null = null;
  const observed: ConfiguredFetch = async (url, request) => {
    const response = await settings.fetch(url, request);
    dateHeader = response.headers.get("date");
    return response;
  };
  try {
    const { metadata } = await discoverProvider({ ...settings, fetch: observed });
    const keys = await keysAt(metadata.jwks_uri ?? "", observed);
    const skew = skewSeconds(dateHeader, Date.now());
    if (skew > clockToleranceSeconds)
      return {
        isUsable: false,
        detail: `the clocks of this machine and of ${issuer} differ by ${skew} seconds; synchronize both with NTP`,
      };
    return { isUsable: true, detail: `${issuer} answers; keys: ${keys}; it must know the redirect address ${redirectUri}` };
  } catch (error) {
    const { message } = toProviderError(error);
    return {
      isUsable: false,
      detail: `${issuer}: ${message}; sign-in by it is off; check oidc.issuer, oidc.ca_file and whether the provider runs`,
    };
  }
}

/** Number of keys that the issuer publishes. */
async function keysAt(url: string, ask: ConfiguredFetch): Promise<number> {
  const response = await ask(url, { headers: { accept: "application/json" } });
  const answer: unknown = response.ok ? await response.json().catch(() => null) : null;
  const keys = typeof answer === "object" && answer !== null && "keys" in answer ? answer.keys : null;
  if (!Array.isArray(keys) || keys.length === 0) throw new ProviderError("broken", "jwks_uri of the issuer gives no keys");
  return keys.length;
}

/** Difference of the clocks; 0 if the header is absent or not a date. */
function skewSeconds(header: string | null, nowMs: number): number {
  const atMs = Date.parse(header ?? "");
  return Number.isNaN(atMs) ? 0 : Math.round(Math.abs(atMs - nowMs) / 1_000);
}
