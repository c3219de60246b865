/** Probe of the suites and key exchanges that a server accepts beyond those that it negotiates. */
import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { withDeadline } from "../../base/clock.ts";
import { deadlineClock } from "../../base/standstill.ts";
import { parseHost } from "../../egress/host.ts";
import { failed, type Reading, read } from "../../evidence/evidence.ts";
import { type TlsVersion, type WeakSuiteKind, weakSuiteKinds } from "../../evidence/limits.ts";
import type { TlsFacts, TlsOffersFacts } from "../../evidence/tls-facts.ts";
import { bitLength, finiteFieldPrime, isShortCurve, namedCurve } from "../../parse/server-key-exchange.ts";
import { failedBy, type ProbeContext } from "../context.ts";
import { suitesOfTls13, suitesWith, type WeakSuite, weakSuites } from "./cipher-suites.ts";
import { clientHello, groupCodes, groupName, type HelloOffer, hybridGroups, offeredGroups, weakCurves } from "./client-hello.ts";
import type { ServerFlight } from "./server-flight.ts";
import { exchangeHello, type HelloExchange, isClosedUnanswered, retryDelayMs } from "./tls-versions.ts";
import { versionCodes } from "./tls-wire.ts";

// Asks a server with single hellos which suites and groups it accepts: one after the other, and only a bounded number.

/** Deadline of one hello. A server that does not answer in time may drop such hellos. */
const helloMs = 3_000;
/** After this many timeouts, no more hellos are sent. */
const timeoutsMax = 2;

/** handshake_failure, protocol_version and insufficient_security (RFC 5246 section 7.2.2): nothing that was offered is acceptable. */
const refusingAlerts: readonly number[] = [40, 70, 71];

type OfferAnswer =
  | { readonly answer: "accepted"; readonly flight: ServerFlight }
  | { readonly answer: "refused" }
  /** No answer, or one that a middlebox or another fault may have caused. */
  | { readonly answer: "unknown" };

/** Never rejects. `unknown` without a connection once the budget is spent. */
type AskOffer = (version: TlsVersion, offer: HelloOffer) => Promise<OfferAnswer>;

interface AskedEndpoint extends ProbeContext {
  readonly host: string;
  readonly port: number;
  /** Name for SNI; null for addresses. */
  readonly serverName: string | null;
}

