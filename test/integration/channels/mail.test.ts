/** Mails to a real SMTP server: content, encryption, and what each failure is called. */

import type { Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { type MailerSettings, type MailOutcome, type OutgoingMail, openMailer } from "../../../src/channels/mail.ts";
import { type Flaw, siteIdentity, testAuthority } from "../../support/certificates.ts";
import { startDnsServer } from "../../support/dns-server.ts";
import { type MailServerHandle, type MailServerOptions, startMailServer } from "../../support/mail-server.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { startTcp } from "../../support/servers.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0)) await step();
});

const mail: OutgoingMail = {
  to: "owner@client.test",
  subject: "Pr\u00fcfung: 3 findings",
  text: "Score 81.\r\nOpen \u2713\n.\n..dots\n",
  html: '<p>Score <b>81</b> <a href="https://assay.test/s/1">open \u2713</a></p>',
  images: [],
  messageId: "<delivery-12.3@assay.test>",
  date: new Date("2026-08-01T10:20:30Z"),
  unsubscribe: "https://assay.test/unsubscribe/1?key=a_b-c",
};
const limits = { connectMs: 5_000, greetingMs: 5_000, sendMs: 20_000, acceptMs: 20_000, requestMs: 20_000 };
const shortMs = 400;

type Given = Partial<Omit<MailerSettings, "server">> & { readonly server?: Partial<MailerSettings["server"]> };

function settingsOf(port: number, tls: MailServerOptions["tls"], { server, ...given }: Given): MailerSettings {
  return {
    server: { scheme: tls === "implicit" ? "smtps" : "smtp", host: "mail.test", port: 2525, user: null, password: null, ...server },
    from: { name: "Assay", email: "assay@assay.test" },
    tls: "required",
    caPems: [testAuthority().root.pem],
    clientHost: "assay.test",
    dnsServers: [],
    connectTo: [{ host: "mail.test", port: 2525, address: "127.0.0.1", addressPort: port }],
    clock: systemClock,
    limits,
    ...given,
  };
}

async function start(options: Partial<MailServerOptions> = {}): Promise<MailServerHandle> {
  const server = await startMailServer({ identity: siteIdentity("mail.test"), tls: "starttls", ...options });
  cleanUp.push(server.stop);
  return server;
}

async function send(
  options: Partial<MailServerOptions>,
  given: Given = {},
  changed: Partial<OutgoingMail> = {},
): Promise<{ readonly outcome: MailOutcome; readonly server: MailServerHandle }> {
  const server = await start(options);
  const outcome = await openMailer(settingsOf(server.port, options.tls ?? "starttls", given)).send({ ...mail, ...changed });
  return { outcome, server };
}

/** Outcome without its time. */
const failed = (because: string, permanent: boolean, code: number | null = null) =>
  ({ result: "failed", because, permanent, code, ms: expect.any(Number) }) as MailOutcome;

