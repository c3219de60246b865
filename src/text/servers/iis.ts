/** Lines for IIS: a `web.config` file. Rules need the URL Rewrite module. */
import { cookiePattern, createTarget, type FixOf, indented, policyName, type Renderers } from "./target.ts";

/** Elements by their place within `web.config`. */
interface Part {
  readonly in: keyof typeof places | "location";
  readonly lines: readonly string[];
}

/** Opening tags around the elements, outermost first. */
const places = {
  systemWeb: ["system.web"],
  headers: ["system.webServer", "httpProtocol", "customHeaders"],
  rules: ["system.webServer", "rewrite", "rules"],
  outbound: ["system.webServer", "rewrite", "outboundRules"],
  security: ["system.webServer", "security"],
  types: ["system.webServer", "staticContent"],
  server: ["system.webServer"],
} as const;

const renderers: Renderers<readonly Part[]> = {
  header: headerParts,
  "remove-header": ({ name }) => [
    ...(name.toLowerCase() === "x-powered-by" ? [{ in: "headers" as const, lines: [`<remove name="${name}" />`] }] : []),
    ...(name.toLowerCase() === "x-aspnet-version"
      ? [{ in: "systemWeb" as const, lines: ['<httpRuntime enableVersionHeader="false" />'] }]
      : []),
    outboundRule(`Remove ${name}`, name, ".+", "", null),
  ],
  // A second policy would need a second field, which no rule can add.
  policy: ({ directives, present }) =>
    present === "none" ? headerParts({ kind: "header", name: policyName, value: directives, replaces: false, optional: false }) : null,
  cookie: (fix) =>
    fix.attributes.map((attribute) => {
      const [word = ""] = attribute.split("=");
      const which = typeof fix.cookies === "string" ? fix.cookies : fix.cookies.names;
      return outboundRule(`${attribute} for ${which}`, "Set-Cookie", `^${cookiePattern(fix)}.*$`, `{R:0}; ${attribute}`, `; *${word}`);
    }),
  "https-redirect": ({ host }) => [
    rule("Redirect to HTTPS", ".*", `https://${host}{REQUEST_URI}`, '<add input="{HTTPS}" pattern="^OFF$" ignoreCase="true" />'),
  ],
  charset: () => [{ in: "types", lines: typeLines(".html", "text/html; charset=utf-8") }],
  "server-version": () => [{ in: "security", lines: ['<requestFiltering removeServerHeader="true" />'] }],
  "no-listing": () => [{ in: "server", lines: ['<directoryBrowse enabled="false" />'] }],
  "path-redirect": ({ from, to }) => [rule(`Redirect ${from}`, `^${from.slice(1).replaceAll(".", "\\.")}$`, to, null)],
  "path-type": ({ path, type }) => [
    {
      in: "location",
      lines: [
        `<location path="${path.slice(1)}">`,
        ...indented(enclosed(["system.webServer", "staticContent"], typeLines(`.${path.split(".").at(-1)}`, type))),
        "</location>",
      ],
    },
  ],
};

/** Quoted value; null for braces and backslashes, which rules interpret. */
function headerParts({ name, value, replaces }: FixOf<"header">): readonly Part[] | null {
  if (/[{}\\]/.test(value)) return null;
  // A custom header would be added to the application's header, not replace it.
  if (replaces) return [outboundRule(`Set ${name}`, name, ".*", value, null)];
  return [{ in: "headers", lines: [`<remove name="${name}" />`, `<add name="${name}" value="${escaped(value)}" />`] }];
}

function outboundRule(title: string, header: string, pattern: string, value: string, unless: string | null): Part {
  const condition = unless === null ? [] : enclosed(["conditions"], [`<add input="{R:0}" pattern="${escaped(unless)}" negate="true" />`]);
  return {
    in: "outbound",
    lines: [
      `<rule name="${escaped(title)}">`,
      `  <match serverVariable="RESPONSE_${header.replaceAll("-", "_")}" pattern="${escaped(pattern)}" />`,
      ...indented(condition),
      `  <action type="Rewrite" value="${escaped(value)}" />`,
      "</rule>",
    ],
  };
}

function rule(title: string, url: string, target: string, condition: string | null): Part {
  return {
    in: "rules",
    lines: [
      `<rule name="${escaped(title)}" stopProcessing="true">`,
      `  <match url="${escaped(url)}" />`,
      ...(condition === null ? [] : indented(enclosed(["conditions"], [condition]))),
      `  <action type="Redirect" url="${escaped(target)}" redirectType="Permanent" appendQueryString="false" />`,
      "</rule>",
    ],
  };
}

/** IIS refuses a type that is declared twice. */
function typeLines(extension: string, type: string): readonly string[] {
  return [`<remove fileExtension="${extension}" />`, `<mimeMap fileExtension="${extension}" mimeType="${escaped(type)}" />`];
}

/** Attribute value of XML 1.0, section 2.3. */
function escaped(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function enclosed(tags: readonly string[], lines: readonly string[]): readonly string[] {
  return tags.reduceRight<readonly string[]>((inner, tag) => [`<${tag}>`, ...indented(inner), `</${tag}>`], lines);
}

/** Elements that share the outer ones; each element exists once. */
function nested(parts: readonly Part[], depth: number): readonly string[] {
  const byTag = Map.groupBy(parts, (part) => (part.in === "location" ? "" : (places[part.in][depth] ?? "")));
  return [...byTag].flatMap(([tag, same]) => (tag === "" ? same.flatMap(({ lines }) => lines) : enclosed([tag], nested(same, depth + 1))));
}

export const iis = createTarget<readonly Part[]>({
  label: "IIS",
  renderers,
  // A comment of XML may not hold two hyphens (XML 1.0, section 2.5).
  comment: (text) => `<!-- ${text.replaceAll("--", "- -")} -->`,
  lines: (parts, comments) => ["<configuration>", ...indented([...comments, ...nested(parts.flat(), 0)]), "</configuration>"],
});
