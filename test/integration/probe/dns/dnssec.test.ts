/** DNSSEC status with validating, non-validating and differing resolvers. The laboratory tests real ones. */

import { createSocket } from "node:dgram";
import dnsPacket, { type Answer, type DecodedPacket, type Packet } from "dns-packet";
import { beforeAll, describe, expect, test } from "vitest";
import { probeDnssec } from "../../../../src/probe/dns/dnssec.ts";
import { keep } from "../../../support/clean-up.ts";
import { portWithoutListener } from "../../../support/ports.ts";
import { contextOf } from "../../../support/probe-context.ts";

interface Resolver {
  readonly validates: boolean;
  /** `flaky`: SERVFAIL once, then secure. `remembered`: SERVFAIL cached for the same question. `gone`: no such domain. `refused`: by policy. */
  readonly domain: "secure" | "insecure" | "bogus" | "broken" | "flaky" | "remembered" | "gone" | "refused";
  /** Sets AD on every answer. */
  readonly blind?: boolean;
  /** The domain's name is an alias of an unsigned one. */
  readonly alias?: boolean;
  /** Records that it returns with validation disabled. */
  readonly records?: readonly Answer[];
  /** Questions without an answer. */
  readonly silentOn?: "checked" | "unchecked" | "root" | "home.arpa";
}

const [servfail, nxdomain, refused] = [2, 3, 5];

