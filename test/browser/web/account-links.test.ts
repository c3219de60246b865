/** The running program: a logo that a browser uploads, the PDF file with it, and the mailed link that resets a password. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ElementHandle } from "puppeteer-core";
import { afterAll, expect, test } from "vitest";
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import type { Store } from "../../../src/store/store.ts";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { storeSite } from "../../support/finished-scans.ts";
import { pngImage } from "../../support/images.ts";
import { startMailServer } from "../../support/mail-server.ts";
import { mainOf } from "../../support/page-text.ts";
import { visitorOf } from "../../support/pages.ts";
import { startAppliance } from "./appliance.ts";
import { submit } from "./forms.ts";
import { pdfPageTexts } from "./pdf-text.ts";
import { openVisitors } from "./visitors.ts";

/** Limit of a test on two busy cores. */
const testMsMax = 300_000;
const publicUrl = "http://assay.test";
const folder = mkdtempSync(join(tmpdir(), "assay-account-links-"));
const [caFile, logoFile] = [join(folder, "ca.pem"), join(folder, "logo.png")];
writeFileSync(caFile, testAuthority().root.pem);
writeFileSync(logoFile, pngImage(600, 100, [200, 0, 0, 255]));

const mailServer = await startMailServer({ identity: siteIdentity("mail.test"), tls: "starttls" });
const known = { session: "", token: "" };
const password = "a password that is forgotten";

async function fill(store: Store): Promise<void> {
  const now = new Date();
  const passwordHash = await Bun.password.hash(password, { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 });
  const account = await store.accounts.create({ email: "me@assay.test", passwordHash, now });
  if (typeof account === "string") throw new Error(account);
  const origin = { userAgent: "test", address: "127.0.0.1" };
  known.session = (await store.sessions.open({ accountId: account.id, verifiedPasswordHash: passwordHash, origin, now }))?.value ?? "";
  known.token = (await storeSite(store, "plain", { at: now })).token;
}

const appliance = await startAppliance({
  fill,
  sites: { "mail.test:587": mailServer },
  env: {
    ASSAY_SMTP_URL: "smtp://mail.test",
    ASSAY_SMTP_FROM: "Assay <assay@assay.test>",
    ASSAY_SMTP_CA_FILE: caFile,
    ASSAY_PUBLIC_URL: publicUrl,
  },
});
const visitors = await openVisitors();
afterAll(async () => {
  await visitors.close();
  await appliance.stop();
  await mailServer.stop();
  rmSync(folder, { recursive: true, force: true });
});

test(
  "a logo is uploaded without script, shown, and part of the files",
  async () => {
    const { page, ...visitor } = await visitors.visitor({ origin: appliance.origin, session: known.session, script: false });
    await visitor.open("/account/brand");
    const input = await page.waitForSelector("input[type=file]");
    await (input as ElementHandle<HTMLInputElement>).uploadFile(logoFile);
    const opened = await submit(page, { name: "Agency & Co", accent: "#14501e", footer: "Call us" }, { form: "form:has([name=logo])" });
    expect([opened.status, mainOf(opened.html).includes(enGb.pages.brand.done.saved)]).toEqual([200, true]);
    const size = await page.$eval(".client-brand img", (image) => [image.naturalWidth, image.naturalHeight]);
    expect([size, visitor.complaints]).toEqual([[480, 80], []]);
    await visitor.close();
    const file = (name: string) =>
      fetch(`${appliance.origin}/scans/${known.token}.${name}?brand=own`, { headers: { cookie: `sid=${known.session}` } });
    expect(await (await file("html")).text()).toContain('src="data:image/png;base64,');
    const pdf = await (await file("pdf")).bytes();
    const text = pdfPageTexts(pdf).join("\n");
    expect([text.includes("Agency & Co"), text.includes("Call us")]).toEqual([true, true]);
  },
  testMsMax,
);

test(
  "a forgotten password is reset by the link of a mail",
  async () => {
    const by = visitorOf(appliance.origin);
    expect((await by.post("/forgotten", { email: "me@assay.test" }, "/forgotten")).headers.get("location")).toBe("/forgotten?done=sent");
    while (mailServer.mails.length === 0) await Bun.sleep(20);
    const [, link = ""] = /http:\/\/assay\.test(\/reset\?t=\w+)/.exec(mailServer.mails[0]?.parsed.text ?? "") ?? [];
    const t = new URL(link, publicUrl).searchParams.get("t") ?? "";
    expect((await by.post("/reset", { t, password: "another password, well kept" }, link)).status).toBe(303);
    expect((await by.get(link)).status).toBe(410);
  },
  testMsMax,
);
