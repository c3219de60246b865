/** Refusals of a sign-in by an identity provider, and how errors of the protocol become one of them. */
import { AuthorizationResponseError, ResponseBodyError } from "openid-client";
import { EgressError } from "../../egress/egress-error.ts";

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

/** Errors of the authorization response (RFC 6749 section 4.1.2.1) that are no fault of the protocol. */
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
/** Causes of a cause that are looked at. */
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
