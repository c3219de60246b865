/** Has nginx, Apache, Caddy and a name server read every line that a remediation tells people to paste: none may be an error of syntax or of place. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import enGb from "../../locales/en-gb.json" with { type: "json" };
import { siteIdentity } from "../support/certificates.ts";

const host = "site.test";
const checkMsMax = 20_000;
/** Where certbot puts certificates; the lines name them there. */
const certificatesFolder = "/etc/letsencrypt/live/";
export const serverNames = ["nginx", "Apache", "Caddy"] as const;
export type ServerName = (typeof serverNames)[number];
type Place = ServerName | "DNS";
const places: readonly Place[] = [...serverNames, "DNS"];

interface Snippet {
  readonly place: Place;
  /** One of the findings that tell people to paste it. */
  readonly code: string;
  readonly lines: readonly string[];
}

/** What a remediation tells people to paste there. */
export function linesFor(place: Place, remediation: string): readonly string[] {
  const prefix = `${place}: `;
  return remediation.split("\n").flatMap((line) => (line.startsWith(prefix) ? [line.slice(prefix.length)] : []));
}

/** The only line that Apache wants outside of virtual hosts, as its remediation says. */
export function isGlobalInApache(line: string): boolean {
  return line.startsWith("ServerTokens");
}

/** Everything that is pasted for one finding into one place; each once. Lines are the same in every language. */
function snippets(): readonly Snippet[] {
  const found = new Map<string, Snippet>();
  for (const { findings } of Object.values(enGb.checks)) {
    for (const [code, { remediation }] of Object.entries(findings)) {
      for (const place of places) {
        const lines = linesFor(place, remediation);
        if (lines.length > 0) found.set(`${place} ${lines.join("\n")}`, { place, code, lines });
      }
    }
  }
  return [...found.values()];
}

/** One test for each snippet, by the servers' own checks of their configuration. */
export function remediationTests(): void {
  describe("laboratory: lines to paste", () => {
    const folder = mkdtempSync(join(tmpdir(), "assay-lab-lines-"));
    beforeAll(() => writeCertificates(folder));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    test("there are some for each place", () => {
      expect([...new Set(snippets().map(({ place }) => place))].sort()).toEqual([...places].sort());
    });
    test.each([
      ["nginx", "add_header X-Sample value always"],
      ["Apache", "Header alway set X-Sample value"],
      ["Caddy", "headers X-Sample value"],
      ["DNS", "{{domain}}. IN CAA issue ca.example"],
    ] as const)("%s minds a slip", (place, line) => {
      expect(complaints(place, [line], folder)).not.toBe("");
    });
    for (const { place, code, lines } of snippets())
      test(`${place}: ${lines[0]} (${code})`, () => expect(complaints(place, lines, folder)).toBe(""), checkMsMax);
  });
}

function writeCertificates(folder: string): void {
  const { certificateChainPem, privateKeyPem } = siteIdentity(host);
  const live = join(folder, "live", host);
  mkdirSync(live, { recursive: true });
  writeFileSync(join(live, "fullchain.pem"), certificateChainPem);
  writeFileSync(join(live, "privkey.pem"), privateKeyPem, { mode: 0o600 });
}

/** What the server has against the lines; empty when it takes them. */
function complaints(place: Place, lines: readonly string[], folder: string): string {
  const filled = lines.map((line) =>
    line
      .replaceAll(/\{\{\w+\}\}/g, host)
      .replaceAll(certificatesFolder, join(folder, "live/"))
      // Where nobody has to be root.
      .replace("listen 443 ", "listen 127.0.0.1:44300 "),
  );
  const { text, command } = trial[place](filled, folder);
  const file = join(folder, `${place}.conf`);
  writeFileSync(file, text);
  const { exitCode, stdout, stderr } = Bun.spawnSync(command(file), {
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder },
  });
  return exitCode === 0 ? "" : `${stdout}${stderr}`;
}

interface Trial {
  readonly text: string;
  command(file: string): string[];
}

/** A minimal configuration around the lines, where their owner would paste them. */
const trial: Readonly<Record<Place, (lines: readonly string[], folder: string) => Trial>> = {
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
