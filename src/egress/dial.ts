/**
 * SSRF guard of one scan. Resolves each host once, authorizes every address and dials only those pinned addresses.
 * A later DNS answer changes nothing, which prevents DNS rebinding.
 */
import { connect, type Socket } from "node:net";
import { withDeadline } from "../base/clock.ts";
import { deadlineClock } from "../base/standstill.ts";
import { endpointText } from "../parse/address.ts";
import { type AddressPolicy, createAddressPolicy, isBlockedPort, localAddresses, type PolicyDecision } from "./address-policy.ts";
import { type DnsServer, lookupAddresses, parseDnsServer } from "./dns-client.ts";
import { EgressError, orTimeout, toEgressError } from "./egress-error.ts";
import { parseHost } from "./host.ts";
import type { ConnectTo, EgressSettings } from "./settings.ts";

export type Egress = Pick<ScanEgress, keyof ScanEgress>;

const resolveMs = 8_000;
const addressAttemptMs = 2_500;
const addressesDialledMax = 6;
/** Names that one scan may resolve: a hostile page can invent new ones without end. */
const hostsMax = 500;
const refusalsMax = 100;

/** `onRefusal` is called once for each of the refusals. @throws Error for an invalid range in the settings, which are validated earlier. */
export function openEgress(settings: EgressSettings, onRefusal: (because: string) => void = () => {}): Egress {
  return new ScanEgress(settings, onRefusal);
}

class ScanEgress {
  readonly #connectTo: readonly ConnectTo[];
  readonly #servers: readonly DnsServer[];
  readonly #policy: AddressPolicy;
  readonly #closing = new AbortController();
  readonly #resolutions = new Map<string, Promise<readonly string[]>>();
  #resolutionsBegun = 0;
  readonly #resolved = new Map<string, readonly string[]>();
  /** The address that answered last, by requested host and port: the next connection tries it first. */
  readonly #reached = new Map<string, string>();
  readonly #refusals = new Set<string>();
  readonly #sockets = new Set<Socket>();
  readonly #onRefusal: (because: string) => void;

  constructor(settings: EgressSettings, onRefusal: (because: string) => void) {
    this.#onRefusal = onRefusal;
    this.#connectTo = settings.connectTo;
    this.#servers = settings.dnsServers.map(parseDnsServer);
    this.#policy = createAddressPolicy(settings, localAddresses(), isBlockedPort);
  }

  /**
   * The authorized addresses of a host as written in URLs, the same for the whole scan.
   * @throws EgressError `blocked`, `unresolved`, `timeout` or `unreachable`.
   */
  async resolve(host: string, signal?: AbortSignal): Promise<readonly string[]> {
    const mapped = this.#connectTo.find((mapping) => hostKey(mapping.host) === hostKey(host));
    if (mapped === undefined) return this.#resolveHost(host, signal);
    this.#assertAllowed(this.#policy.authorizeAddress(mapped.address));
    return [mapped.address];
  }

