/** Contract of a target: a server, framework or service that lines are rendered for. */
import type { Fix } from "../../check/fix.ts";

/** Comments of a configuration; texts are in the locale files under `serverNotes`. */
export type ServerNote =
  | "test"
  | "policy"
  | "policyReplaced"
  | "subdomains"
  | "origin"
  | "cookies"
  | "plain"
  | "secure"
  | "outside"
  | "place.nginx"
  | "place.apache"
  | "place.caddy"
  | "place.iis"
  | "place.express"
  | "place.htaccess"
  | "place.cloudflare"
  | "place.wordpress"
  | "place.traefik";

/** Text of a comment, on one line. */
export type WriteNote = (note: ServerNote) => string;

export interface Target {
  /** Name of the product. */
  readonly label: string;
  /** True if there are lines for the fix. False for a value that the syntax cannot contain safely. */
  expresses(fix: Fix): boolean;
  /** Lines of one finding, for fixes that the target expresses. */
  lines(fixes: readonly Fix[]): readonly string[];
  /** One configuration for merged fixes that the target expresses. `notes` come first, as comments. */
  whole(fixes: readonly Fix[], notes: readonly ServerNote[], write: WriteNote): readonly string[];
}

export type FixOf<K extends Fix["kind"]> = Extract<Fix, { readonly kind: K }>;
export type HeaderChange = FixOf<"header"> | FixOf<"remove-header"> | FixOf<"policy">;

export const policyName = "Content-Security-Policy";

/** Renderers by kind of fix; null for kinds, or values, that the target cannot express. */
export type Renderers<R> = { readonly [K in Fix["kind"]]: (fix: FixOf<K>) => R | null };

export function renderFix<R>(renderers: Renderers<R>, fix: Fix): R | null {
  const render = renderers[fix.kind] as (fix: Fix) => R | null;
  return render(fix);
}

export function inexpressible(): null {
  return null;
}

/** Names of a cookie fix as the body of a regular expression; names hold letters, digits, `_`, `-` and dots only. */
export function cookiePattern({ cookies }: FixOf<"cookie">): string {
  if (cookies === "all") return "";
  if (cookies === "prefixed") return "__(?:Host|Secure)-";
  const names = cookies.names.split(",").map((name) => name.replaceAll(".", "[.]"));
  return `${names.length === 1 ? names[0] : `(?:${names.join("|")})`}=`;
}

/** Suites with forward secrecy and authenticated encryption, by their OpenSSL names. */
export const cipherNames = [
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");
