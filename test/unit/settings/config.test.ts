/** Sources of settings, their precedence, and messages about invalid values. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type ConfigSources, environmentName, loadConfig, loadConfigWithOrigins } from "../../../src/settings/config.ts";
import { settingKeys, settings } from "../../../src/settings/settings.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load({ flags = {}, env = {}, toml }: { flags?: ConfigSources["flags"]; env?: Record<string, string>; toml?: string } = {}) {
  const configFile = toml === undefined ? null : join(folder, "given.toml");
  if (configFile !== null) writeFileSync(configFile, toml ?? "");
  return loadConfig({ flags: { data: join(folder, "data"), ...flags }, env, configFile });
}

describe("sources", () => {
  test("flags precede environment, environment precedes file, file precedes defaults", () => {
    const env = { ASSAY_SCAN_TIMEOUT: "20", ASSAY_SCAN_QUEUE_MAX: "21" };
    const toml = "[scan]\ntimeout = 30\nqueue_max = 31\nconcurrency = 32";
    const config = load({ flags: { "scan.timeout": "10" }, env, toml });
    expect([config["scan.timeout"], config["scan.queue_max"], config["scan.concurrency"], config["api.rate_per_minute"]]).toEqual([
      10, 21, 32, 60,
    ]);
  });

  test("a path of digits stays a path as flag and as variable", () => {
    expect(load({ flags: { data: "2026" } }).data.endsWith("/2026")).toBe(true);
    expect(load({ env: { ASSAY_SCAN_CA_FILES: "1,2" } })["scan.ca_files"].map((file) => file.split("/").at(-1))).toEqual(["1", "2"]);
  });

  test("every default is a valid value", () => {
    expect(Object.keys(load())).toEqual([...settingKeys]);
  });

  test("every setting has a unique environment variable", () => {
    expect(new Set(settingKeys.map(environmentName)).size).toBe(settingKeys.length);
    expect(environmentName("scan.allow_cidrs")).toBe("ASSAY_SCAN_ALLOW_CIDRS");
  });

  test("the file in the data directory is read by default", () => {
    const data = mkdtempSync(join(folder, "data-"));
    writeFileSync(join(data, "assay.toml"), 'profile = "internal"');
    expect(loadConfig({ flags: { data }, env: {}, configFile: null }).profile).toBe("internal");
  });

  test("repeated flags, commas and TOML arrays make lists", () => {
    const ports = [8080, 8443];
    expect(load({ flags: { "scan.allow_ports": ["8080", "8443"] } })["scan.allow_ports"]).toEqual(ports);
    expect(load({ env: { ASSAY_SCAN_ALLOW_PORTS: "8080, 8443" } })["scan.allow_ports"]).toEqual(ports);
    expect(load({ toml: "scan.allow_ports = [8080, 8443]" })["scan.allow_ports"]).toEqual(ports);
  });

  test("booleans are words or TOML booleans", () => {
    expect(load()["scan.system_roots"]).toBe(true);
    expect(load({ env: { ASSAY_SCAN_SYSTEM_ROOTS: "false" } })["scan.system_roots"]).toBe(false);
    expect(load({ flags: { "scan.system_roots": "true" }, toml: "scan.system_roots = false" })["scan.system_roots"]).toBe(true);
    expect(load({ toml: "scan.system_roots = false" })["scan.system_roots"]).toBe(false);
  });

  test("an empty variable counts as unset", () => {
    expect(load({ env: { ASSAY_LISTEN: "" } }).listen).toEqual({ address: "127.0.0.1", port: 8787 });
  });

  test("Kubernetes variables of a service named assay are not settings", () => {
    const env = { ASSAY_SERVICE_HOST: "10.0.0.1", ASSAY_PORT: "tcp://10.0.0.1:80", ASSAY_PORT_80_TCP_ADDR: "10.0.0.1" };
    expect(load({ env }).listen.port).toBe(8787);
  });

  test("paths in a file are relative to the file", () => {
    expect(load({ toml: '[scan]\nca_files = ["own-ca.pem"]' })["scan.ca_files"]).toEqual([join(folder, "own-ca.pem")]);
  });

  test("the data directory follows the XDG specification for users, and is a system folder for root", () => {
    const { data } = loadConfig({ flags: {}, env: { XDG_DATA_HOME: folder }, configFile: null });
    expect(data).toBe(process.getuid?.() === 0 ? "/var/lib/assay" : join(folder, "assay"));
  });
});

describe("values are parsed", () => {
  test.each([
    ["listen", "[::1]:0", { address: "::1", port: 0 }],
    ["trusted_proxies", "10.0.0.1", ["10.0.0.1"]],
    ["scan.allow_cidrs", "fd00::/8,10.0.0.0/8", ["fd00::/8", "10.0.0.0/8"]],
    ["scan.allow_ports", "any", ["any"]],
    ["scan.connect_to", "Site.test:443=127.0.0.1:8443", [{ host: "site.test", port: 443, address: "127.0.0.1", addressPort: 8443 }]],
    ["dns.servers", "127.0.0.1:5353,9.9.9.9", ["127.0.0.1:5353", "9.9.9.9"]],
    ["public_url", "HTTPS://Assay.Example.org:443/", "https://assay.example.org"],
    ["public_url", "http://[fd00::1]:8787", "http://[fd00::1]:8787"],
    ["public_url", "https://pr\u00fcfung.example", "https://xn--prfung-4ya.example"],
    ["admin.email", "first@assay.test", "first@assay.test"],
    ["security.contact", "mailto:security@assay.test", "mailto:security@assay.test"],
    ["security.contact", "security@assay.test", "mailto:security@assay.test"],
    ["security.contact", "https://assay.test/report", "https://assay.test/report"],
    ["plans.contact", "https://assay.test/plans?ask=agency", "https://assay.test/plans?ask=agency"],
    ["security.hsts", "max-age=300", "max-age=300"],
    ["security.hsts", "off", "off"],
    ["scan.cooldown", "0", 0],
    ["guest.scans", "false", false],
    ["report.index", "true", true],
    ["accounts.signup", "open", "open"],
    ["legal.imprint_file", "/srv/imprint.txt", "/srv/imprint.txt"],
  ] as const)("%s %s", (key, text, value) => {
    expect(load({ env: { [environmentName(key)]: text } })[key] as unknown).toEqual(value);
  });
});

describe("a default may depend on an earlier setting", () => {
  test("accounts of profile internal are on the agency plan by default", () => {
    expect(load()["accounts.default_plan"]).toBe("free");
    expect(load({ flags: { profile: "internal" } })["accounts.default_plan"]).toBe("agency");
    expect(load({ flags: { profile: "internal" }, toml: 'accounts.default_plan = "free"' })["accounts.default_plan"]).toBe("free");
  });

  test("a public URL on https switches HSTS on", () => {
    expect(load()["security.hsts"]).toBe("off");
    expect(load({ flags: { public_url: "http://nas:8787" } })["security.hsts"]).toBe("off");
    expect(load({ flags: { public_url: "https://assay.test" } })["security.hsts"]).toBe("max-age=63072000; includeSubDomains");
  });
});

test("each value has its origin", () => {
  const file = join(folder, "origins.toml");
  writeFileSync(file, "scan.timeout = 30\nscan.queue_max = 31");
  const env = { ASSAY_SCAN_QUEUE_MAX: "21", ASSAY_GUEST_SCANS: "" };
  const { config, origins } = loadConfigWithOrigins({ flags: { data: folder, profile: "internal" }, env, configFile: file });
  expect(Object.keys(origins)).toEqual([...settingKeys]);
  expect([config["scan.queue_max"], config["scan.timeout"]]).toEqual([21, 30]);
  expect(origins.profile).toEqual({ kind: "flag", name: "--profile" });
  expect(origins["scan.queue_max"]).toEqual({ kind: "variable", name: "ASSAY_SCAN_QUEUE_MAX" });
  expect(origins["scan.timeout"]).toEqual({ kind: "file", name: file });
  expect(origins["guest.scans"]).toEqual({ kind: "default", name: null });
});

describe("an invalid setting is reported with key, value, allowed values and origin", () => {
  test.each([
    [
      { flags: { "scan.timeout": "0" } },
      "scan.timeout = 0 from --timeout is not allowed: it takes a whole number of seconds from 5 to 600",
    ],
    [{ env: { ASSAY_SCAN_CONCURRENCY: "two" } }, 'scan.concurrency = "two" from ASSAY_SCAN_CONCURRENCY is not allowed'],
    [{ toml: "scan.queue_max = -1" }, "scan.queue_max = -1 from "],
    [{ toml: "scan.header_chars_max = 511" }, "it takes a whole number from 512 to 16384"],
    [
      { flags: { "scan.header_chars_max": "16385" } },
      "scan.header_chars_max = 16385 from --header-chars-max is not allowed: it takes a whole number from 512 to 16384",
    ],
    [{ toml: 'scan.timeout = "90"' }, 'scan.timeout = "90" from '],
    [{ flags: { listen: "8787" } }, "listen = 8787 from --listen is not allowed: it takes address:port"],
    [{ flags: { listen: "localhost:80" } }, 'listen = "localhost:80" from --listen'],
    [{ flags: { listen: "127.0.0.1:70000" } }, "listen = "],
    [{ flags: { profile: "interal" } }, "it takes internet or internal; did you mean internal?"],
    [{ flags: { "scan.allow_cidrs": "10.0.0.0/33" } }, "scan.allow_cidrs = "],
    [{ flags: { "scan.allow_cidrs": "010.0.0.1" } }, "scan.allow_cidrs = "],
    [{ flags: { "scan.allow_ports": "0" } }, "scan.allow_ports = "],
    [{ flags: { "scan.connect_to": "site.test=127.0.0.1:1" } }, "scan.connect_to = "],
    [{ flags: { "locale.default": "en_US" } }, "locale.default = "],
    [{ flags: { public_url: "https://assay.test/path" } }, 'public_url = "https://assay.test/path" from --public-url'],
    [{ flags: { public_url: "assay.test" } }, "it takes http:// or https:// and a host"],
    [{ flags: { public_url: "https://user@assay.test" } }, "public_url = "],
    [{ toml: 'public_url = "https://assay.test:99999"' }, "public_url = "],
    [{ env: { ASSAY_ACCOUNTS_SIGNUP: "opne" } }, "did you mean open?"],
    [{ env: { ASSAY_ACCOUNTS_PASSWORD_MIN: "7" } }, "a whole number from 8 to 128"],
    [{ env: { ASSAY_ADMIN_EMAIL: "nobody" } }, "admin.email = "],
    [{ env: { ASSAY_SECURITY_CONTACT: "http://assay.test/" } }, "a mail address or a URL that begins with https://"],
    [{ env: { ASSAY_SECURITY_CONTACT: "javascript:alert(1)//@x" } }, "security.contact = "],
    [{ env: { ASSAY_SECURITY_HSTS: "on" } }, "security.hsts = "],
    [{ env: { ASSAY_SCAN_COOLDOWN: "3601" } }, "scan.cooldown = 3601"],
    [{ env: { ASSAY_SCAN_TIMOUT: "9" } }, "unknown setting ASSAY_SCAN_TIMOUT in the environment; did you mean ASSAY_SCAN_TIMEOUT?"],
    [{ toml: "[scan]\nconcurency = 2" }, "did you mean scan.concurrency?"],
    [{ toml: "scan = 2" }, "unknown setting scan in "],
    [{ toml: "constructor = 2" }, "unknown setting constructor in "],
    [{ toml: 'trusted_proxies = "127.0.0.1"' }, 'as in 10.0.0.0/8; in TOML: ["127.0.0.1"]'],
    [{ toml: "listen = \n" }, "given.toml, line 1, column 10: "],
  ] as [Parameters<typeof load>[0], string][])("%j", (given, sentence) => {
    expect(() => load(given)).toThrow(sentence);
  });

  test("a named file must exist", () => {
    expect(() => loadConfig({ flags: {}, env: {}, configFile: join(folder, "none.toml") })).toThrow("cannot be read (ENOENT)");
  });

  test("the file in the data directory may not change that directory", () => {
    const data = mkdtempSync(join(folder, "data-"));
    writeFileSync(join(data, "assay.toml"), 'data = "/elsewhere"');
    expect(() => loadConfig({ flags: { data }, env: {}, configFile: null })).toThrow("set it by --data or ASSAY_DATA");
  });
});

describe("settings of mail fit each other", () => {
  const complete = 'public_url = "https://assay.test"\nsmtp.url = "smtp://mail.test"\nsmtp.from = "Assay <assay@assay.test>"\n';

  test("and are parsed", () => {
    const config = load({ toml: complete });
    expect(config["smtp.url"]).toEqual({ scheme: "smtp", host: "mail.test", port: 587, user: null, password: null });
    expect(config["smtp.from"]).toEqual({ name: "Assay", email: "assay@assay.test" });
    expect(config["smtp.tls"]).toBe("required");
    expect(load({ toml: complete, env: { ASSAY_SMTP_URL: "smtp://a:b@[::1]:25", ASSAY_SMTP_TLS: "off" } })["smtp.tls"]).toBe("off");
  });

  test.each([
    ['smtp.url = "smtp://mail.test"', {}, "smtp.url needs smtp.from"],
    ['smtp.url = "smtp://mail.test"\nsmtp.from = "a@b.test"', {}, "smtp.url needs public_url: links in mails begin with it"],
    ['smtp.from = "a@b.test"', {}, "smtp.from needs smtp.url"],
    ['smtp.password_file = "password"', {}, "smtp.password_file needs smtp.url"],
    [complete, { ASSAY_SMTP_PASSWORD_FILE: "password" }, "smtp.password_file needs a user in smtp.url"],
    [complete, { ASSAY_SMTP_URL: "smtp://user@mail.test" }, "who needs a password there or in smtp.password_file"],
    [complete, { ASSAY_SMTP_URL: "smtp://a:b@mail.test", ASSAY_SMTP_PASSWORD_FILE: "password" }, "remove one of them"],
    [complete, { ASSAY_SMTP_URL: "smtps://mail.test", ASSAY_SMTP_TLS: "off" }, "smtp.tls = off contradicts smtps://"],
    [complete, { ASSAY_SMTP_URL: "smtp://a:b@mail.test", ASSAY_SMTP_TLS: "off" }, "would send the password in smtp.url"],
  ] as [string, Record<string, string>, string][])("%j %j", (toml, env, sentence) => {
    expect(() => load({ toml, env })).toThrow(sentence);
  });

  test("and no message shows a password", () => {
    for (const url of ["smpt://user:hunter2@mail.test", "smtp://mail.test:hunter2", "smtp://user:hunter2"]) {
      const attempt = () => load({ env: { ASSAY_SMTP_URL: url } });
      expect(attempt).toThrow('smtp.url = "***" from ASSAY_SMTP_URL is not allowed: it takes smtp:// or smtps://');
      expect(attempt).not.toThrow("hunter2");
    }
  });
});

test("every setting has a meaning and a value description", () => {
  expect(settingKeys.filter((key) => settings[key].doc === "" || settings[key].allowed === "")).toEqual([]);
});

test("docs/operate.md describes every setting", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../../docs/operate.md"), "utf8");
  const rows = guide.split("\n").filter((line) => line.startsWith("| `"));
  expect(settingKeys.filter((key) => !rows.some((row) => (row.split(" | ")[0] ?? "").includes(`\`${key}\``)))).toEqual([]);
});