describe("a mail", () => {
  test.each(["starttls", "implicit"] as const)("arrives whole over TLS (%s)", async (tls) => {
    const { outcome, server } = await send({ tls });
    expect(outcome).toEqual({ result: "sent", response: "250 queued as 1", ms: expect.any(Number) });
    const [got] = server.mails;
    expect(got).toMatchObject({ from: "assay@assay.test", to: ["owner@client.test"], secure: true, user: null, client: "assay.test" });
    expect(got?.parsed).toMatchObject({ subject: mail.subject, messageId: mail.messageId, date: mail.date });
    expect(got?.parsed.text?.replaceAll("\r\n", "\n").trim()).toBe(mail.text.replaceAll("\r\n", "\n").trim());
    expect(got?.parsed.html).toBe(mail.html);
    expect(got?.parsed.from?.value).toEqual([{ name: "Assay", address: "assay@assay.test" }]);
    expect(got?.parsed.attachments).toEqual([]);
  });

  test("declares itself as automatic, and can be ended by one click", async () => {
    const { server } = await send({});
    const source = server.mails[0]?.source ?? "";
    expect(source).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(source).toContain("\r\nList-Unsubscribe: <https://assay.test/unsubscribe/1?key=a_b-c>\r\n");
    expect(source).toContain("\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n");
    expect(source).not.toMatch(/^x-mailer|nodemailer/im);
  });

  test.each([
    ["mailto:assay@assay.test?subject=end", "List-Unsubscribe: <mailto:assay@assay.test?subject=end>"],
    ["http://nas:8787/unsubscribe/1", "List-Unsubscribe: <http://nas:8787/unsubscribe/1>"],
    [null, null],
  ])("is ended by one click over https alone, not by %j", async (unsubscribe, line) => {
    const { server } = await send({}, {}, { unsubscribe });
    const source = server.mails[0]?.source ?? "";
    expect(source).not.toContain("List-Unsubscribe-Post");
    expect(source.includes("List-Unsubscribe")).toBe(line !== null);
    expect(source).toContain(line ?? "");
  });

  test("has no headers but its own, whatever its subject and sender contain", async () => {
    const injected = "Score\r\nBcc: thief@evil.test\r\n\r\nbody\u2028x\u0000y\u202ez";
    const { server } = await send({}, { from: { name: injected, email: "assay@assay.test" } }, { subject: injected });
    const [got] = server.mails;
    expect(got?.to).toEqual(["owner@client.test"]);
    expect(got?.parsed.bcc).toBeUndefined();
    expect(got?.parsed.subject).toBe("Score Bcc: thief@evil.test body x yz");
    expect(got?.parsed.from?.value[0]).toEqual({ name: "Score Bcc: thief@evil.test body x yz", address: "assay@assay.test" });
  });

  test("has the name of its own sender, whatever that contains", async () => {
    const { server } = await send({}, {}, { sender: "Agency <a@b.test>\r\nBcc: thief@evil.test" });
    const [got] = server.mails;
    expect([got?.to, got?.parsed.bcc]).toEqual([["owner@client.test"], undefined]);
    expect(got?.parsed.from?.value).toEqual([{ name: "Agency <a@b.test> Bcc: thief@evil.test", address: "assay@assay.test" }]);
  });

  test("has lines that every server takes", async () => {
    const { server } = await send({}, {}, { text: "a".repeat(5_000), html: `<p>${"b ".repeat(5_000)}</p>`, subject: "c ".repeat(500) });
    const lines = (server.mails[0]?.source ?? "").split("\r\n");
    // RFC 5322 section 2.1.1.
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(998);
    expect(server.mails[0]?.parsed.text?.trim()).toBe("a".repeat(5_000));
  });

  test("reads no file and no URL of its text", async () => {
    const { server } = await send({}, {}, { text: "/etc/passwd", html: '<img src="file:///etc/passwd"><img src="http://127.0.0.1:1/">' });
    expect(server.mails[0]?.parsed.html).toContain("file:///etc/passwd");
    expect(server.mails[0]?.parsed.attachments).toEqual([]);
  });

  test.each(["delivery-12", "<a b@assay.test>", "<a@assay.test>\r\nBcc: x@y.test"])("needs a message ID, not %j", async (messageId) => {
    const { server } = await send({});
    const mailer = openMailer(settingsOf(server.port, "starttls", {}));
    await expect(mailer.send({ ...mail, messageId })).rejects.toThrow("is not a message ID");
  });

  test.each(["javascript:alert(1)", "/unsubscribe", "mailto:a@b.test,c@d.test"])("is not ended by %s", async (unsubscribe) => {
    const mailer = openMailer(settingsOf(portWithoutListener(), "starttls", {}));
    await expect(mailer.send({ ...mail, unsubscribe })).rejects.toThrow("the link to unsubscribe");
  });
});

describe("encryption", () => {
  const flaws: readonly Flaw[] = ["wrong-host", "no-names", "unknown-root", "self-signed", "expired"];
  for (const tls of ["starttls", "implicit"] as const) {
    test.each(flaws)(`refuses a certificate with the flaw %s (${tls})`, async (flaw) => {
      const { outcome, server } = await send({ tls, identity: siteIdentity("mail.test", { flaw }) });
      expect(outcome).toEqual(failed("certificate", false));
      expect(server.mails).toEqual([]);
    });
  }

  test("trusts no root but the bundled ones without smtp.ca_file", async () => {
    expect((await send({}, { caPems: [] })).outcome).toEqual(failed("certificate", false));
  });

  test("verifies the address of a server without a name", async () => {
    const server = { host: "127.0.0.1" };
    const to = (port: number) => ({ server: { ...server, port }, connectTo: [] });
    const good = await start({ identity: siteIdentity("127.0.0.1") });
    expect((await openMailer(settingsOf(good.port, "starttls", to(good.port))).send(mail)).result).toBe("sent");
    const wrong = await start({});
    expect(await openMailer(settingsOf(wrong.port, "starttls", to(wrong.port))).send(mail)).toEqual(failed("certificate", false));
  });

  test("is required: a server without STARTTLS gets neither mail nor password", async () => {
    const user = { name: "assay", password: "hunter2" };
    const { outcome, server } = await send({ tls: "none", user }, { server: { user: "assay", password: "hunter2" } });
    expect(outcome).toMatchObject({ because: "tls", permanent: false });
    expect(server.mails).toEqual([]);
  });

  test("is not begun by a plain server on the port of implicit TLS", async () => {
    const { outcome } = await send({ tls: "none" }, { server: { scheme: "smtps" } });
    expect(outcome).toMatchObject({ result: "failed", because: "tls" });
  });

  test("can be switched off", async () => {
    const { outcome, server } = await send({ tls: "none" }, { tls: "off" });
    expect(outcome.result).toBe("sent");
    expect(server.mails[0]?.secure).toBe(false);
  });
});

