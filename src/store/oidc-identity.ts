/** Identity at an identity provider, and its stored link to an account. */
import { createHash } from "node:crypto";

export interface Identity {
  readonly issuer: string;
  /** Unique within the issuer. */
  readonly subject: string;
}

export interface OidcLink extends Identity {
  /** ISO 8601, UTC. */
  readonly linkedAt: string;
  /** What groups gave the account, and what is taken back when they no longer do. */
  readonly granted: { readonly plan: boolean; readonly admin: boolean };
}

/** Hashed, because keys of the store are short and a subject is not. */
export function identityKey({ issuer, subject }: Identity): string {
  return createHash("sha256").update(`${issuer}\n${subject}`).digest("hex");
}
