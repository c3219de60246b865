/** Schema of the settings for signing in by an identity provider (OpenID Connect). */
import { Type } from "@sinclair/typebox";
import type { GroupRule } from "../account/oidc/oidc-sign-in.ts";
import { isLoopbackHost } from "../egress/configured-fetch.ts";
import { plans } from "../store/accounts.ts";
import { none, oneOf, optional, parsed, path, setting } from "./setting.ts";

const issuerCharsMax = 500;
const clientIdCharsMax = 256;
const labelCharsMax = 60;
const wellKnown = "/.well-known/";

export const settingsOfOidc = {
  "oidc.issuer": setting(optional(parsed(parseIssuer)), {
    doc: "Identity provider (OpenID Connect) by which people may sign in; needs oidc.client_id and public_url.",
    allowed: `an address that begins with https://, or http:// on a loopback address, without ${wellKnown} and what follows`,
    fallback: () => null,
  }),
  "oidc.client_id": setting(optional(Type.String({ minLength: 1, maxLength: clientIdCharsMax, pattern: "^[\\x21-\\x7e]+$" })), {
    doc: "Name of this server at the identity provider.",
    allowed: `at most ${clientIdCharsMax} visible ASCII characters`,
    fallback: () => null,
  }),
  "oidc.client_secret_file": setting(optional(path), {
    doc: "File whose first line is the secret of this server at the identity provider.",
    allowed: "a file",
    fallback: () => null,
    defaultDoc: "none: a public client, which PKCE alone protects",
    isPath: true,
  }),
  "oidc.ca_file": setting(optional(path), {
    doc: "Certificates (PEM) trusted for the identity provider besides the bundled roots.",
    allowed: "a file",
    fallback: () => null,
    isPath: true,
  }),
  "oidc.label": setting(optional(parsed(parseLabel)), {
    doc: "Name of the identity provider on the button of the sign-in page.",
    allowed: `at most ${labelCharsMax} characters`,
    fallback: () => null,
    defaultDoc: "the host of oidc.issuer",
  }),
  "oidc.signup": setting(oneOf("closed", "groups", "open"), {
    doc: "Whose first sign-in by the identity provider creates an account: nobody's, that of members of a group in oidc.groups, or everybody's.",
    allowed: "closed, groups or open",
    fallback: (_env, earlier) => (earlier["accounts.signup"] === "open" ? "open" : "closed"),
    defaultDoc: "open with accounts.signup = open, else closed",
  }),
  "oidc.groups_claim": setting(Type.String({ minLength: 1, maxLength: 200 }), {
    doc: "Claim with the groups of a person, or the path to a member of a claim, as in realm_access.roles.",
    allowed: "the name of a claim",
    fallback: () => "groups",
  }),
  "oidc.groups": setting(Type.Array(parsed(parseGroupRule)), {
    doc: "What groups of the identity provider give: a plan, and with :admin the role of an administrator.",
    allowed: `a list of group=plan or group=plan:admin with ${plans.join(" or ")}, as in staff=agency`,
    fallback: none,
  }),
} as const;

/** Kept as written: providers compare it by character. */
function parseIssuer(text: string): string | null {
  const url = text.length > issuerCharsMax || !/^https?:\/\/[\x21-\x7e]+$/i.test(text) ? null : URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || /[?#]/.test(text) || text.includes(wellKnown)) return null;
  return url.protocol === "https:" || isLoopbackHost(url.hostname) ? text : null;
}

function parseLabel(text: string): string | null {
  const label = text.trim();
  return label !== "" && label.length <= labelCharsMax && !/[\p{Cc}\p{Cf}]/u.test(label) ? label : null;
}

/** Names of groups may contain `=` and `:`, so the last ones count. */
function parseGroupRule(text: string): GroupRule | null {
  const [, group = "", word = "", role] = /^(.*[^\s])\s*=\s*([a-z]+)(:admin)?$/.exec(text.trim()) ?? [];
  const plan = plans.find((one) => one === word);
  return plan === undefined ? null : { group, plan, admin: role !== undefined };
}
