/** Connection to nats-server, for the head and for workers. */
import { readFileSync } from "node:fs";
import { fromSeed, type KeyPair } from "@nats-io/nkeys";
import { type Authenticator, connect, credsAuthenticator, type NatsConnection, nkeyAuthenticator } from "@nats-io/transport-node";
import { aborted, type Clock, pause } from "../base/clock.ts";
import { type Log, messageOf } from "../base/log.ts";
import { parseNatsUrl } from "../parse/address.ts";

/** The fleet cannot start as it is set up. The message is one sentence for the operator. */
export class FleetError extends Error {}

export interface ConnectionOptions {
  /** URLs as `parseNatsUrl` reads them: the first server that answers is used. */
  readonly servers: readonly string[];
  /** nkey seed, or JWT and seed (creds); null for none. */
  readonly credentialsFile: string | null;
  /** Trusted certificates (PEM); null for the bundled roots. */
  readonly caFile: string | null;
  /** Name in lists of connections at the server. */
  readonly name: string;
  /** See `inboxPrefixOf`; needed by workers only. */
  readonly inboxPrefix?: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the wait for the first connection. */
  readonly signal: AbortSignal;
  /** Called with the cause, as a clause, each time that the first connection fails. */
  readonly onFailure?: (because: string) => void;
  /** Wait between attempts, to which as much again is added at random. */
  readonly retryMs?: number;
}

/** JetStream before it has errors in the delivery of work queues. */
const versionMin = [2, 9, 10];
/** Earlier versions may deliver a message again that was acknowledged shortly before a crash. */
const versionWarned = [2, 10, 0];

const retryMsDefault = 1_000;
/** Limit of one attempt to connect, TLS and authentication included. */
const connectMsMax = 5_000;
/** Two of them without an answer end a connection. */
const pingEveryMs = 10_000;
const pingsOutMax = 2;

/**
 * Waits for the first connection as long as it takes; later it connects again by itself.
 * @throws FleetError if a file or the version of the server cannot be used; the reason of the signal when it aborts.
 */
export async function connectNats(options: ConnectionOptions): Promise<NatsConnection> {
  const { servers, caFile, clock, log, signal, retryMs = retryMsDefault } = options;
  const authenticator = authenticatorOf(options.credentialsFile);
  const ca = caFile === null ? undefined : certificatesOf(caFile);
  const tls = servers.some((server) => parseNatsUrl(server)?.tls === true) ? (ca === undefined ? {} : { ca }) : null;
  let isFirstFailure = true;
  for (;;) {
    signal.throwIfAborted();
    try {
      const connection = await connect({
        servers: [...servers],
        name: options.name,
        tls,
        ...(authenticator === null ? {} : { authenticator }),
        ...(options.inboxPrefix === undefined ? {} : { inboxPrefix: options.inboxPrefix }),
        // Addresses that servers announce may be without TLS, or of an inner network.
        ignoreClusterUpdates: true,
        // The operator may allow this user later.
        ignoreAuthErrorAbort: true,
        maxReconnectAttempts: -1,
        reconnectTimeWait: retryMs,
        reconnectJitter: retryMs,
        reconnectJitterTLS: retryMs,
        timeout: connectMsMax,
        pingInterval: pingEveryMs,
        maxPingOut: pingsOutMax,
      });
      return await usable(connection, options);
    } catch (error) {
      if (error instanceof FleetError) throw error;
      const because = connectFailure(error);
      options.onFailure?.(because);
      if (isFirstFailure) log.warn("nats-server not reachable yet", { servers: servers.join(" "), because });
      isFirstFailure = false;
    }
    await pause(clock, retryMs * (1 + clock.random()), signal);
  }
}

async function usable(connection: NatsConnection, { log, signal }: ConnectionOptions): Promise<NatsConnection> {
  const version = connection.info?.version ?? "";
  const server = connection.getServer();
  if (signal.aborted || isBefore(version, versionMin)) await connection.close();
  signal.throwIfAborted();
  if (isBefore(version, versionMin))
    throw new FleetError(
      `nats-server ${version || "of unknown version"} at ${server} is too old; ${versionMin.join(".")} is the oldest that works`,
    );
  if (isBefore(version, versionWarned)) log.warn("nats-server is old; 2.10 or newer is advised", { server, version });
  log.info("connected to nats-server", { server, version });
  return connection;
}

