/** Laboratory cases for suites and groups that a server accepts beside those that it negotiates. */
import type { State } from "../../src/check/check.ts";
import { siteIdentity } from "../support/certificates.ts";
import {
  alert,
  dheKeyExchange,
  ecdheKeyExchange,
  flight,
  type HelloReply,
  helloRetryRequest,
  oakleyPrimes,
  type ReceivedHello,
  startHelloServer,
} from "../support/hello-server.ts";
import type { LabCase } from "./laboratory.ts";
import { startGroup } from "./server-group.ts";
import { notChecked, passed, violated } from "./states.ts";
import { labHost, type RunningServer, startPage, tlsSite } from "./tls-site.ts";

const rsa = () => siteIdentity(labHost, { key: "rsa-2048" });
const modern = { ciphers: "ECDHE-RSA-AES128-GCM-SHA256" };

const tls12 = 0x0303;
const tls13 = 0x0304;
const ecdheWithGcm = 0xc02f;
const dheWithGcm = 0x009e;
const binaryCurve = 0x000e;
const shortCurve = 0x0013;
/** Curves up to this number are short or binary. */
const weakCurveMax = shortCurve;
const hybridGroup = 0x11ec;
/** Alert of RFC 8446 section 6.2. */
const handshakeFailure = 40;

/** A sound page behind a server that answers some hellos itself. */
async function pageBehind(reply: HelloReply): Promise<RunningServer> {
  return startGroup(async (track) => {
    const page = track(await startPage(rsa(), modern));
    return { port: track(await startHelloServer(reply, page.port)).port };
  });
}

function isAboutDhe({ version, suites }: ReceivedHello): boolean {
  return version === tls12 && suites.includes(dheWithGcm) && !suites.includes(ecdheWithGcm);
}

function isAboutCurves({ version, suites, groups }: ReceivedHello): boolean {
  return version === tls12 && suites.includes(ecdheWithGcm) && groups.every((group) => group <= weakCurveMax);
}

function isAboutWeakSuites({ version, suites }: ReceivedHello): boolean {
  return version === tls12 && !suites.includes(ecdheWithGcm) && !suites.includes(dheWithGcm);
}

/** One of each kind: NULL, anonymous, export, RC4, 3DES, static, CBC. */
const weakOfEachKind = [0x0002, 0x0034, 0x0003, 0x0005, 0x000a, 0x003c, 0xc027];

const answeringEverything: HelloReply = (hello) => {
  if (isAboutHybrids(hello)) return helloRetryRequest(hybridGroup);
  if (isAboutDhe(hello)) return flight(dheWithGcm, { keyExchange: dheKeyExchange(oakleyPrimes.group1) });
  if (isAboutCurves(hello)) {
    return flight(ecdheWithGcm, { keyExchange: ecdheKeyExchange(hello.groups.includes(binaryCurve) ? binaryCurve : shortCurve) });
  }
  const suite = isAboutWeakSuites(hello) ? weakOfEachKind.find((code) => hello.suites.includes(code)) : undefined;
  return suite === undefined ? null : flight(suite);
};

function answeringDhe(prime: Buffer): HelloReply {
  return (hello) => (isAboutDhe(hello) ? flight(dheWithGcm, { keyExchange: dheKeyExchange(prime) }) : null);
}

const resettingOffers: HelloReply = (hello) => (isAboutDhe(hello) || isAboutCurves(hello) || isAboutWeakSuites(hello) ? "reset" : null);

function offerCase(
  name: string,
  weakCiphers: State,
  keyExchange: State,
  codes: readonly string[],
  serve: () => Promise<RunningServer>,
): LabCase {
  const expected = { "tls-weak-ciphers": weakCiphers, "tls-key-exchange": keyExchange };
  return { name, expected, codes: codes.map((code) => `security.tls.${code}`), serve: async () => tlsSite(await serve()) };
}

const everyWeakness = [
  "cipher-null-offered",
  "cipher-anonymous-offered",
  "cipher-export-offered",
  "cipher-rc4-offered",
  "cipher-small-block-offered",
  "cipher-static-key-offered",
  "cipher-cbc-offered",
  "dh-group-broken",
  "curve-short",
  "curve-binary",
  "forward-secrecy-optional",
];

/** A group of 1024 bits that no other server uses. Scans do not test whether it is a prime. */
const ownPrime = Buffer.alloc(128, 0xa5);

const isAboutHybrids = ({ version, groups }: ReceivedHello) => version === tls13 && groups[0] === hybridGroup;

const hybridCases: readonly LabCase[] = [
  {
    name: "X25519MLKEM768",
    expected: passed("tls-post-quantum"),
    serve: async () => tlsSite(await startPage(rsa(), modern)),
  },
  {
    name: "a hello with hybrid groups alone is refused",
    expected: violated("tls-post-quantum"),
    codes: ["security.tls.post-quantum-missing"],
    serve: async () => tlsSite(await pageBehind((hello) => (isAboutHybrids(hello) ? alert(handshakeFailure) : null))),
  },
  {
    name: "hellos with hybrid groups alone are reset",
    expected: notChecked("tls-post-quantum"),
    serve: async () => tlsSite(await pageBehind((hello) => (isAboutHybrids(hello) ? "reset" : null))),
  },
];

export const tlsOfferCases: readonly LabCase[] = [
  offerCase("modern suites alone", "passed", "passed", [], () => startPage(rsa(), modern)),
  offerCase("everything weak is accepted beside a modern suite", "violated", "violated", everyWeakness, () =>
    pageBehind(answeringEverything),
  ),
  offerCase("DHE with Oakley group 2", "passed", "violated", ["dh-prime-known-weak"], () => pageBehind(answeringDhe(oakleyPrimes.group2))),
  offerCase("DHE with an own group of 1024 bits", "passed", "violated", ["dh-group-short"], () => pageBehind(answeringDhe(ownPrime))),
  offerCase("CBC alone, which the browser negotiates", "violated", "passed", ["cipher-weak-negotiated-only"], () =>
    startPage(rsa(), { minVersion: "TLSv1.2", maxVersion: "TLSv1.2", ciphers: "ECDHE-RSA-AES128-SHA" }),
  ),
  offerCase("connections without a modern suite are reset", "notChecked", "notChecked", [], () => pageBehind(resettingOffers)),
  ...hybridCases,
];
