/** The only way out: resolves each host once per scan, judges every address, pins what it judged and dials nothing else. */
import { connect, type Socket } from "node:net";
import { withDeadline } from "../base/deadline.ts";
import { createAddressPolicy, type Judgement } from "./address-policy.ts";
import { isBlockedPort } from "./blocked-ports.ts";
import { parseDnsServer } from "./dns-client.ts";
import { EgressError, toEgressError } from "./egress-error.ts";
import { endpointText, parseHost } from "./host.ts";
import { localAddresses } from "./local-addresses.ts";
import { lookupAddresses } from "./lookup.ts";
import type { EgressSettings } from "./settings.ts";

export interface DialOptions {
  /** For resolving and connecting together, in milliseconds from now. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

/** The way out of one scan. */
export interface Egress {
  /**
   * The judged addresses of a host, the same for the whole scan. Hosts stand as in URLs.
   * @throws EgressError `blocked`, `unresolved`, `timeout` or `unreachable`.
   */
  resolve(host: string, signal?: AbortSignal): Promise<readonly string[]>;
  /**
   * A connected socket to one of the judged addresses; the caller ends it.
   * @throws EgressError `blocked`, `unresolved`, `refused`, `timeout` or `unreachable`.
   */
  dial(host: string, port: number, options: DialOptions): Promise<Socket>;
  /** The address that this scan talks to at that place, or null when it never got as far as that. */
  pinnedAddress(host: string, port: number): string | null;
  /** What the policy refused, each once, with the setting that would open it: for the operator's log. */
  readonly refusals: readonly string[];
  /** Over all connections so far. (What was sent is not counted: Bun 1.4 counts none below TLS.) */
  readonly bytesReceived: number;
  /** Cuts every connection; nothing can be dialled afterwards. */
  close(): void;
}

/** A resolution as a whole, all of its retries included. */
const resolveMs = 8_000;
/** How long one address may keep the next one waiting. */
const addressAttemptMs = 2_500;
/** Addresses dialled of one host, the rest being judged only. */
const addressesDialledMax = 6;
/** Names that one scan may resolve: a page can make up new ones without end. */
const hostsMax = 500;
const refusalsMax = 100;

/** What to dial for a host and port: the judged addresses, or the one that the operator mapped it to. */
interface Target {
  readonly addresses: readonly string[];
  readonly port: number;
}

/** @throws Error when a range of the settings is none; the configuration is checked before. */
export function openEgress(settings: EgressSettings): Egress {
  const servers = settings.dnsServers.map(parseDnsServer);
  const policy = createAddressPolicy(settings, localAddresses(), isBlockedPort);

  const closing = new AbortController();
  const resolutions = new Map<string, Promise<readonly string[]>>();
  const resolved = new Map<string, readonly string[]>();
  /** The address that answered last, by host and port as asked: the next connection goes there first. */
  const reached = new Map<string, string>();
  const refusals = new Set<string>();
  const sockets = new Set<Socket>();
  let bytesOfClosed = 0;

  function assertAllowed(judgement: Judgement, asked?: string): void {
    if (judgement.allowed) return;
    const because = asked === undefined ? judgement.because : `${asked}: ${judgement.because}`;
    if (refusals.size < refusalsMax) refusals.add(because);
    throw new EgressError("blocked", because);
  }

  /** One refused address refuses the host: which of them a browser would take is not ours to guess. */
  async function resolveName(name: string): Promise<readonly string[]> {
    const addresses = await withDeadline(resolveMs, [closing.signal], (ending) => lookupAddresses(name, servers, ending));
    for (const address of addresses) assertAllowed(policy.judgeAddress(address), name);
    resolved.set(name, addresses);
    return addresses;
  }

  async function resolve(text: string, signal?: AbortSignal): Promise<readonly string[]> {
    const host = parseHost(text);
    if (host === null) throw new EgressError("unresolved", `${JSON.stringify(text.slice(0, 100))} is not a host`);
    if (host.kind === "address") {
      assertAllowed(policy.judgeAddress(host.text));
      resolved.set(host.text, [host.text]);
      return [host.text];
    }
    let resolution = resolutions.get(host.text);
    if (resolution === undefined) {
      if (resolutions.size >= hostsMax) assertAllowed({ allowed: false, because: `the scan asked for more than ${hostsMax} hosts` });
      // Failures are kept as well: a name that was refused once stays refused, however its server answers later.
      resolution = resolveName(host.text);
      resolution.catch(() => {});
      resolutions.set(host.text, resolution);
    }
    return signal === undefined ? resolution : raceAbort(resolution, signal);
  }

  async function targetOf(host: string, port: number, signal: AbortSignal): Promise<Target> {
    const mapped = mappingOf(host, port);
    if (mapped !== undefined) {
      assertAllowed(policy.judgeAddress(mapped.address));
      return { addresses: [mapped.address], port: mapped.addressPort };
    }
    assertAllowed(policy.judgePort(port), hostKey(host).slice(0, 100));
    return { addresses: await resolve(host, signal), port };
  }

  function mappingOf(host: string, port: number) {
    const name = hostKey(host);
    return settings.connectTo.find((mapping) => mapping.port === port && hostKey(mapping.host) === name);
  }

  function track(socket: Socket): Socket {
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      bytesOfClosed += socket.bytesRead;
    });
    return socket;
  }

  function dial(host: string, port: number, { deadlineMs, signal }: DialOptions): Promise<Socket> {
    const endsAtMs = performance.now() + deadlineMs;
    return withDeadline(deadlineMs, [closing.signal, signal], (ending) => dialUntil(endsAtMs, host, port, ending));
  }

  async function dialUntil(endsAtMs: number, host: string, port: number, ending: AbortSignal): Promise<Socket> {
    const target = await targetOf(host, port, ending);
    for (const address of target.addresses) assertAllowed(policy.judgeEndpoint(address, target.port));

    const key = endpointText(hostKey(host), port);
    const order = preferring(reached.get(key), target.addresses).slice(0, addressesDialledMax);
    const failures: EgressError[] = [];
    for (const [index, address] of order.entries()) {
      const remainingMs = endsAtMs - performance.now();
      const attemptMs = index === order.length - 1 ? remainingMs : Math.min(remainingMs, addressAttemptMs);
      try {
        const socket = track(await connectTo(address, target.port, attemptMs, ending));
        reached.set(key, address);
        return socket;
      } catch (thrown) {
        failures.push(toEgressError(thrown));
        if (ending.aborted) break;
      }
    }
    throw mostTelling(failures, endpointText(host, port));
  }

  return {
    async resolve(host, signal) {
      const mapped = settings.connectTo.find((mapping) => hostKey(mapping.host) === hostKey(host));
      if (mapped === undefined) return resolve(host, signal);
      assertAllowed(policy.judgeAddress(mapped.address));
      return [mapped.address];
    },
    dial,
    pinnedAddress(host, port) {
      const name = hostKey(host);
      return reached.get(endpointText(name, port)) ?? mappingOf(host, port)?.address ?? resolved.get(name)?.[0] ?? null;
    },
    get refusals() {
      return [...refusals];
    },
    get bytesReceived() {
      let bytes = bytesOfClosed;
      for (const socket of sockets) bytes += socket.bytesRead;
      return bytes;
    },
    close() {
      closing.abort();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** One spelling for every spelling of a host. */
function hostKey(text: string): string {
  return parseHost(text)?.text ?? text;
}

function preferring(first: string | undefined, addresses: readonly string[]): readonly string[] {
  return first === undefined ? addresses : [first, ...addresses.filter((address) => address !== first)];
}

function connectTo(address: string, port: number, attemptMs: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const place = endpointText(address, port);
    if (signal.aborted || attemptMs <= 0) return reject(new EgressError("timeout", `no time left to connect to ${place}`));
    const startedMs = performance.now();
    const socket = connect({ host: address, port, allowHalfOpen: true });
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onTimeout);
      socket.off("error", onError);
    };
    const onTimeout = () => {
      settle();
      socket.on("error", () => {});
      socket.destroy();
      reject(new EgressError("timeout", `${place} did not answer in time`));
    };
    const onError = (error: NodeJS.ErrnoException) => {
      settle();
      reject(connectFailure(error, place, performance.now() - startedMs));
    };
    const timer = setTimeout(onTimeout, attemptMs);
    signal.addEventListener("abort", onTimeout);
    socket.on("error", onError);
    socket.once("connect", () => {
      settle();
      // An error with no listener would end the process before the caller could add one.
      socket.on("error", () => {});
      resolve(socket);
    });
  });
}

/**
 * Bun 1.4 names every failed connect ECONNREFUSED. A refusal comes within a round trip; what comes this late is the
 * kernel giving up on finding a neighbour (3 s on Linux).
 */
const refusalMsMax = 2_400;

function connectFailure(error: NodeJS.ErrnoException, place: string, afterMs: number): EgressError {
  if (error.code === "ETIMEDOUT") return new EgressError("timeout", `${place} did not answer in time`);
  if (error.code === "ECONNREFUSED" && afterMs < refusalMsMax) return new EgressError("refused", `${place} refused the connection`);
  return new EgressError("unreachable", `${place} cannot be reached`);
}

/** Of several addresses' failures the one that leaves most open: "refused" is said only when all refused. */
function mostTelling(failures: readonly EgressError[], place: string): EgressError {
  const worst =
    failures.find(({ because }) => because === "timeout") ?? failures.find(({ because }) => because === "unreachable") ?? failures[0];
  return worst ?? new EgressError("timeout", `no time left to connect to ${place}`);
}

function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new EgressError("timeout", "the deadline ran out while resolving"));
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
