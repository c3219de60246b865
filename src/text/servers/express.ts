/** Lines for Node.js with Express, by its package helmet where that has the header. */
import type { CookieAttribute } from "../../check/fix.ts";
import { attributeName, cookiePattern, createTarget, type FixOf, indented, linesIn, policyName, type Renderers } from "./target.ts";

/** `head`: statements that run when the head of a response is written, after all routes. */
interface Part {
  readonly in: "app" | "middleware" | "head" | "cookies";
  readonly lines: readonly string[];
}

const renderers: Renderers<Part> = {
  header: ({ name, value, replaces }) => {
    const middleware = helmetCall(name, value);
    const set = `response.setHeader(${JSON.stringify(name)}, ${JSON.stringify(value)});`;
    if (middleware === null) return { in: "head", lines: [set] };
    return replaces ? { in: "head", lines: [`${middleware}(request, response, () => {});`] } : { in: "middleware", lines: [middleware] };
  },
  "remove-header": removal,
  policy: ({ directives }) => ({ in: "head", lines: [`response.appendHeader("${policyName}", ${JSON.stringify(directives)});`] }),
  cookie: (fix) => ({ in: "cookies", lines: fix.attributes.map((attribute) => cookieMap(fix, attribute)) }),
  "https-redirect": ({ host }) => ({
    in: "app",
    lines: [
      "app.use((request, response, next) => {",
      "  if (request.secure) return next();",
      `  response.redirect(301, ${JSON.stringify(`https://${host}`)} + request.originalUrl);`,
      "});",
    ],
  }),
  charset: () => ({
    in: "head",
    lines: ['if (response.getHeader("Content-Type") === "text/html") response.setHeader("Content-Type", "text/html; charset=utf-8");'],
  }),
  // Node.js has no Server header of its own.
  "server-version": () => removal({ name: "Server" }),
  "forwarded-scheme": () => ({ in: "app", lines: ['app.set("trust proxy", 1);'] }),
  "path-redirect": ({ from, to }) => ({
    in: "app",
    lines: [`app.get(${JSON.stringify(from)}, (request, response) => response.redirect(301, ${JSON.stringify(to)}));`],
  }),
};

function removal({ name }: { readonly name: string }): Part {
  return { in: "head", lines: [`response.removeHeader(${JSON.stringify(name)});`] };
}

/** Call of helmet that makes the middleware of a header; null if helmet lacks the header or value. */
function helmetCall(name: string, value: string): string | null {
  const lower = name.toLowerCase();
  if (lower === "strict-transport-security") return stsCall(value);
  if (lower === "content-security-policy") return policyCall(value);
  if (lower === "x-content-type-options" && value === "nosniff") return "helmet.xContentTypeOptions()";
  if (lower === "x-frame-options" && /^(?:SAMEORIGIN|DENY)$/.test(value))
    return `helmet.xFrameOptions({ action: "${value.toLowerCase()}" })`;
  const method = methods[lower];
  return method !== undefined && /^[a-z-]+$/.test(value) ? `helmet.${method}({ policy: "${value}" })` : null;
}

const methods: Readonly<Record<string, string>> = {
  "referrer-policy": "referrerPolicy",
  "cross-origin-opener-policy": "crossOriginOpenerPolicy",
  "cross-origin-embedder-policy": "crossOriginEmbedderPolicy",
  "cross-origin-resource-policy": "crossOriginResourcePolicy",
};

function stsCall(value: string): string | null {
  const [, age, subdomains, preload] = /^max-age=(\d{1,10})(; includeSubDomains)?(; preload)?$/.exec(value) ?? [];
  if (age === undefined) return null;
  return `helmet.strictTransportSecurity({ maxAge: ${age}, includeSubDomains: ${subdomains !== undefined}${preload === undefined ? "" : ", preload: true"} })`;
}

/** helmet demands default-src. */
function policyCall(value: string): string | null {
  const directives = value.split(";").map((directive) => directive.trim().split(/ +/));
  if (!directives.every(([name = ""]) => /^[a-z-]+$/.test(name)) || !directives.some(([name]) => name === "default-src")) return null;
  const members = directives.map(([name, ...sources]) => `${JSON.stringify(name)}: ${JSON.stringify(sources).replaceAll(",", ", ")}`);
  return `helmet.contentSecurityPolicy({ useDefaults: false, directives: { ${members.join(", ")} } })`;
}

function cookieMap(fix: FixOf<"cookie">, attribute: CookieAttribute): string {
  const pattern = `/^${cookiePattern(fix)}(?!.*; *${attributeName(attribute)})/i`;
  return `    .map((cookie) => (${pattern}.test(cookie) ? \`\${cookie}; ${attribute}\` : cookie))`;
}

/** Sends the cookies again, with attributes added by `maps`. */
function cookieLines(maps: readonly string[]): readonly string[] {
  if (maps.length === 0) return [];
  const [last = "", ...before] = maps.toReversed();
  return [
    "response.setHeader(",
    '  "Set-Cookie",',
    '  [response.getHeader("Set-Cookie") ?? []]',
    "    .flat()",
    ...before.toReversed(),
    `${last},`,
    ");",
  ];
}

function hook(statements: readonly string[]): readonly string[] {
  if (statements.length === 0) return [];
  return [
    "app.use((request, response, next) => {",
    "  const { writeHead } = response;",
    "  response.writeHead = (...head) => {",
    ...indented(statements, 2),
    "    return writeHead.apply(response, head);",
    "  };",
    "  next();",
    "});",
  ];
}

export const express = createTarget<Part>({
  label: "Node.js (Express)",
  renderers,
  comment: (text) => `// ${text}`,
  lines: (parts, comments) => {
    const code = [
      ...linesIn(parts, "app"),
      ...linesIn(parts, "middleware").map((call) => `app.use(${call});`),
      ...hook([...linesIn(parts, "head"), ...cookieLines(linesIn(parts, "cookies"))]),
    ];
    return [...comments, ...(code.some((line) => line.includes("helmet.")) ? ['import helmet from "helmet";', ""] : []), ...code];
  },
});