  /**
   * A socket connected to one of the authorized addresses; the caller ends it. `deadlineMs` is for resolving and connecting together.
   * @throws EgressError `blocked`, `unresolved`, `refused`, `timeout` or `unreachable`.
   */
  dial(
    host: string,
    port: number,
    { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal?: AbortSignal },
  ): Promise<Socket> {
    return withDeadline(deadlineClock, deadlineMs, [this.#closing.signal, signal], (end) => this.#dialWithin(deadlineMs, host, port, end));
  }

  /** The pinned address of this scan for a host and port; null before the host is resolved. */
  pinnedAddress(host: string, port: number): string | null {
    const name = hostKey(host);
    return this.#reached.get(endpointText(name, port)) ?? this.#mappingOf(host, port)?.address ?? this.#resolved.get(name)?.[0] ?? null;
  }

  /** Refusals of the policy, without duplicates, each with the setting that would open it: for the operator's log. */
  get refusals(): readonly string[] {
    return [...this.#refusals];
  }

  close(): void {
    this.#closing.abort();
    for (const socket of this.#sockets) socket.destroy();
  }

  #assertAllowed(decision: PolicyDecision, host?: string): void {
    if (decision.allowed) return;
    const because = host === undefined ? decision.because : `${host}: ${decision.because}`;
    if (this.#refusals.size < refusalsMax && !this.#refusals.has(because)) {
      this.#refusals.add(because);
      this.#onRefusal(because);
    }
    throw new EgressError("blocked", because);
  }

  async #resolveHost(text: string, signal?: AbortSignal): Promise<readonly string[]> {
    const host = parseHost(text);
    if (host === null) throw new EgressError("unresolved", `${JSON.stringify(text.slice(0, 100))} is not a host`);
    if (host.kind === "address") {
      this.#assertAllowed(this.#policy.authorizeAddress(host.text));
      this.#resolved.set(host.text, [host.text]);
      return [host.text];
    }
    const resolution = this.#resolutions.get(host.text) ?? this.#startResolution(host.text);
    return signal === undefined ? resolution : orTimeout(signal, "the deadline ran out while resolving", () => resolution);
  }

  #startResolution(name: string): Promise<readonly string[]> {
    if (this.#resolutionsBegun >= hostsMax)
      this.#assertAllowed({ allowed: false, because: `the scan requested more than ${hostsMax} hosts` });
    this.#resolutionsBegun++;
    // Failures are pinned as well: DNS rebinding must not open a name that was refused. Silence refused nothing, and a probe may be repeated.
    const resolution = this.#resolveName(name);
    resolution.catch((error) => {
      if (toEgressError(error).because === "timeout") this.#resolutions.delete(name);
    });
    this.#resolutions.set(name, resolution);
    return resolution;
  }

  /** One blocked address blocks the host, because a browser might choose that one. */
  async #resolveName(name: string): Promise<readonly string[]> {
    const lookup = (end: AbortSignal) => lookupAddresses(name, this.#servers, end);
    const addresses = await withDeadline(deadlineClock, resolveMs, [this.#closing.signal], lookup);
    for (const address of addresses) this.#assertAllowed(this.#policy.authorizeAddress(address), name);
    this.#resolved.set(name, addresses);
    return addresses;
  }

  async #targetOf(host: string, port: number, signal: AbortSignal) {
    const mapped = this.#mappingOf(host, port);
    if (mapped !== undefined) {
      this.#assertAllowed(this.#policy.authorizeAddress(mapped.address));
      return { addresses: [mapped.address], port: mapped.addressPort };
    }
    this.#assertAllowed(this.#policy.authorizePort(port), hostKey(host).slice(0, 100));
    return { addresses: await this.#resolveHost(host, signal), port };
  }

  #mappingOf(host: string, port: number): ConnectTo | undefined {
    const name = hostKey(host);
    return this.#connectTo.find((mapping) => mapping.port === port && hostKey(mapping.host) === name);
  }

  async #dialWithin(deadlineMs: number, host: string, port: number, signal: AbortSignal): Promise<Socket> {
    const target = await this.#targetOf(host, port, signal);
    for (const address of target.addresses) this.#assertAllowed(this.#policy.authorizeEndpoint(address, target.port));

    const key = endpointText(hostKey(host), port);
    const order = withFirst(this.#reached.get(key), target.addresses).slice(0, addressesDialledMax);
    const failures: EgressError[] = [];
    for (const [index, address] of order.entries()) {
      const attemptMs = index === order.length - 1 ? deadlineMs : addressAttemptMs;
      try {
        const socket = this.#track(await connectTo(address, target.port, attemptMs, signal));
        this.#reached.set(key, address);
        return socket;
      } catch (thrown) {
        failures.push(toEgressError(thrown));
        if (signal.aborted) break;
      }
    }
    throw leastConclusive(failures, endpointText(host, port));
  }

  #track(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    return socket;
  }
}

function hostKey(text: string): string {
  return parseHost(text)?.text ?? text;
}

function withFirst(first: string | undefined, addresses: readonly string[]): readonly string[] {
  return first === undefined ? addresses : [first, ...addresses.filter((address) => address !== first)];
}

async function connectTo(address: string, port: number, attemptMs: number, signal: AbortSignal): Promise<Socket> {
  const endpoint = endpointText(address, port);
  if (signal.aborted) throw new EgressError("timeout", `no time left to connect to ${endpoint}`);
  const startedMs = deadlineClock.monotonicMs();
  const socket = connect({ host: address, port, allowHalfOpen: true });
  const connected = new Promise<Socket>((resolve, reject) => {
    // The listener stays: an error with no listener would end the process before the caller could add one.
    socket.on("error", (error) => reject(connectFailure(error, endpoint, deadlineClock.monotonicMs() - startedMs)));
    socket.once("connect", () => resolve(socket));
  });
  const inTime = (end: AbortSignal) => orTimeout(end, `${endpoint} did not answer in time`, () => connected);
  return withDeadline(deadlineClock, attemptMs, [signal], inTime).catch((error) => {
    socket.destroy();
    throw error;
  });
}

/**
 * Bun 1.4 reports every failed connect as ECONNREFUSED. A real refusal takes one round trip; a later error means that
 * the kernel found no neighbour (3 s on Linux).
 */
const refusalMsMax = 2_400;

function connectFailure(error: NodeJS.ErrnoException, endpoint: string, afterMs: number): EgressError {
  if (error.code === "ETIMEDOUT") return new EgressError("timeout", `${endpoint} did not answer in time`);
  if (error.code === "ECONNREFUSED" && afterMs < refusalMsMax) return new EgressError("refused", `${endpoint} refused the connection`);
  return new EgressError("unreachable", `${endpoint} cannot be reached`);
}

/** Merges the failures of several addresses; "refused" only when all of them refused. */
function leastConclusive(failures: readonly EgressError[], endpoint: string): EgressError {
  const worst =
    failures.find(({ because }) => because === "timeout") ?? failures.find(({ because }) => because === "unreachable") ?? failures[0];
  return worst ?? new EgressError("timeout", `no time left to connect to ${endpoint}`);
}
