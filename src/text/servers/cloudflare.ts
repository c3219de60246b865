/** Lines for Cloudflare: calls of its API for a response header transform rule and for settings of the zone. */
import type { Fix } from "../../check/fix.ts";
import { inexpressible, policyName, type Renderers, renderFix, type ServerNote, type Target, type WriteNote } from "./target.ts";

/** One header of the rule, or one setting of the zone. */
type Part =
  | { readonly header: string; readonly change: { readonly operation: "set" | "add" | "remove"; readonly value?: string } }
  | { readonly setting: string; readonly value: string };

const renderers: Renderers<Part> = {
  header: ({ name, value }) => ({ header: name, change: { operation: "set", value } }),
  "remove-header": ({ name }) => ({ header: name, change: { operation: "remove" } }),
  policy: ({ directives, present }) => ({
    header: policyName,
    change: { operation: present === "none" ? "set" : "add", value: directives },
  }),
  "new-policy": inexpressible,
  cookie: inexpressible,
  certificate: inexpressible,
  "https-redirect": () => ({ setting: "always_use_https", value: "on" }),
  "tls-protocols": () => ({ setting: "min_tls_version", value: "1.2" }),
  "tls-ciphers": inexpressible,
  "tls-curves": inexpressible,
  charset: inexpressible,
  "server-version": inexpressible,
  "no-listing": inexpressible,
  "forwarded-scheme": inexpressible,
  "path-redirect": inexpressible,
  "path-type": inexpressible,
  "text-file": inexpressible,
};

const api = "https://api.cloudflare.com/client/v4/zones/$ZONE_ID";

/** The quoted delimiter keeps the shell from expanding the body (POSIX shell, section 2.7.4); JSON never holds it as a line. */
function call(method: string, path: string, body: unknown): readonly string[] {
  return [
    `curl --fail -X ${method} "${api}/${path}" \\`,
    '  -H "Authorization: Bearer $CLOUDFLARE_API_TOKEN" -H "Content-Type: application/json" --data @- <<\'JSON\'',
    ...JSON.stringify(body, null, 2).split("\n"),
    "JSON",
  ];
}

function linesOf(fixes: readonly Fix[]): readonly string[] {
  const parts = fixes.flatMap((fix) => renderFix(renderers, fix) ?? []);
  const headers = parts.flatMap((part) => ("header" in part ? [[part.header, part.change] as const] : []));
  const settings = parts.flatMap((part) => ("setting" in part ? [part] : []));
  const rule = {
    description: "Security headers",
    expression: "true",
    action: "rewrite",
    action_parameters: { headers: Object.fromEntries(headers) },
  };
  return [
    ...(headers.length === 0 ? [] : call("POST", "rulesets/$RULESET_ID/rules", rule)),
    ...settings.flatMap(({ setting, value }) => call("PATCH", `settings/${setting}`, { value })),
  ];
}

function whole(fixes: readonly Fix[], notes: readonly ServerNote[], write: WriteNote): readonly string[] {
  return [...notes.map((note) => `# ${write(note)}`), ...linesOf(fixes)];
}

export const cloudflare: Target = {
  label: "Cloudflare",
  expresses: (fix) => renderFix(renderers, fix) !== null,
  lines: linesOf,
  whole,
};
