/** Asks a server with single hellos which suites and groups it accepts: one after the other, and only a bounded number. */
import { setTimeout as wait } from "node:timers/promises";
import { systemClock, withDeadline } from "../../base/clock.ts";
import type { TlsVersion } from "../../evidence/limits.ts";
import type { ProbeContext } from "../context.ts";
import { clientHello, type HelloOffer } from "./client-hello.ts";
import { exchangeHello, type HelloExchange, isClosedUnanswered, retryDelayMs } from "./hello-exchange.ts";
import type { ServerFlight } from "./server-flight.ts";
import { versionCodes } from "./tls-wire.ts";

/** A server that has not answered by then may drop such hellos. */
const helloMs = 3_000;
/** After this many timeouts, no more hellos are sent. */
const timeoutsMax = 2;

/** handshake_failure, protocol_version and insufficient_security (RFC 5246 section 7.2.2): nothing that was offered is acceptable. */
const refusingAlerts: readonly number[] = [40, 70, 71];

export type OfferAnswer =
  | { readonly answer: "accepted"; readonly flight: ServerFlight }
  | { readonly answer: "refused" }
  /** No answer, or one that a middlebox or another fault may have caused. */
  | { readonly answer: "unknown" };

export interface OfferAsker {
  /** Never rejects. `unknown` without a connection once the budget is spent. */
  ask(version: TlsVersion, offer: HelloOffer): Promise<OfferAnswer>;
}

export interface AskedEndpoint extends ProbeContext {
  readonly host: string;
  readonly port: number;
  /** Null for addresses. */
  readonly serverName: string | null;
}

export function createOfferAsker({ egress, host, port, serverName, signal }: AskedEndpoint, connectionsMax: number): OfferAsker {
  let connectionsLeft = connectionsMax;
  let timeouts = 0;

  async function exchange(hello: Buffer): Promise<HelloExchange | null> {
    if (connectionsLeft === 0 || timeouts >= timeoutsMax || signal.aborted) return null;
    connectionsLeft--;
    const reply = await withDeadline(systemClock, helloMs, [signal], (deadline) =>
      exchangeHello(() => egress.dial(host, port, { deadlineMs: helloMs, signal: deadline }), hello, deadline),
    );
    if (reply.ended === "timeout") timeouts++;
    return reply;
  }

  return {
    ask: async (version, offer) => {
      const hello = clientHello(version, serverName, [], offer);
      const first = await exchange(hello);
      if (first === null || !isClosedUnanswered(first)) return answerOf(offer, first);
      await wait(retryDelayMs, undefined, { signal }).catch(() => {});
      return answerOf(offer, await exchange(hello));
    },
  };
}

/** Accepted needs the complete flight: a server may choose a suite and then lack its key. */
function answerOf({ suites }: HelloOffer, reply: HelloExchange | null): OfferAnswer {
  if (reply === null) return { answer: "unknown" };
  const { flight } = reply;
  if (flight.alert !== null) return { answer: refusingAlerts.includes(flight.alert) ? "refused" : "unknown" };
  const isComplete = flight.done || flight.version === versionCodes["1.3"];
  return isComplete && flight.suite !== null && suites.includes(flight.suite) ? { answer: "accepted", flight } : { answer: "unknown" };
}