function createAskOffer({ egress, host, port, serverName, signal }: AskedEndpoint, connectionsMax: number): AskOffer {
  let connectionsLeft = connectionsMax;
  let timeouts = 0;

  async function exchange(hello: Buffer): Promise<HelloExchange | null> {
    if (connectionsLeft === 0 || timeouts >= timeoutsMax || signal.aborted) return null;
    connectionsLeft--;
    const reply = await withDeadline(deadlineClock, helloMs, [signal], (deadline) =>
      exchangeHello(() => egress.dial(host, port, { deadlineMs: helloMs, signal: deadline }), hello, deadline),
    );
    if (reply.ended === "timeout") timeouts++;
    return reply;
  }

  return async (version, offer) => {
    const hello = clientHello(version, serverName, [], offer);
    const first = await exchange(hello);
    if (first === null || !isClosedUnanswered(first)) return answerOf(offer, first);
    await wait(retryDelayMs, undefined, { signal }).catch(() => {});
    return answerOf(offer, await exchange(hello));
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

/** Sends two hellos at a time, one of each group, so that the probe ends before most pages have settled. */
const suiteConnectionsMax = 8;
const keyExchangeConnectionsMax = 4;
/** Deadline for all hellos together. */
const offersMs = 8_000;

/** The kinds that no client needs, and the kinds that old clients need. Servers with a limit of 128 suites need two hellos. */
const kindsByHello: readonly (readonly WeakSuiteKind[])[] = [
  ["null", "anonymous", "export", "rc4", "smallBlock"],
  ["staticKey", "cbc"],
];

/**
 * Weak suites that browsers offer. If a server accepts one, the hello is repeated without it: the suite that the browser negotiates has a
 * check of its own, and must not count twice.
 */
const browserSuites: readonly string[] = [
  "AES128-GCM-SHA256",
  "AES256-GCM-SHA384",
  "AES128-SHA",
  "AES256-SHA",
  "ECDHE-RSA-AES128-SHA",
  "ECDHE-RSA-AES256-SHA",
  "ECDHE-ECDSA-AES128-SHA",
  "ECDHE-ECDSA-AES256-SHA",
];

interface TlsOffersContext extends ProbeContext {
  /** Facts of the same endpoint. */
  readonly tls: Pick<TlsFacts, "host" | "port" | "versions">;
}

export async function probeTlsOffers({ egress, signal, tls }: TlsOffersContext): Promise<Reading<TlsOffersFacts>> {
  const host = parseHost(tls.host);
  if (host === null) return failed("unresolved");
  const endpoint = { egress, host: host.text, port: tls.port, serverName: host.kind === "name" ? host.text : null };
  const offers = withDeadline(deadlineClock, offersMs, [signal], async (deadline) => {
    const asked = { ...endpoint, signal: deadline };
    const [suites, keyExchanges] = await Promise.all([
      readWeakSuites(createAskOffer(asked, suiteConnectionsMax), tls.versions),
      readKeyExchanges(createAskOffer(asked, keyExchangeConnectionsMax), tls.versions),
    ]);
    return { host: tls.host, port: tls.port, weakSuites: suites, ...keyExchanges };
  });
  return offers.then(read<TlsOffersFacts>, failedBy);
}

const olderVersions = ["1.2", "1.1", "1.0"] as const satisfies readonly TlsVersion[];

/** Newest version up to 1.2 that the server may support. A hello with it also offers older versions. */
function newestOlderVersion(versions: TlsFacts["versions"]): TlsVersion | null {
  return olderVersions.find((version) => versions[version] !== "refused") ?? null;
}

type Offer = { accepted: string[]; others: "refused" | "unknown" | "not-asked" };
type Offers = Record<WeakSuiteKind, Offer>;

async function readWeakSuites(ask: AskOffer, versions: TlsFacts["versions"]): Promise<TlsOffersFacts["weakSuites"]> {
  const offers = Object.fromEntries(weakSuiteKinds.map((kind) => [kind, { accepted: [], others: "refused" }])) as unknown as Offers;
  const newest = newestOlderVersion(versions);
  if (newest === null) return offers;
  for (const kinds of kindsByHello) await askForSuites(ask, newest, kinds, offers);
  // Some servers keep old suites for old versions alone: RFC 4346 forbids export suites in TLS 1.1.
  const oldest = olderVersions.findLast((version) => versions[version] === "accepted") ?? newest;
  if (oldest === newest) return offers;
  const isRefused = (kind: WeakSuiteKind) => offers[kind].accepted.length === 0 && offers[kind].others === "refused";
  for (const kinds of kindsByHello) await askForSuites(ask, oldest, kinds.filter(isRefused), offers);
  return offers;
}

/** Offers all suites of the kinds. Repeats the hello without the kind, or without the suite, that was accepted. */
async function askForSuites(ask: AskOffer, version: TlsVersion, kinds: readonly WeakSuiteKind[], offers: Offers): Promise<void> {
  const isOfBrowsers = ({ name }: WeakSuite) => browserSuites.includes(name);
  // Suites of browsers last, because a server that follows the client's order then needs one hello less.
  let remaining = weakSuites.filter(({ kind }) => kinds.includes(kind)).sort((a, b) => Number(isOfBrowsers(a)) - Number(isOfBrowsers(b)));
  while (remaining.length > 0) {
    const reply = await ask(version, { suites: remaining.map(({ code }) => code), groups: offeredGroups });
    if (reply.answer !== "accepted") {
      for (const { kind } of remaining) offers[kind].others = reply.answer;
      return;
    }
    const chosen = remaining.find(({ code }) => code === reply.flight.suite);
    if (chosen === undefined) return;
    const offer = offers[chosen.kind];
    offer.accepted.push(chosen.name);
    const isEnough = !isOfBrowsers(chosen) || offer.accepted.length > 1;
    if (isEnough) offer.others = "not-asked";
    remaining = remaining.filter(({ code, kind }) => (isEnough ? kind !== chosen.kind : code !== chosen.code));
  }
}

type KeyExchanges = Pick<TlsOffersFacts, "dhe" | "weakCurves" | "hybrid">;

async function readKeyExchanges(ask: AskOffer, versions: TlsFacts["versions"]): Promise<KeyExchanges> {
  const newest = newestOlderVersion(versions);
  return {
    dhe: newest === null ? { answer: "refused", group: null } : await readDhe(ask, newest),
    weakCurves: newest === null ? { accepted: [], others: "refused" } : await readWeakCurves(ask, newest),
    hybrid: versions["1.3"] === "accepted" ? await readHybrid(ask) : { answer: versions["1.3"], group: null },
  };
}

/** The hello names no groups, so that the server sends the one of its configuration (RFC 7919 section 4). */
async function readDhe(ask: AskOffer, version: TlsVersion): Promise<TlsOffersFacts["dhe"]> {
  const reply = await ask(version, { suites: suitesWith("DHE-"), groups: [] });
  if (reply.answer !== "accepted") return { answer: reply.answer, group: null };
  const prime = reply.flight.keyExchange === null ? null : finiteFieldPrime(reply.flight.keyExchange);
  const group = prime === null ? null : { bits: bitLength(prime), primeSha256: createHash("sha256").update(prime).digest("hex") };
  return { answer: "accepted", group };
}

async function readWeakCurves(ask: AskOffer, version: TlsVersion): Promise<TlsOffersFacts["weakCurves"]> {
  const accepted: string[] = [];
  let groups = groupCodes(weakCurves);
  for (;;) {
    const reply = await ask(version, { suites: suitesWith("ECDHE-"), groups });
    if (reply.answer !== "accepted") return { accepted, others: reply.answer };
    const curve = reply.flight.keyExchange === null ? null : namedCurve(reply.flight.keyExchange);
    if (curve === null) return { accepted, others: "unknown" };
    const name = groupName(weakCurves, curve);
    // A server that ignores the groups of the hello uses its own curve, which is not a weak one.
    if (name === null || !groups.includes(curve)) return { accepted, others: "refused" };
    accepted.push(name);
    if (isShortCurve(name)) return { accepted, others: "not-asked" };
    groups = groups.filter((code) => isShortCurve(groupName(weakCurves, code) ?? ""));
  }
}

/** RFC 8446 section 4.2.8: a hello without key shares asks for the choice of a group. */
async function readHybrid(ask: AskOffer): Promise<TlsOffersFacts["hybrid"]> {
  const reply = await ask("1.3", { suites: suitesOfTls13, groups: groupCodes(hybridGroups) });
  if (reply.answer !== "accepted") return { answer: reply.answer, group: null };
  const group = reply.flight.group === null ? null : groupName(hybridGroups, reply.flight.group);
  return group === null ? { answer: "unknown", group } : { answer: "accepted", group };
}
