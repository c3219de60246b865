/** One configuration for several findings: merged headers, one policy, nothing twice. */
import { YAML } from "bun";
import { describe, expect, test } from "vitest";
import type { Fix } from "../../../../src/check/fix.ts";
import * as fixes from "../../../../src/check/fix.ts";
import { configurationFor, type ServerName, serverNames } from "../../../../src/text/servers/server-lines.ts";
import { jsonBodies, type XmlElement, xmlDocument } from "../../../support/configuration-syntax.ts";
import { fixedFindings } from "../../../support/remediations.ts";

const values = { host: "shop.example", names: "sid" };

/** Codes are a, b, c ... */
function merged(server: ServerName, ...steps: readonly Fix[]) {
  const items = steps.map((fix, at) => ({ code: String.fromCharCode(97 + at), fixes: [fix], values }));
  return configurationFor(server, items, (note) => `(${note})`);
}

function linesOf(server: ServerName, ...steps: readonly Fix[]): readonly string[] {
  return merged(server, ...steps)
    .text.split("\n")
    .filter((line) => !line.includes("("));
}

describe("a configuration", () => {
  test("has the strictest HSTS value once", () => {
    const name = "Strict-Transport-Security";
    const steps = [fixes.setHeader(name, "max-age=31536000"), fixes.replaceHeader(name, "max-age=600; includeSubDomains")];
    expect(linesOf("apache", ...steps)).toEqual([
      "Header unset Strict-Transport-Security",
      'Header always set Strict-Transport-Security "max-age=31536000; includeSubDomains"',
    ]);
  });

  test("never asks for preloading, which is hard to undo", () => {
    const preload = fixes.replaceHeader("Strict-Transport-Security", "max-age=31536000; preload", { optional: true });
    expect(merged("nginx", preload)).toEqual({ text: "", codes: [], left: ["a"] });
  });

  test("leaves certificates to the reader, whose files it does not know", () => {
    const { codes, left } = merged("nginx", fixes.useCertificate("{{host}}"), fixes.hideServerVersion);
    expect([codes, left]).toEqual([["b"], ["a"]]);
  });

  test("adds one policy beside that of the site", () => {
    const steps = [fixes.sendPolicy("base-uri 'self'"), fixes.sendPolicy("base-uri 'none'"), fixes.sendPolicy("object-src 'none'")];
    expect(linesOf("caddy", ...steps)).toEqual([
      "header {",
      "  defer",
      "  +Content-Security-Policy \"base-uri 'none'; object-src 'none'\"",
      "}",
    ]);
    expect(merged("traefik", ...steps).left).toEqual(["a", "b", "c"]);
  });

  test("replaces a policy that restricts no scripts, on servers that cannot add one too", () => {
    const steps = [fixes.sendPolicy("script-src 'self'", "weak"), fixes.sendPolicy("base-uri 'none'")];
    const policy = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'; script-src 'self'";
    expect(linesOf("nginx", ...steps)).toEqual([
      "proxy_hide_header Content-Security-Policy;",
      "fastcgi_hide_header Content-Security-Policy;",
      `add_header Content-Security-Policy "${policy}" always;`,
    ]);
    expect(merged("nginx", ...steps).text).toContain("# (policyReplaced)");
    const { text, codes } = merged("traefik", ...steps);
    expect(text).toContain(`Content-Security-Policy: "${policy}"`);
    expect(codes).toEqual(["a", "b"]);
  });

  test("does not remove a header that it sends", () => {
    const steps = [fixes.removeHeader("x-frame-options"), fixes.setHeader("X-Frame-Options", "DENY")];
    expect(linesOf("nginx", ...steps)).toEqual(['add_header X-Frame-Options "DENY" always;']);
  });

  test("merges a policy that a check sets as a header, and names a header of Traefik once", () => {
    const policy = fixes.setHeader("content-security-policy", "default-src 'none'");
    const steps = [policy, fixes.sendPolicy("object-src 'none'", "none"), fixes.hideServerVersion, fixes.removeHeader("Server")];
    const { text, codes } = merged("traefik", ...steps);
    expect(text.match(/(?:Content-Security-Policy|Server): .*/g)).toEqual([
      'Server: ""',
      "Content-Security-Policy: \"default-src 'none'; object-src 'none'\"",
    ]);
    expect(codes).toEqual(["a", "b", "c", "d"]);
  });

  test("gives nginx all flags of a cookie in one line", () => {
    const named = { names: "{{names}}" };
    const steps = [
      fixes.addToCookies("all", "Secure"),
      fixes.addToCookies(named, "HttpOnly"),
      fixes.addToCookies(named, "SameSite=Lax"),
      fixes.addToCookies("prefixed", "Secure"),
    ];
    expect(linesOf("nginx", ...steps)).toEqual(["proxy_cookie_flags sid httponly samesite=lax secure;", "proxy_cookie_flags ~ secure;"]);
  });

  test("names the port of each part of a redirect", () => {
    expect(merged("nginx", fixes.redirectToHttps, fixes.hideServerVersion).text.split("\n").slice(-4)).toEqual([
      "# (plain)",
      "if ($scheme = http) { return 301 https://$host$request_uri; }",
      "# (secure)",
      "server_tokens off;",
    ]);
  });

  test("keeps two hyphens out of XML comments", () => {
    const items = [{ code: "a", fixes: [fixes.noDirectoryListing], values }];
    expect(configurationFor("iis", items, () => "a --> b").text).toContain("<!-- a - -> b -->");
  });

  test("claims a fault of the policy only if it replaces that", () => {
    const steps = [fixes.newPolicyCures, fixes.sendPolicy("base-uri 'none'")];
    expect(merged("nginx", ...steps)).toMatchObject({ codes: ["b"], left: ["a"] });
    const { text, codes } = merged("nginx", ...steps, fixes.newPolicyNeeded);
    expect(codes).toEqual(["a", "b", "c"]);
    expect(text).toContain("proxy_hide_header Content-Security-Policy;");
  });

  test("does not claim what its policy only limits", () => {
    const { text, codes, left } = merged("nginx", fixes.sendPolicy("form-action 'self'", "kept", { cures: false }));
    expect([codes, left]).toEqual([[], ["a"]]);
    expect(text).toContain("form-action 'self'");
  });

  test.each(["sid, ...", "sid (SameSite=wrong)", '""', "a|b", "", "x,".repeat(100)])(
    "leaves cookies that it cannot all name: %s",
    (names) => {
      const items = [
        { code: "a", fixes: [fixes.addToCookies({ names: "{{names}}" }, "HttpOnly")], values: { names } },
        { code: "b", fixes: [fixes.hideServerVersion], values },
      ];
      const { text, codes, left } = configurationFor("nginx", items, (note) => note);
      expect([codes, left]).toEqual([["b"], ["a"]]);
      expect(text).not.toContain("proxy_cookie_flags");
    },
  );

  test("claims a code only if it repairs all findings of it", () => {
    const headerOf = (value: string) => ({ code: "a", fixes: [fixes.setHeader("X-Sample", "{{value}}")], values: { value } });
    const { text, codes, left } = configurationFor("nginx", [headerOf("fine"), headerOf("$variable")], (note) => note);
    expect([codes, left]).toEqual([[], ["a"]]);
    expect(text).toContain('"fine"');
  });

  test("does not claim a value or a removal that another finding of the same header overrules", () => {
    const values = [fixes.setHeader("Referrer-Policy", "no-referrer"), fixes.replaceHeader("referrer-policy", "strict-origin")];
    expect(merged("nginx", ...values)).toMatchObject({ codes: ["b"], left: ["a"] });
    const removal = [fixes.removeHeader("X-Sample"), fixes.setHeader("x-sample", "1")];
    expect(merged("nginx", ...removal)).toMatchObject({ codes: ["b"], left: ["a"] });
    const added = [fixes.setHeader("Permissions-Policy", "camera=()"), fixes.setHeader("Permissions-Policy", "camera=(), usb=()")];
    expect(merged("nginx", ...added)).toMatchObject({ codes: ["a", "b"], left: [] });
  });

  test.each(serverNames)("for %s names each code once, and sends each header once", (server) => {
    const items = fixedFindings("shop.example");
    const { text, codes, left } = configurationFor(server, items, (note) => note);
    expect([...codes, ...left].sort()).toEqual([...new Set(items.map(({ code }) => code))].sort());
    expect(text).not.toMatch(/\{\{|undefined|\[object/);
    const values = text.match(/max-age=\d+|maxAge: \d+/g) ?? [];
    expect(values).toHaveLength(1);
  });

  test("is a document of XML, JSON bodies, or YAML, where the servers cannot be run here", () => {
    const items = fixedFindings("shop.example");
    const text = (server: ServerName) => configurationFor(server, items, (note) => `${note} -- "<&>"`).text;
    expect(xmlDocument(text("iis")).name).toBe("configuration");
    const rules = (element: XmlElement): readonly XmlElement[] => (element.name === "rule" ? [element] : element.children.flatMap(rules));
    const names = rules(xmlDocument(text("iis"))).map(({ attributes: { name = "" } }) => name);
    // IIS refuses two rules of one name.
    expect(new Set(names).size).toBe(names.length);
    expect(jsonBodies(text("cloudflare"))).toMatchObject([{ action: "rewrite", expression: "true" }, { value: "on" }, { value: "1.2" }]);
    const { http, tls } = YAML.parse(text("traefik")) as { http: { middlewares: object }; tls: object };
    expect([Object.keys(http.middlewares), Object.keys(tls)]).toEqual([["assay-https", "assay-headers"], ["options"]]);
  });
});
