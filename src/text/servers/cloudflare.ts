/** Lines for Cloudflare: calls of its API for a response header transform rule and for settings of the zone. */
import { createTarget, policyName, type Renderers } from "./target.ts";

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
  "https-redirect": () => ({ setting: "always_use_https", value: "on" }),
  "tls-protocols": () => ({ setting: "min_tls_version", value: "1.2" }),
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

export const cloudflare = createTarget<Part>({
  label: "Cloudflare",
  renderers,
  lines: (parts, comments) => {
    const headers = parts.flatMap((part) => ("header" in part ? [[part.header, part.change] as const] : []));
    const settings = parts.flatMap((part) => ("setting" in part ? [part] : []));
    const rule = {
      description: "Security headers",
      expression: "true",
      action: "rewrite",
      action_parameters: { headers: Object.fromEntries(headers) },
    };
    return [
      ...comments,
      ...(headers.length === 0 ? [] : call("POST", "rulesets/$RULESET_ID/rules", rule)),
      ...settings.flatMap(({ setting, value }) => call("PATCH", `settings/${setting}`, { value })),
    ];
  },
});