describe("signing in", () => {
  const user = { name: "assay@assay.test", password: "p:/ \u00fc" };

  test.each(["starttls", "implicit"] as const)("takes user and password (%s)", async (tls) => {
    const { server } = await send({ tls, user }, { server: { user: user.name, password: user.password } });
    expect(server.mails[0]?.user).toBe(user.name);
  });

  test("fails with a wrong password, which the operator can correct", async () => {
    const { outcome, server } = await send({ user }, { server: { user: user.name, password: "other" } });
    expect(outcome).toEqual(failed("sign-in", false, 535));
    expect(server.mails).toEqual([]);
  });

  test("is never left out because the server does not offer it", async () => {
    const { outcome, server } = await send({}, { server: { user: user.name, password: user.password } });
    expect(outcome).toMatchObject({ because: "sign-in", permanent: false });
    expect(server.mails).toEqual([]);
  });

  test("that is missing is named", async () => {
    expect((await send({ user })).outcome).toEqual(failed("sign-in", false, 530));
  });
});

describe("replies of the server", () => {
  test.each([
    [{ recipient: [[450, "come back later"]] }, failed("greylisted", false, 450)],
    [{ mail: [[451, "come back later"]] }, failed("greylisted", false, 451)],
    [{ mail: [[553, "sender not allowed"]] }, failed("sender", false, 553)],
    [{ mail: [[552, "too large"]] }, failed("refused", true, 552)],
    [{ data: [[554, "spam"]] }, failed("refused", true, 554)],
    [{ data: [[452, "disk full"]] }, failed("refused", false, 452)],
  ] as [NonNullable<MailServerOptions["replies"]>, MailOutcome][])("%j", async (replies, outcome) => {
    expect((await send({ replies })).outcome).toEqual(outcome);
  });

  test.each([
    [550, "5.1.1 <owner@client.test>: Recipient address rejected: User unknown in local recipient table", true],
    [550, "5.1.10 <owner@client.test>: Recipient address rejected: Domain has a null MX", true],
    [550, "5.2.1 This mailbox is disabled", true],
    [550, "no such user here", true],
    [551, "user not local", true],
    // The recipient can make space.
    [552, "5.2.2 mailbox full", false],
  ] as const)("to the recipient blame the recipient: %i %s", async (code, text, permanent) => {
    expect((await send({ replies: { recipient: [[code, text]] } })).outcome).toEqual(failed("recipient", permanent, code));
  });

  test.each([
    [554, "5.7.1 <owner@client.test>: Relay access denied"],
    [454, "4.7.1 <owner@client.test>: Relay access denied"],
    [553, "5.7.1 <assay@assay.test>: Sender address rejected: not owned by user"],
    [550, "5.1.8 <assay@assay.test>: Sender address rejected: Domain not found"],
    [550, "5.1.7 <assay@assay.test>: Sender address rejected: malformed DNS server reply"],
    [550, "5.1.0 <assay@assay.test>: Sender address rejected: User unknown in virtual mailbox table"],
    [554, "5.7.1 Service unavailable; Client host [192.0.2.1] blocked"],
    [550, "5.2.3 message too long for this mailbox"],
    [550, "relay not permitted"],
    [550, "Sender verify failed"],
    [553, "sorry, that domain isn't in my list of allowed rcpthosts"],
    [554, "no"],
    [452, "4.2.2 mailbox full"],
    [452, "too many recipients"],
  ] as const)("to the recipient that are about settings or the server blame neither: %i %s", async (code, text) => {
    expect((await send({ replies: { recipient: [[code, text]] } })).outcome).toEqual(failed("refused", false, code));
  });

  test("that greylist accept the same mail later, under the same ID", async () => {
    const server = await start({ replies: { recipient: [[450, "come back later"]] } });
    const mailer = openMailer(settingsOf(server.port, "starttls", {}));
    expect(await mailer.send(mail)).toEqual(failed("greylisted", false, 450));
    expect((await mailer.send(mail)).result).toBe("sent");
    expect(server.mails.map(({ parsed }) => parsed.messageId)).toEqual([mail.messageId]);
  });

  test.each(["a@b.test>\r\nRCPT TO:<c@d.test", "a@b.test, c@d.test", "Owner <a@b.test>", "a b.test", ""])(
    "are not asked for the address %j",
    async (to) => {
      const { outcome, server } = await send({}, {}, { to });
      expect(outcome).toEqual(failed("recipient", true));
      expect(server.mails).toEqual([]);
    },
  );
});

