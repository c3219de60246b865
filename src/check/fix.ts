/** Fixes: language-neutral steps of a remediation, from which the lines for each server are rendered. */

export type CookieAttribute = "Secure" | "HttpOnly" | "SameSite=Lax";

/** `prefixed`: names that begin with `__Host-` or `__Secure-`. `names`: joined by commas, usually a placeholder of the finding. */
export type FixedCookies = "all" | "prefixed" | { readonly names: string };

interface HeaderFix {
  readonly kind: "header";
  readonly name: string;
  readonly value: string;
  /** True if the site sends a value that must be replaced. */
  readonly replaces: boolean;
  /** Hard to undo, so a configuration for several findings leaves it out. */
  readonly optional: boolean;
}

/** Policy for a site that loads only files of its own: where nothing is known of the page. */
export const ownFilesPolicy = "default-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'";

interface PolicyFix {
  readonly kind: "policy";
  /** Serialized directives of a Content Security Policy. */
  readonly directives: string;
  /**
   * Policy headers that the site sends. `none`: there is no header. `kept`: browsers enforce it beside this one. `weak`: as `kept`, but it
   * restricts no scripts, so a configuration for several findings replaces it.
   */
  readonly present: "none" | "kept" | "weak";
  /** True if the policy repairs the finding. Otherwise it only limits the damage until the cause is removed. */
  readonly cures: boolean;
  /** True for a policy that a scan drafted: its lines only report, until it is enforced. Checks leave it out. */
  readonly reportsFirst?: true;
}

/** Renders no lines: the finding is repaired if a configuration for several findings replaces the policy of the site. */
interface NewPolicyFix {
  readonly kind: "new-policy";
  /** True if the policy of the site protects too little to be kept. */
  readonly needed: boolean;
  /** Policy that a scan drafted. Checks leave it out. */
  readonly directives?: string;
}

interface CookieFix {
  readonly kind: "cookie";
  readonly cookies: FixedCookies;
  readonly attributes: readonly CookieAttribute[];
}

interface CertificateFix {
  readonly kind: "certificate";
  readonly host: string;
  /** `listen`: https is not switched on yet. `name`: the server does not know its name. */
  readonly also: "listen" | "name" | null;
}

/** A step of a remediation. Texts may hold the placeholders of the finding, such as `{{host}}`. */
export type Fix =
  | HeaderFix
  | { readonly kind: "remove-header"; readonly name: string }
  | PolicyFix
  | NewPolicyFix
  | CookieFix
  | CertificateFix
  | { readonly kind: "https-redirect"; readonly host: string }
  | { readonly kind: "tls-protocols" }
  | { readonly kind: "tls-ciphers" }
  | { readonly kind: "tls-curves" }
  | { readonly kind: "charset" }
  | { readonly kind: "server-version" }
  | { readonly kind: "no-listing" }
  | { readonly kind: "forwarded-scheme" }
  | { readonly kind: "path-redirect"; readonly from: string; readonly to: string }
  | { readonly kind: "path-type"; readonly path: string; readonly type: string }
  | { readonly kind: "text-file"; readonly path: string; readonly folder: string };

/** Header that the site does not send yet. */
export function setHeader(name: string, value: string): Fix {
  return { kind: "header", name, value, replaces: false, optional: false };
}

/** Header that replaces the value of the site. `optional`: hard to undo, so a configuration for several findings leaves it out. */
export function replaceHeader(name: string, value: string, { optional = false } = {}): Fix {
  return { kind: "header", name, value, replaces: true, optional };
}

export function removeHeader(name: string): Fix {
  return { kind: "remove-header", name };
}

/** Directives of a Content Security Policy; `present` and `cures` as in `PolicyFix`. */
export function sendPolicy(directives: string, present: "none" | "kept" | "weak" = "kept", { cures = true } = {}): Fix {
  return { kind: "policy", directives, present, cures };
}

/** The policy of the site allows all scripts: a configuration for several findings replaces it. */
export const newPolicyNeeded: Fix = { kind: "new-policy", needed: true };
/** A fault of the policy that disappears when a configuration for several findings replaces it. */
export const newPolicyCures: Fix = { kind: "new-policy", needed: false };

export function addToCookies(cookies: FixedCookies, ...attributes: readonly CookieAttribute[]): Fix {
  return { kind: "cookie", cookies, attributes };
}

/** Redirect of all plain requests to the same address over https. */
export const redirectToHttps: Fix = { kind: "https-redirect", host: "{{host}}" };

/** Certificate of Certbot's folder for a host, usually `{{host}}` or `{{tlsHost}}`. */
export function useCertificate(host: string, also: "listen" | "name" | null = null): Fix {
  return { kind: "certificate", host, also };
}

/** TLS 1.2 and 1.3 only. */
export const modernProtocols: Fix = { kind: "tls-protocols" };
/** Suites with forward secrecy and authenticated encryption only. */
export const modernCiphers: Fix = { kind: "tls-ciphers" };
/** Curves of at least 255 bits. */
export const modernCurves: Fix = { kind: "tls-curves" };
/** UTF-8 in the Content-Type of documents. */
export const declareCharset: Fix = { kind: "charset" };
/** No version of the server itself in its Server header. */
export const hideServerVersion: Fix = { kind: "server-version" };
export const noDirectoryListing: Fix = { kind: "no-listing" };
/** Header for the application behind the server: visitors use https. */
export const forwardScheme: Fix = { kind: "forwarded-scheme" };

/** Permanent redirect from one path of the site to another. */
export function redirectPath(from: string, to: string): Fix {
  return { kind: "path-redirect", from, to };
}

/** Content-Type of one file. */
export function setPathType(path: string, type: string): Fix {
  return { kind: "path-type", path, type };
}

/** Text file at a path of the site, served from below a folder of the server. */
export function serveTextFile(path: string, folder: string): Fix {
  return { kind: "text-file", path, folder };
}
