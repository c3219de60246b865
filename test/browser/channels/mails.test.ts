/** Mails as a mail program gets them from a real SMTP server, in the browser: every width, light and dark, without a request. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { openMailer } from "../../../src/channels/mail.ts";
import { locales } from "../../../src/check/check.ts";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { mailSampleNames, sampleMail } from "../../support/mail-samples.ts";
import { startMailServer } from "../../support/mail-server.ts";
import { axeComplaints, clippedComplaints, overflowComplaints, typeComplaints } from "../web/accessible.ts";
import { openVisitors } from "../web/visitors.ts";

/** Limit of a test on two busy cores. */
const testMsMax = 300_000;
const widths = [320, 600, 1_000];

const folder = mkdtempSync(join(tmpdir(), "assay-mails-"));
const visitors = await openVisitors();
const server = await startMailServer({ identity: siteIdentity("mail.test"), tls: "starttls" });
const mailer = openMailer({
  server: { scheme: "smtp", host: "mail.test", port: 2525, user: null, password: null },
  from: { name: "Assay", email: "assay@assay.test" },
  tls: "required",
  caPems: [testAuthority().root.pem],
  clock: systemClock,
  clientHost: "assay.test",
  dnsServers: [],
  connectTo: [{ host: "mail.test", port: 2525, address: "127.0.0.1", addressPort: server.port }],
});
afterAll(async () => {
  await visitors.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

describe.each(locales)("mails in %s", (locale) => {
  test.each(mailSampleNames)(
    "%s fits every width, is accessible in light and dark, and loads nothing",
    async (name) => {
      const mail = sampleMail(name, locale);
      const unsubscribe = "https://assay.test/unsubscribe";
      const sent = { ...mail, to: "team@agency.test", messageId: `<${name}@assay.test>`, date: new Date(), unsubscribe };
      expect(await mailer.send(sent)).toMatchObject({ result: "sent" });
      const { parsed } = server.mails.at(-1) ?? {};
      expect(parsed?.from?.value).toEqual([{ name: mail.sender, address: "assay@assay.test" }]);
      expect(parsed).toMatchObject({ subject: mail.subject });
      expect(parsed?.text?.trim()).toBe(mail.text.trim());
      const path = join(folder, `${name}-${locale}.html`);
      // The parser puts the images of the mail in the place of their content ids.
      writeFileSync(path, String(parsed?.html));
      const visitor = await visitors.visitor({ origin: pathToFileURL(folder).href });
      const { page } = visitor;
      await page.setOfflineMode(true);
      await page.goto(pathToFileURL(path).href, { waitUntil: "load" });
      const complaints: string[] = [];
      for (const scheme of ["light", "dark"])
        for (const width of widths) {
          await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
          await page.setViewport({ width, height: 800 });
          const found = [
            ...(await overflowComplaints(page)),
            ...(await clippedComplaints(page)),
            ...(await typeComplaints(page)),
            ...(width === widths[0] ? await axeComplaints(page) : []),
          ];
          complaints.push(...found.map((complaint) => `${scheme}, ${width}: ${complaint}`));
        }
      const broken = await page.$$eval("img", (all) => all.filter((one) => one.naturalWidth === 0).map((one) => one.alt));
      expect([complaints, visitor.complaints, broken]).toEqual([[], [], []]);
      await visitor.close();
    },
    testMsMax,
  );
});