describe("a faulty server", () => {
  async function sendTo(onConnection: (socket: Socket) => void, given: Given = {}, signal?: AbortSignal): Promise<MailOutcome> {
    const server = await startTcp(onConnection);
    cleanUp.push(server.stop);
    return openMailer(settingsOf(server.port, "starttls", given)).send(mail, signal === undefined ? {} : { signal });
  }
  const greeting = "220 mail.test ESMTP\r\n";

  test("that refuses connections", async () => {
    expect(await openMailer(settingsOf(portWithoutListener(), "starttls", {})).send(mail)).toEqual(failed("unreachable", false));
  });

  test("without an address", async () => {
    const dns = await startDnsServer({});
    cleanUp.push(dns.stop);
    expect(await sendTo(() => {}, { connectTo: [], dnsServers: [dns.address] })).toEqual(failed("unreachable", false));
  });

  test("that does not greet", async () => {
    expect(await sendTo(() => {}, { limits: { ...limits, greetingMs: shortMs } })).toEqual(failed("timeout", false));
  });

  test("that falls silent", async () => {
    const given = { limits: { ...limits, sendMs: shortMs } };
    expect(await sendTo((socket) => void socket.write(greeting), given)).toEqual(failed("timeout", false));
  });

  test("that sends a reply without end", async () => {
    const drip = (socket: Socket) => {
      const timer = setInterval(() => socket.write("220-mail.test\r\n"), 20);
      socket.once("close", () => clearInterval(timer));
    };
    const given = { limits: { ...limits, greetingMs: 60_000, connectMs: 60_000, sendMs: shortMs } };
    expect(await sendTo(drip, given)).toEqual(failed("timeout", false));
  });

  test("that sends too much", async () => {
    expect(await sendTo((socket) => void socket.write("2".repeat(1_000_000)))).toMatchObject({ result: "failed", permanent: false });
  });

  test("that does not serve this client", async () => {
    expect(await sendTo((socket) => void socket.end("554 go away\r\n"))).toEqual(failed("refused", false, 554));
  });

  test("that closes the connection", async () => {
    expect(await sendTo((socket) => void socket.end())).toEqual(failed("unreachable", false));
  });

  test("that reads a mail for longer than sending may take accepts it once", async () => {
    const sendMs = 2_000;
    const { outcome, server } = await send({ accepting: () => Bun.sleep(sendMs + 100) }, { limits: { ...limits, sendMs } });
    expect(outcome).toMatchObject({ result: "sent", response: "250 queued as 1" });
    expect(server.mails.length).toBe(1);
  });

  test("that never accepts a mail is given up", async () => {
    const accepting = () => new Promise(() => {});
    expect((await send({ accepting }, { limits: { ...limits, acceptMs: shortMs } })).outcome).toEqual(failed("timeout", false));
  });

  test("holds up no request that waits for the outcome", async () => {
    const server = await start({ accepting: () => new Promise(() => {}) });
    const mailer = openMailer(settingsOf(server.port, "starttls", { limits: { ...limits, requestMs: shortMs } }));
    expect(await mailer.send(mail, { isAwaited: true })).toEqual(failed("timeout", false));
  });

  test("is left when the attempt is given up", async () => {
    const ending = new AbortController();
    const sent = sendTo(() => ending.abort(), {}, ending.signal);
    expect(await sent).toEqual(failed("timeout", false));
  });
});
