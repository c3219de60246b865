/** No value changes the meaning of a configuration: each syntax is read back, and says exactly what was to be said, or there are no lines. */
import { YAML } from "bun";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addToCookies, redirectToHttps, replaceHeader } from "../../../../src/check/fix.ts";
import { linesFor, type ServerName, serverNames } from "../../../../src/text/servers/server-lines.ts";
import {
  caddyWords,
  jsonBodies,
  nginxDirectives,
  phpLiteral,
  type XmlElement,
  xmlDocument,
} from "../../../support/configuration-syntax.ts";
import { randomRuns } from "../../../support/random-runs.ts";
import { unicodeText } from "../../../support/unicode-text.ts";

const runs = randomRuns(2_000);
/** Characters and words that some syntax interprets. */
const special = [
  '"',
  "'",
  "`",
  "\\",
  "$",
  "%",
  "{",
  "}",
  "{{",
  "}}",
  "<",
  ">",
  "&",
  "#",
  ";",
  "\n",
  "\r",
  "\0",
  "\u2028",
  "-->",
  "?>",
  "<?",
  "$".concat("{HOME}"),
  "%{HOST}e",
  "expr=",
  "JSON",
  "{env.HOME}",
  "*/",
  "//",
  " ",
  "a",
  "\ud800",
];
const anyText = fc.oneof(
  fc.array(fc.constantFrom(...special), { maxLength: 8 }).map((parts) => parts.join("")),
  unicodeText({ maxLength: 30 }),
);
const name = "X-Sample";

/** Values of X-Sample that the lines set, as the server would read them. */
const readers: Readonly<Record<ServerName, (lines: string) => readonly string[]>> = {
  nginx: (lines) => {
    const directives = nginxDirectives(lines);
    expect(directives.map(([word]) => word)).toEqual(["proxy_hide_header", "fastcgi_hide_header", "add_header"]);
    expect(directives[2]?.slice(0, 2)).toEqual(["add_header", name]);
    expect(directives[2]?.[3]).toBe("always");
    return [directives[2]?.[2] ?? ""];
  },
  apache: apacheValues,
  htaccess: apacheValues,
  caddy: (lines) => {
    const [opening, defer, sample = [], closing, ...more] = caddyWords(lines);
    expect([opening, defer, closing, more]).toEqual([["header", "{"], ["defer"], ["}"], []]);
    expect([sample.length, sample[0]]).toEqual([2, name]);
    return sample.slice(1);
  },
  iis: (lines) => {
    const leaf = (element: XmlElement): readonly XmlElement[] =>
      element.children.length === 0 ? [element] : element.children.flatMap(leaf);
    const leaves = leaf(xmlDocument(lines));
    expect(leaves.map((element) => element.name)).toEqual(["match", "action"]);
    const { value = "" } = leaves[1]?.attributes ?? {};
    return [value];
  },
  express: (lines) => {
    const sent: string[] = [];
    const response = {
      writeHead: () => {},
      setHeader: (field: string, value: string) => {
        expect(field).toBe(name);
        sent.push(value);
      },
    };
    const app = {
      use: (middleware: (request: object, answer: typeof response, next: () => void) => void) =>
        middleware({}, response, () => response.writeHead()),
    };
    new Function("app", lines)(app);
    return sent;
  },
  cloudflare: (lines) => {
    const [body, ...more] = jsonBodies(lines);
    expect(more).toEqual([]);
    const { headers } = (body as { action_parameters: { headers: Record<string, { operation: string; value: string }> } })
      .action_parameters;
    expect(Object.entries(headers).map(([field, { operation }]) => [field, operation])).toEqual([[name, "set"]]);
    return [headers[name]?.value ?? ""];
  },
  wordpress: (lines) => {
    const written = /^<\?php\nheader_register_callback\( function \(\) \{\n {2}header\( (.*) \);\n\} \);$/.exec(lines);
    const [field = "", value = ""] = phpLiteral(written?.[1] ?? "").split(/: (.*)/);
    expect(field).toBe(name);
    return [value];
  },
  traefik: (lines) => {
    // Go reads templates before YAML.
    expect(lines).not.toContain("{{");
    const parsed = YAML.parse(lines) as {
      http: { middlewares: Record<string, { headers: { customResponseHeaders: Record<string, string> } }> };
    };
    expect(Object.keys(parsed)).toEqual(["http"]);
    const sent = Object.entries(parsed.http.middlewares["assay-headers"]?.headers.customResponseHeaders ?? {});
    expect(sent.map(([field]) => field)).toEqual([name]);
    return sent.map(([, value]) => value);
  },
};

function apacheValues(lines: string): readonly string[] {
  const [unset, set = "", ...more] = lines.split("\n");
  expect([unset, more]).toEqual([`Header unset ${name}`, []]);
  const [, quoted = ""] = /^Header always set X-Sample "((?:[^"\\]|\\["\\])*)"$/.exec(set) ?? [];
  const value = quoted.replaceAll(/\\(["\\])/g, "$1");
  // Apache expands ${...} as it reads, and %-codes, escapes such as \n, and expr= as it answers.
  expect(/\$\{|^expr=/i.test(value)).toBe(false);
  expect(value.replaceAll("%%", "")).not.toContain("%");
  const escapes = value.match(/\\./g) ?? [];
  expect(escapes.filter((pair) => pair !== "\\\\")).toEqual([]);
  return [value.replaceAll("%%", "%").replaceAll("\\\\", "\\")];
}

describe.each(serverNames)("lines for %s", (server) => {
  test("set exactly the value, or are left out", () => {
    let written = 0;
    fc.assert(
      fc.property(anyText, (value) => {
        const lines = linesFor(server, [replaceHeader(name, "{{value}}")], { value });
        if (lines === null) return;
        written += 1;
        expect(readers[server](lines)).toEqual([value]);
      }),
      { numRuns: runs },
    );
    // Otherwise the property says nothing.
    expect(written).toBeGreaterThan(runs / 40);
  });

  test("carry harmless punctuation", () => {
    for (const value of ["default-src 'self'; img-src https:", "a=(), b=(self)", "max-age=1; x, y", 'csp="https://a.example/r"'])
      expect(readers[server](linesFor(server, [replaceHeader(name, value)], {}) ?? "")).toEqual([value]);
  });

  test("hold no name of a cookie and no host that could be anything else", () => {
    fc.assert(
      fc.property(anyText, anyText, (names, host) => {
        const cookies = linesFor(server, [addToCookies({ names: "{{names}}" }, "HttpOnly")], { names });
        const safe = linesFor(server, [addToCookies({ names: "sid" }, "HttpOnly")], {});
        const shown = names
          .split(",")
          .map((one) => one.trim())
          .filter((one) => /^[A-Za-z0-9._-]*[A-Za-z0-9][A-Za-z0-9._-]*$/.test(one));
        if (shown.length === 0) expect(cookies).toBe(safe);
        const redirect = linesFor(server, [redirectToHttps], { host });
        if (redirect !== null && redirect !== linesFor(server, [redirectToHttps], { host: "other.example" }))
          expect(host).toMatch(/^[A-Za-z0-9._-]+$|^\[[0-9A-Fa-f:.]+\]$/);
      }),
      { numRuns: runs },
    );
  });

  test("are left out for an invalid name of a header", () => {
    for (const wrong of ["", "a b", "X:", "-X", "+X", "?X", "X\n", "X{", "$X", `X${"x".repeat(64)}`])
      expect([wrong, linesFor(server, [replaceHeader(wrong, "value")], {})]).toEqual([wrong, null]);
  });
});
