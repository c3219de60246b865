/** SMTP server on loopback for tests, with the certificate and the replies that a test gives it. */
import type { AddressInfo } from "node:net";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer } from "smtp-server";
import type { ServerIdentity } from "./certificates.ts";

export interface MailServerOptions {
  readonly identity: ServerIdentity;
  /** `implicit`: TLS from the first byte. `starttls`: offered. `none`: neither offered nor taken. */
  readonly tls: "implicit" | "starttls" | "none";
  /** Who may sign in; without it, no sign-in is offered. */
  readonly user?: { readonly name: string; readonly password: string };
  /** Replies to these commands in order, one for each attempt; null or nothing accepts. */
  readonly replies?: { readonly mail?: Replies; readonly recipient?: Replies; readonly data?: Replies };
  readonly address?: string;
  /** Resolves when a mail that was sent whole gets its reply. */
  readonly accepting?: () => Promise<unknown>;
}

type Replies = readonly (readonly [code: number, text: string] | null)[];

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly secure: boolean;
  /** Null without sign-in. */
  readonly user: string | null;
  /** Name by which the client introduced itself. */
  readonly client: string;
  readonly source: string;
  readonly parsed: ParsedMail;
}

export interface MailServerHandle {
  readonly port: number;
  /** Mails in order of arrival. */
  readonly mails: readonly ReceivedMail[];
  stop(): Promise<void>;
}

export async function startMailServer({
  identity,
  tls,
  user,
  replies = {},
  address,
  accepting,
}: MailServerOptions): Promise<MailServerHandle> {
  const mails: ReceivedMail[] = [];
  const turns = { mail: 0, recipient: 0, data: 0 };
  const refusal = (command: keyof typeof turns): Error | null => {
    const reply = replies[command]?.[turns[command]++] ?? null;
    return reply === null ? null : Object.assign(new Error(reply[1]), { responseCode: reply[0] });
  };
  const server = new SMTPServer({
    name: "mail.test",
    secure: tls === "implicit",
    cert: identity.certificateChainPem,
    key: identity.privateKeyPem,
    disabledCommands: [...(tls === "none" ? ["STARTTLS"] : []), ...(user === undefined ? ["AUTH"] : [])],
    allowInsecureAuth: tls === "none",
    disableReverseLookup: true,
    onAuth({ username, password }, _session, done) {
      const isKnown = username === user?.name && password === user?.password;
      done(isKnown ? null : Object.assign(new Error("no such user"), { responseCode: 535 }), isKnown ? { user: username } : undefined);
    },
    onMailFrom: (_sender, _session, done) => done(refusal("mail")),
    onRcptTo: (_recipient, _session, done) => done(refusal("recipient")),
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", async () => {
        const refused = refusal("data");
        if (refused !== null) return done(refused);
        const bytes = Buffer.concat(parts);
        mails.push({
          from: session.envelope.mailFrom === false ? "" : session.envelope.mailFrom.address,
          to: session.envelope.rcptTo.map((recipient) => recipient.address),
          secure: session.secure,
          user: typeof session.user === "string" ? session.user : null,
          client: session.hostNameAppearsAs,
          source: bytes.toString("latin1"),
          parsed: await simpleParser(bytes),
        });
        const reply = `queued as ${mails.length}`;
        await accepting?.();
        done(null, reply);
      });
    },
  });
  // Clients that refuse the certificate end the handshake.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, address ?? "127.0.0.1", () => resolve()));
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
