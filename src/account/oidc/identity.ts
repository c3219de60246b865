/** Identity of a person as an identity provider states it: bounded claims. */
import { isObject } from "../../base/is-object.ts";
import { isEmail } from "../../store/account-index.ts";

export interface ProviderIdentity {
  readonly issuer: string;
  /** Unique and never reassigned within the issuer (OpenID Connect Core section 5.7). */
  readonly subject: string;
  /** Null without a valid one. */
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly groups: readonly string[];
}

export type Claims = Readonly<Record<string, unknown>>;

const groupsMax = 1_000;
const groupCharsMax = 256;

/** `groupsClaim` is the name of a claim, or a path to a member of one, as in `realm_access.roles`. */
export function identityOf(claims: Claims, given: Pick<ProviderIdentity, "issuer" | "subject">, groupsClaim: string): ProviderIdentity {
  const { email, email_verified: verified } = claims;
  return {
    issuer: given.issuer,
    subject: given.subject,
    email: typeof email === "string" && isEmail(email) ? email : null,
    // Some providers send the word.
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