/** Whether a version is earlier than the minimum, or no version at all. */
function isBefore(version: string, minimum: readonly number[]): boolean {
  const numbers = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  if (numbers === undefined) return true;
  const at = minimum.findIndex((number, index) => number !== numbers[index]);
  return at !== -1 && (numbers[at] ?? 0) < (minimum[at] ?? 0);
}

/** Causes by the message of the client or of TLS, as clauses with what to do. */
const failures: readonly (readonly [message: RegExp, clause: string])[] = [
  [/authorization|authentication/i, "nats-server refuses the credentials"],
  [/timeout/i, "nats-server does not answer"],
  [
    /issuer certificate|self.signed|verify the first certificate/i,
    "the certificate of nats-server is not trusted; nats.ca_file names the authority that issued it",
  ],
  [/altnames/i, "the certificate of nats-server is for another name than the one in nats.url"],
  [/certificate has expired/i, "the certificate of nats-server has expired"],
  [/not support 'tls'/i, "nats-server offers no TLS; its configuration needs a tls block"],
  // The client reads the options for TLS, which an address without TLS does not have.
  [/'certFile'/, "nats-server demands TLS; nats.url needs tls:// in place of nats://"],
  [/ENOTFOUND|EAI_AGAIN/, "the name of nats-server cannot be resolved"],
];

/** Clause for log and readiness; the message of the error if its cause is not known. */
export function connectFailure(error: unknown): string {
  const message = messageOf(error);
  return failures.find(([pattern]) => pattern.test(message))?.[1] ?? (message || "the connection was closed");
}

/** Public nkey of the user in a file as of `credentialsFile`. @throws FleetError */
export function userOfCredentials(file: string): string {
  return keysOf(file, readText(file, "nats.credentials_file")).getPublicKey();
}

function authenticatorOf(file: string | null): Authenticator | null {
  if (file === null) return null;
  const text = readText(file, "nats.credentials_file");
  const keys = keysOf(file, text);
  return text.includes("BEGIN NATS USER JWT") ? credsAuthenticator(Buffer.from(text)) : nkeyAuthenticator(keys.getSeed());
}

/** @throws FleetError */
function keysOf(file: string, text: string): KeyPair {
  try {
    return fromSeed(Buffer.from(/^\s*(SU[A-Z2-7]{56})\s*$/m.exec(text)?.[1] ?? ""));
  } catch {
    throw new FleetError(`nats.credentials_file: ${file} holds neither the seed of a user (SU...) nor a JWT with its seed`);
  }
}

/** Text of a file as of `caFile`. @throws FleetError */
export function certificatesOf(file: string): string {
  const pem = readText(file, "nats.ca_file");
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) throw new FleetError(`nats.ca_file: ${file} holds no PEM certificate`);
  return pem;
}

function readText(file: string, setting: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new FleetError(`${setting}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

export type Link = ReturnType<typeof followLink>;

interface LinkEvents {
  readonly onLost: () => void;
  readonly onRestored: () => void;
  /** Such as a refused subject. */
  readonly onError: (error: Error) => void;
}

/** Follows a connection that is up now, until it is closed for good. */
export function followLink(connection: NatsConnection, { onLost, onRestored, onError }: LinkEvents) {
  let isUp = true;
  let restored = Promise.withResolvers<void>();

  async function follow(): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === "disconnect" && isUp) {
        isUp = false;
        restored = Promise.withResolvers();
        onLost();
      } else if (status.type === "reconnect") {
        isUp = true;
        restored.resolve();
        onRestored();
      } else if (status.type === "error") onError(status.error);
    }
    isUp = false;
  }
  void follow();

  return {
    isUp: () => isUp,
    /** Resolves at once, or at the next connection; rejects when the signal aborts. */
    connected: async (signal: AbortSignal): Promise<void> => {
      if (isUp) return;
      await Promise.race([restored.promise, aborted(signal).then(() => Promise.reject(signal.reason))]);
    },
  };
}
