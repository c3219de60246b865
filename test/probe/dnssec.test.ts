/** What is made of resolvers that validate, that do not, and of several that differ; real ones are asked in the laboratory. */
import { createSocket } from "node:dgram";
import dnsPacket from "dns-packet";
import { expect, test } from "vitest";
import { probeDnssec } from "../../src/probe/dnssec.ts";
import { closedPort } from "../support/servers.ts";
import { contextOf, keep } from "./context.ts";

interface Resolver {
  readonly validates: boolean;
  readonly domain: "secure" | "insecure" | "bogus" | "broken";
}

const servfail = 2;

/** Answers for the root and for one domain as a resolver of that kind does. */
async function startResolver({ validates, domain }: Resolver): Promise<string> {
  const socket = createSocket("udp4");
  socket.on("message", (message, sender) => {
    const query = dnsPacket.decode(message);
    const isRoot = query.questions?.[0]?.name === ".";
    const isRefused = !isRoot && (domain === "broken" || (domain === "bogus" && validates && !query.flag_cd));
    const isProven = validates && (isRoot || domain === "secure");
    const flags = dnsPacket.RECURSION_AVAILABLE | (isRefused ? servfail : isProven ? dnsPacket.AUTHENTIC_DATA : 0);
    socket.send(dnsPacket.encode({ ...query, type: "response", flags, additionals: [] }), sender.port, sender.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", () => resolve()));
  keep({ stop: () => socket.close() });
  return `127.0.0.1:${socket.address().port}`;
}

async function probe(...resolvers: readonly (Resolver | "absent")[]) {
  const dnsServers = await Promise.all(
    resolvers.map(async (resolver) => (resolver === "absent" ? `127.0.0.1:${await closedPort()}` : startResolver(resolver))),
  );
  return probeDnssec({ ...contextOf("https://www.example.com/", {}), dnsServers });
}

const status = (told: string) => ({ status: "read", facts: { domain: "example.com", status: told } });

test.each(["secure", "insecure", "bogus"] as const)("%s, as a validating resolver tells", async (domain) => {
  expect(await probe({ validates: true, domain })).toEqual(status(domain));
});

test.each(["secure", "insecure", "bogus"] as const)("%s, but the resolver does not validate", async (domain) => {
  expect(await probe({ validates: false, domain })).toEqual({ status: "failed", because: "unsupported" });
});

test("a domain that cannot be resolved, with checking or without", async () => {
  expect(await probe({ validates: true, domain: "broken" })).toEqual({ status: "failed", because: "unresolved" });
});

test("the next resolver is asked when one cannot tell", async () => {
  expect(await probe("absent", { validates: false, domain: "secure" }, { validates: true, domain: "secure" })).toEqual(status("secure"));
});

test("a resolver that believes anything does not make a forged domain merely insecure", async () => {
  expect(await probe({ validates: true, domain: "bogus" }, { validates: false, domain: "bogus" })).toEqual(status("bogus"));
});

test("none that can tell", async () => {
  expect(await probe("absent", { validates: false, domain: "secure" })).toEqual({ status: "failed", because: "unsupported" });
});
