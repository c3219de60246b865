/** Mails with links of accounts, sent to a real SMTP server on loopback. */
import { systemClock } from "../../src/base/clock.ts";
import { openMailer } from "../../src/channels/mail.ts";
import { createNotices, type NoticeMails } from "../../src/channels/notices.ts";
import type { AccountMails } from "../../src/web/settings.ts";
import { siteIdentity, testAuthority } from "./certificates.ts";
import { type MailServerOptions, type ReceivedMail, startMailServer } from "./mail-server.ts";
import type { PagesUnderTest } from "./pages.ts";

export interface AccountMailsUnderTest {
  /** Mails for the settings of the pages. */
  readonly mail: AccountMails;
  /** Takes store, texts, clock and log of the pages; before the first mail. */
  use(pages: PagesUnderTest): void;
  /** Mails in order of arrival. */
  readonly received: () => readonly ReceivedMail[];
  stop(): Promise<void>;
}

export async function startAccountMails(options: Pick<MailServerOptions, "replies"> = {}): Promise<AccountMailsUnderTest> {
  const server = await startMailServer({ identity: siteIdentity("mail.test"), tls: "starttls", ...options });
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
  const ending = new AbortController();
  let notices: NoticeMails | null = null;
  const used = (): NoticeMails => {
    if (notices === null) throw new Error("no pages use these mails yet");
    return notices;
  };
  return {
    mail: {
      memberInvitation: (...given) => used().memberInvitation(...given),
      reset: (...given) => used().reset(...given),
      invitation: (...given) => used().invitation(...given),
    },
    use: ({ store, settings, url }) => {
      notices = createNotices(
        {
          store,
          send: { webhook: () => Promise.reject(new Error("these mails need no webhook")), mail: mailer },
          brandOf: () => undefined,
          texts: () => settings.texts,
          localeDefault: settings.config["locale.default"],
          publicUrl: url,
          serverName: "Assay",
          clock: { ...systemClock, now: settings.now },
          // The metrics count deliveries; these mails are not deliveries.
          metrics: { attempted: () => {} },
          log: settings.log,
        },
        ending.signal,
      );
    },
    received: () => server.mails,
    stop: async () => {
      ending.abort();
      await server.stop();
    },
  };
}
