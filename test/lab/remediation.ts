/** Validates every line to paste of all remediations with nginx, Apache, Caddy and a name server. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import enGb from "../../locales/en-gb.json" with { type: "json" };
import { siteIdentity } from "../support/certificates.ts";
import { remediationOf } from "../support/remediations.ts";

const host = "site.test";
const checkMsMax = 20_000;
/** Certbot's folder, which the lines refer to. */
const certificatesFolder = "/etc/letsencrypt/live/";
export const serverNames = ["nginx", "Apache", "Caddy"] as const;
export type ServerName = (typeof serverNames)[number];
type SnippetTarget = ServerName | "DNS";
const targets: readonly SnippetTarget[] = [...serverNames, "DNS"];

interface Snippet {
  readonly target: SnippetTarget;
  /** One of the findings with these lines. */
  readonly code: string;
  readonly lines: readonly string[];
}

/** Lines of a remediation for the target. */
export function labelledLines(target: SnippetTarget, remediation: string): readonly string[] {
  const prefix = `${target}: `;
  return remediation.split("\n").flatMap((line) => (line.startsWith(prefix) ? [line.slice(prefix.length)] : []));
}

/** Whether Apache accepts the line only outside virtual hosts, as its remediation states. */
export function isGlobalInApache(line: string): boolean {
  return line.startsWith("ServerTokens");
}

/** Distinct snippets of all findings and targets. Lines are the same in every language. */
function snippets(): readonly Snippet[] {
  const found = new Map<string, Snippet>();
  for (const { findings } of Object.values(enGb.checks)) {
    for (const code of Object.keys(findings)) {
      const remediation = remediationOf(code, { host, tlsHost: host, names: "sid" });
      for (const target of targets) {
        const lines = labelledLines(target, remediation);
        if (lines.length > 0) found.set(`${target} ${lines.join("\n")}`, { target, code, lines });
      }
    }
  }
  return [...found.values()];
}

/** Registers a test for each snippet: the server validates its configuration. */
export function remediationTests(): void {
  describe("laboratory: lines to paste", () => {
    const folder = mkdtempSync(join(tmpdir(), "assay-lab-lines-"));
    beforeAll(() => writeCertificates(folder));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    test("each target has snippets", () => {
      expect([...new Set(snippets().map(({ target }) => target))].sort()).toEqual([...targets].sort());
    });
    test.each([
      ["nginx", "add_header X-Sample value always"],
      ["Apache", "Header alway set X-Sample value"],
      ["Caddy", "headers X-Sample value"],
      ["DNS", "{{domain}}. IN CAA issue ca.example"],
    ] as const)("%s rejects an invalid line", (target, line) => {
      expect(configurationErrors(target, [line], folder)).not.toBe("");
    });
    for (const { target, code, lines } of snippets())
      test(`${target}: ${lines[0]} (${code})`, () => expect(configurationErrors(target, lines, folder)).toBe(""), checkMsMax);
  });
}

function writeCertificates(folder: string): void {
  const { certificateChainPem, privateKeyPem } = siteIdentity(host);
  const live = join(folder, "live", host);
  mkdirSync(live, { recursive: true });
  writeFileSync(join(live, "fullchain.pem"), certificateChainPem);
  writeFileSync(join(live, "privkey.pem"), privateKeyPem, { mode: 0o600 });
}

/** Errors that the server reports for the lines; empty if it accepts them. */
function configurationErrors(target: SnippetTarget, lines: readonly string[], folder: string): string {
  const filled = lines.map((line) =>
    line
      .replaceAll(/\{\{\w+\}\}/g, host)
      .replaceAll(certificatesFolder, join(folder, "live/"))
      // A port that does not need root.
      .replace("listen 443 ", "listen 127.0.0.1:44300 "),
  );
  const { text, command } = testConfigurations[target](filled, folder);
  const file = join(folder, `${target}.conf`);
  writeFileSync(file, text);
  const { exitCode, stdout, stderr } = Bun.spawnSync(command(file), {
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder },
  });
  return exitCode === 0 ? "" : `${stdout}${stderr}`;
}

interface TestConfiguration {
  readonly text: string;
  command(file: string): string[];
}

/** A minimal configuration with the lines at the documented position. */
const testConfigurations: Readonly<Record<SnippetTarget, (lines: readonly string[], folder: string) => TestConfiguration>> = {
  nginx: (lines, folder) => ({
    text: `pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  server {
    ${lines.join("\n    ")}
  }
}
`,
    command: (file) => ["/usr/sbin/nginx", "-t", "-c", file, "-e", "stderr"],
  }),
  Apache: (lines, folder) => {
    const modules = ["mpm_event", "authz_core", "alias", "headers", "setenvif", "ssl", "proxy"];
    return {
      text: `ServerRoot ${folder}
ServerName ${host}
PidFile ${folder}/apache.pid
ErrorLog ${folder}/apache.log
${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
Listen 127.0.0.1:44300
${lines.filter(isGlobalInApache).join("\n")}
<VirtualHost 127.0.0.1:44300>
  ${lines.filter((line) => !isGlobalInApache(line)).join("\n  ")}
</VirtualHost>
`,
      command: (file) => ["/usr/sbin/apache2", "-t", "-f", file],
    };
  },
  Caddy: (lines) => ({
    text: `{
  admin off
}
https://${host} {
  ${lines.join("\n  ")}
}
`,
    command: (file) => ["/usr/bin/caddy", "validate", "--config", file, "--adapter", "caddyfile"],
  }),
  DNS: (lines) => ({
    text: `${host}. IN SOA ns.${host}. admin.${host}. 1 3600 600 86400 300
${host}. IN NS ns.${host}.
ns.${host}. IN A 192.0.2.1
${lines.join("\n")}
`,
    command: (file) => ["/usr/sbin/nsd-checkzone", host, file],
  }),
};