/** A resolver of the given kind: answers for the root, for one domain and for the unsigned control name. */
async function startResolver(resolver: Resolver): Promise<string> {
  const socket = createSocket("udp4");
  let asked = 0;
  socket.on("message", (message, sender) => {
    const query = dnsPacket.decode(message);
    const name = query.questions?.[0]?.name.toLowerCase() ?? "";
    const kind = name === "." ? "root" : name === "home.arpa" ? name : query.flag_cd ? "unchecked" : "checked";
    if (kind === resolver.silentOn) return;
    if (kind === "checked") asked++;
    const answer = { ...query, type: "response", additionals: [], ...answerOf(resolver, query, kind, asked) } as Packet;
    socket.send(dnsPacket.encode(answer), sender.port, sender.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", () => resolve()));
  keep({ stop: () => socket.close() });
  return `127.0.0.1:${socket.address().port}`;
}

function answerOf(
  { validates, domain, blind = false, alias = false, records = [] }: Resolver,
  { questions = [] }: DecodedPacket,
  kind: string,
  asked: number,
): Packet {
  const ad = (proven: boolean) => dnsPacket.RECURSION_AVAILABLE | ((validates && proven) || blind ? dnsPacket.AUTHENTIC_DATA : 0);
  if (kind === "root") return { flags: ad(true) };
  if (kind === "home.arpa") return { flags: ad(false) };
  const isForged = domain === "bogus" || (domain === "flaky" && asked === 1) || (domain === "remembered" && questions[0]?.type === "SOA");
  const isRefused = domain === "broken" || (kind === "checked" && validates && isForged);
  if (isRefused) return { flags: ad(false) | servfail };
  if (domain === "gone") return { flags: ad(true) | nxdomain };
  if (domain === "refused") return { flags: ad(false) | refused };
  const [question] = questions;
  if (alias && question?.type !== "CNAME") {
    return {
      flags: ad(false),
      answers: [{ type: "CNAME", class: "IN", name: question?.name ?? "", data: "elsewhere.example.net", ttl: 0 }],
    };
  }
  const answers = records.filter(
    (record) => record.type === question?.type || (record.type === "RRSIG" && record.data.typeCovered === question?.type),
  );
  return { flags: ad(domain === "secure" || domain === "flaky" || domain === "remembered"), answers };
}

const common = { class: "IN", name: "example.com", ttl: 0 } as const;

function signature(typeCovered: string, expiration: number): Answer {
  const times = { originalTTL: 0, expiration, inception: 1 };
  const data = { typeCovered, algorithm: 13, labels: 2, ...times, keyTag: 60_485, signersName: "example.com", signature: Buffer.alloc(64) };
  return { ...common, type: "RRSIG", data };
}

async function probe(...resolvers: readonly (Resolver | "absent")[]) {
  const dnsServers = await Promise.all(
    resolvers.map(async (resolver) => (resolver === "absent" ? `127.0.0.1:${portWithoutListener()}` : startResolver(resolver))),
  );
  return probeDnssec({ ...contextOf("https://www.example.com/", {}, 9_000), dnsServers });
}

const nothingSigned = { dsKeyTags: [], zoneKeyTags: [], signatures: [] };
const status = (expected: string, unchecked: unknown = expected === "bogus" ? nothingSigned : null) => ({
  status: "read",
  facts: { domain: "example.com", status: expected, unchecked },
});
const failed = (because: string) => ({ status: "failed", because });

test.each(["secure", "insecure", "bogus"] as const)("%s according to a validating resolver", async (domain) => {
  expect(await probe({ validates: true, domain })).toEqual(status(domain));
});

test.each(["secure", "insecure", "bogus"] as const)("%s, but the resolver does not validate", async (domain) => {
  expect(await probe({ validates: false, domain })).toEqual(failed("unsupported"));
});

test("a domain that cannot be resolved, with or without validation", async () => {
  expect(await probe({ validates: true, domain: "broken" })).toEqual(failed("unresolved"));
});

test("a domain that does not exist: the proof concerns the parent zone", async () => {
  expect(await probe({ validates: true, domain: "gone" })).toEqual(failed("unresolved"));
});

test("a resolver that refuses to answer", async () => {
  expect(await probe({ validates: true, domain: "refused" })).toEqual(failed("unresolved"));
});

test("a temporary SERVFAIL is not bogus", async () => {
  expect(await probe({ validates: true, domain: "flaky" })).toEqual(status("secure"));
});

test("a cached SERVFAIL is not bogus", async () => {
  expect(await probe({ validates: true, domain: "remembered" })).toEqual(status("secure"));
});

describe("silence", () => {
  const cases = {
    "is not bogus, even if the domain resolves without validation": [{ silentOn: "checked" }, failed("timeout")],
    "on unchecked questions: a SERVFAIL that cannot be confirmed is not bogus": [{ silentOn: "unchecked" }, failed("timeout")],
    "on the root: a SERVFAIL that cannot be confirmed is not bogus": [{ silentOn: "root" }, failed("timeout")],
    "on the unsigned control name: the resolver is trusted": [{ silentOn: "home.arpa", domain: "secure" }, status("secure")],
  } as const;
  const outcomes = new Map<string, unknown>();
  // All at once, because each waits for seconds.
  beforeAll(async () => {
    const probing = Object.entries(cases).map(async ([words, [given]]) =>
      outcomes.set(words, await probe({ validates: true, domain: "bogus", ...given })),
    );
    await Promise.all(probing);
  });

  test.each(Object.entries(cases))("%s", (words, [, expected]) => {
    expect(outcomes.get(words)).toEqual(expected);
  });
});

test("the records that explain a bogus status are read with validation disabled", async () => {
  const key = Buffer.from(
    "AQOeiiR0GOMYkDshWoSKz9XzfwJr1AYtsmx3TGkJaNXVbfi/2pHm822aJ5iI9BMzNXxeYCmZDRD99WYwYqUSdjMmmAphXdvxegXd/M5+X7OrzKBaMbCVdFLUUh6DhweJBjEVv5f2wwjM9XzcnOf+EPbtG9DMBmADjFDc2w/rljwvFw==",
    "base64",
  );
  const records: readonly Answer[] = [
    { ...common, type: "DS", data: { keyTag: 60_485, algorithm: 5, digestType: 1, digest: Buffer.alloc(20) } },
    { ...common, type: "DS", data: { keyTag: 4_711, algorithm: 5, digestType: 2, digest: Buffer.alloc(32) } },
    { ...common, type: "DNSKEY", data: { flags: 256, algorithm: 5, key } },
    signature("DNSKEY", 1_800_000_000),
    signature("SOA", 1_700_000_000),
    signature("A", 1),
  ];
  expect(await probe({ validates: true, domain: "bogus", records })).toEqual(
    status("bogus", {
      dsKeyTags: [4_711, 60_485],
      // Key and tag of RFC 4034 section 5.4.
      zoneKeyTags: [60_485],
      signatures: [
        { covers: "SOA", validTo: "2023-11-14T22:13:20.000Z" },
        { covers: "DNSKEY", validTo: "2027-01-15T08:00:00.000Z" },
      ],
    }),
  );
});

test("a resolver that sets AD on every answer", async () => {
  expect(await probe({ validates: false, domain: "insecure", blind: true })).toEqual(failed("unsupported"));
});

test.each(["secure", "insecure"] as const)("%s, and an alias of an unsigned domain", async (domain) => {
  expect(await probe({ validates: true, domain, alias: true })).toEqual(status(domain));
});

test("the next resolver is asked if one is inconclusive", async () => {
  expect(await probe("absent", { validates: false, domain: "secure" }, { validates: true, domain: "secure" })).toEqual(status("secure"));
});

test("a non-validating resolver does not turn a bogus domain into an insecure one", async () => {
  expect(await probe({ validates: true, domain: "bogus" }, { validates: false, domain: "bogus" })).toEqual(status("bogus"));
});

test("no conclusive resolver", async () => {
  expect(await probe("absent", { validates: false, domain: "secure" })).toEqual(failed("unsupported"));
});
