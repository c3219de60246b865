/** Settings of the identity provider: their forms, what they need of each other, and nothing without an issuer. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { oidcExamination, openConfiguredAccounts } from "../../../src/app/accounts.ts";
import { createLog } from "../../../src/base/log.ts";
import { ConfigError, loadConfig } from "../../../src/settings/config.ts";
import { temporaryStore } from "../../support/temporary-store.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-oidc-"));
const { store, stop } = temporaryStore();
afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

const complete = { ASSAY_OIDC_ISSUER: "http://127.0.0.1:9/realm/", ASSAY_OIDC_CLIENT_ID: "assay", ASSAY_PUBLIC_URL: "https://assay.test" };
const load = (env: Readonly<Record<string, string>>) => loadConfig({ flags: { data: folder }, env, configFile: null });
const open = (env: Readonly<Record<string, string>>) =>
  openConfiguredAccounts(load(env), { store, now: () => new Date(), log: createLog({ level: "error", format: "json", write: () => {} }) });

function secretFile(text: string): string {
  const file = join(folder, "secret");
  writeFileSync(file, text);
  return file;
}

test("without an issuer there is no sign-in by a provider", async () => {
  expect((await open({})).oidc).toBeNull();
  expect(oidcExamination(load({}))).toBeNull();
});

test("the button is named after the host of the issuer, or as the operator says", async () => {
  for (const [env, label] of [
    [{}, "127.0.0.1:9"],
    [{ ASSAY_OIDC_LABEL: " Example ID \u00e9" }, "Example ID \u00e9"],
  ] as const) {
    const { oidc } = await open({ ...complete, ...env });
    expect(oidc?.label).toBe(label);
    oidc?.close();
  }
});

describe("the server does not start", () => {
  test.each([
    ["without public_url", { ASSAY_PUBLIC_URL: "" }, "oidc.issuer needs public_url"],
    ["without client id", { ASSAY_OIDC_CLIENT_ID: "" }, "oidc.issuer needs oidc.client_id"],
    ["without issuer", { ASSAY_OIDC_ISSUER: "" }, "need oidc.issuer"],
    [
      "with a secret that cannot be read",
      { ASSAY_OIDC_CLIENT_SECRET_FILE: join(folder, "none") },
      "oidc.client_secret_file cannot be read",
    ],
    ["with an empty secret", { ASSAY_OIDC_CLIENT_SECRET_FILE: secretFile("\nsecond line") }, "is empty"],
    ["with a CA file without certificate", { ASSAY_OIDC_CA_FILE: secretFile("\nno certificate") }, "oidc.ca_file"],
    ["with sign-up by groups without groups", { ASSAY_OIDC_SIGNUP: "groups" }, "needs oidc.groups"],
  ])("%s", async (_name, env, message) => {
    const opening = open({ ...complete, ...env });
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.toBeInstanceOf(ConfigError);
  });
});

describe("values", () => {
  test.each([
    ["ISSUER", "http://id.example.org"],
    ["ISSUER", "https://id.example.org/.well-known/openid-configuration"],
    ["ISSUER", "https://user:secret@id.example.org"],
    ["ISSUER", "https://id.example.org?tenant=1"],
    ["ISSUER", "id.example.org"],
    ["CLIENT_ID", "two words"],
    ["LABEL", "x".repeat(61)],
    ["LABEL", "tab\there"],
    ["GROUPS", "staff"],
    ["GROUPS", "staff=gold"],
    ["GROUPS", "staff=agency:root"],
    ["GROUPS", "=agency"],
    ["SIGNUP", "everybody"],
  ])("oidc.%s refuses %s", (key, value) => {
    expect(() => load({ [`ASSAY_OIDC_${key}`]: value })).toThrow(`oidc.${key.toLowerCase()}`);
  });

  test("of groups may have names with any sign", () => {
    const file = join(folder, "given.toml");
    writeFileSync(file, '[oidc]\ngroups = ["CN=web,OU=staff = agency:admin", "/a=b:c=free"]');
    expect(loadConfig({ flags: { data: join(folder, "data") }, env: {}, configFile: file })["oidc.groups"]).toEqual([
      { group: "CN=web,OU=staff", plan: "agency", admin: true },
      { group: "/a=b:c", plan: "free", admin: false },
    ]);
  });

  test("of sign-up follow accounts.signup", () => {
    const signup = (env: Readonly<Record<string, string>>) => load(env)["oidc.signup"];
    expect([signup({}), signup({ ASSAY_ACCOUNTS_SIGNUP: "invite" }), signup({ ASSAY_ACCOUNTS_SIGNUP: "open" })]).toEqual([
      "closed",
      "closed",
      "open",
    ]);
    expect(signup({ ASSAY_ACCOUNTS_SIGNUP: "open", ASSAY_OIDC_SIGNUP: "closed" })).toBe("closed");
  });
});
