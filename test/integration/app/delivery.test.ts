/** Mailer and sender of webhooks as the configuration describes them, with their files. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openConfiguredMailer, openConfiguredWebhooks } from "../../../src/app/watched-sites.ts";
import { createLog } from "../../../src/base/log.ts";
import { newWebhookSecret, sendWebhook } from "../../../src/channels/webhook.ts";
import { loadConfig } from "../../../src/settings/config.ts";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { type MailServerHandle, startMailServer } from "../../support/mail-server.ts";
import { startHttps, type TestServer } from "../../support/servers.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-delivery-"));
const log = createLog({ level: "error", format: "text" });
const mail = {
  to: "owner@client.test",
  subject: "Score",
  text: "81",
  html: "<p>81</p>",
  images: [],
  messageId: "<1@assay.test>",
  date: new Date(),
  unsubscribe: null,
};
let mailServer: MailServerHandle;
let receiver: TestServer;

beforeAll(async () => {
  mailServer = await startMailServer({
    identity: siteIdentity("mail.test"),
    tls: "starttls",
    user: { name: "assay", password: "hunter2" },
  });
  receiver = await startHttps(siteIdentity("hooks.test"), { "*": { status: 204 } });
});
afterAll(async () => {
  await Promise.all([mailServer.stop(), receiver.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function configOf(env: Readonly<Record<string, string>> = {}) {
  const to = `mail.test:587=127.0.0.1:${mailServer.port},hooks.test:443=127.0.0.1:${receiver.port}`;
  return loadConfig({ flags: { data: folder }, env: { ASSAY_SCAN_CONNECT_TO: to, ...env }, configFile: null });
}

const mailSettings = {
  ASSAY_PUBLIC_URL: "https://assay.test:8443",
  ASSAY_SMTP_URL: "smtp://assay@mail.test",
  ASSAY_SMTP_FROM: "Assay <assay@assay.test>",
};

describe("the mailer", () => {
  test("is absent without smtp.url", () => expect(openConfiguredMailer(configOf())).toBeNull());

  test("signs in with the password of the file, and trusts smtp.ca_file", async () => {
    const password = file("password", "hunter2\n");
    const trusted = { ...mailSettings, ASSAY_SMTP_PASSWORD_FILE: password, ASSAY_SMTP_CA_FILE: file("ca.pem", testAuthority().root.pem) };
    expect(await openConfiguredMailer(configOf(trusted))?.send(mail)).toMatchObject({ result: "sent" });
    expect(mailServer.mails).toMatchObject([{ from: "assay@assay.test", user: "assay", client: "assay.test", secure: true }]);
    const untrusted = openConfiguredMailer(configOf({ ...mailSettings, ASSAY_SMTP_PASSWORD_FILE: password }));
    expect(await untrusted?.send(mail)).toMatchObject({ result: "failed", because: "certificate" });
  });

  test.each([
    ["ASSAY_SMTP_PASSWORD_FILE", join(folder, "absent"), "the file of smtp.password_file cannot be read"],
    ["ASSAY_SMTP_PASSWORD_FILE", file("empty", "\n"), "smtp.password_file needs the password there"],
    ["ASSAY_SMTP_CA_FILE", file("text.pem", "text"), "holds no PEM certificate"],
  ])("refuses %s = %s", (name, path, sentence) => {
    const password = { ASSAY_SMTP_PASSWORD_FILE: file("password", "hunter2") };
    expect(() => openConfiguredMailer(configOf({ ...mailSettings, ...password, [name]: path }))).toThrow(sentence);
  });
});

describe("the sender of webhooks", () => {
  const attempt = { url: "https://hooks.test/", secrets: [newWebhookSecret()], id: "msg_1", timestamp: new Date(), body: "{}" };
  const send = (env: Readonly<Record<string, string>>, ownEndpoints: { address: string; port: number }[] = []) =>
    sendWebhook(openConfiguredWebhooks(configOf(env), { log, ownEndpoints: () => ownEndpoints }), attempt);

  test("trusts webhooks.ca_file, and reaches what webhooks.allow_cidrs names", async () => {
    const trusted = { ASSAY_WEBHOOKS_CA_FILE: file("hooks.pem", testAuthority().root.pem) };
    const opened = { ASSAY_WEBHOOKS_ALLOW_CIDRS: "127.0.0.1/32" };
    expect(await send({ ...trusted, ...opened })).toMatchObject({ result: "delivered", status: 204 });
    expect(await send(opened)).toMatchObject({ because: "certificate" });
    expect(await send(trusted)).toMatchObject({ because: "blocked" });
    expect(await send({ ...trusted, ...opened }, [{ address: "127.0.0.1", port: receiver.port }])).toMatchObject({ because: "blocked" });
  });

  test("is as closed in profile internal, whatever scans may reach", async () => {
    const scans = { ASSAY_PROFILE: "internal", ASSAY_SCAN_ALLOW_CIDRS: "127.0.0.1/32" };
    expect(await send({ ...scans, ASSAY_WEBHOOKS_CA_FILE: file("hooks.pem", testAuthority().root.pem) })).toMatchObject({
      because: "blocked",
    });
  });
});
