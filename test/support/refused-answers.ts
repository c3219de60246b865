/** Answers of an identity provider that must be refused, with the page that refuses them. */
import type enGb from "../../locales/en-gb.json";
import { type Staging, testClientId } from "./identity-provider.ts";

type ErrorKey = keyof typeof enGb.pages.errors;
export type RefusalKind = ErrorKey extends infer K ? (K extends `oidc-${infer Kind}` ? Kind : never) : never;

export const refusedAnswers: readonly (readonly [string, RefusalKind, Staging])[] = [
  ["a token for another audience", "audience", { claims: { aud: "another-client" } }],
  ["a token that another party asked for", "audience", { claims: { aud: [testClientId, "another"], azp: "another" } }],
  ["a token of another issuer", "issuer", { claims: { iss: "https://other.test" } }],
  ["a token without nonce", "nonce", { claims: { nonce: undefined } }],
  ["a token with another nonce", "nonce", { claims: { nonce: "another" } }],
  ["a token that has expired", "clock", { claims: { exp: Math.floor(Date.now() / 1_000) - 60 } }],
  ["a token from the future", "clock", { claims: { iat: Math.floor(Date.now() / 1_000) + 3_600 } }],
  ["a token without signature", "signature", { alg: "none" }],
  [
    "a token without signature of a provider that allows it",
    "signature",
    { alg: "none", metadata: { id_token_signing_alg_values_supported: ["none"] } },
  ],
  ["a token signed with the client secret", "signature", { alg: "HS256" }],
  ["a token that was changed", "signature", { tampered: true }],
  ["a token signed with an unknown key", "signature", { foreignKey: true }],
  ["a token without subject", "broken", { claims: { sub: undefined } }],
  ["a refused client", "client", { tokenError: { status: 401, body: '{"error":"invalid_client"}' } }],
  ["an answer that is no JSON", "broken", { tokenError: { status: 200, body: "secret details" } }],
  ["a page in place of an answer", "broken", { tokenError: { status: 200, body: "<p>secret details", contentType: "text/html" } }],
  ["an endless answer", "broken", { tokenError: { status: 200, body: `"${"x".repeat(2 ** 20)}"` } }],
  ["an address that is not verified", "mail", { claims: { email_verified: false } }],
  ["no address", "mail", { claims: { email: undefined }, userInfo: { email: undefined } }],
  [
    "an address that only another source verified",
    "no-account",
    { claims: { email_verified: undefined }, userInfo: { email: "other@assay.test" } },
  ],
];
