/** TLSA records of mail hosts, from resolvers that validate and others. The laboratory uses real ones. */

import { expect, test } from "vitest";
import type { MailMxFacts } from "../../../../src/evidence/dns-facts.ts";
import { failed, type Reading, read } from "../../../../src/evidence/evidence.ts";
import { daneHostsMax, dnsRecordsMax, tlsaDataCharsMax } from "../../../../src/evidence/limits.ts";
import { probeMailDane } from "../../../../src/probe/dns/mail.ts";
import { keep } from "../../../support/clean-up.ts";
import { startDnsServer, type Zones } from "../../../support/dns-server.ts";
import { portWithoutListener } from "../../../support/ports.ts";
import { contextOf } from "../../../support/probe-context.ts";

const host = "mail.example.com";
const tlsaName = `_25._tcp.${host}`;
const digest = Buffer.alloc(32, 0xab);
const tlsa = { usage: 3, selector: 1, matchingType: 1, certificate: digest };
const record = { usage: 3, selector: 1, matchingType: 1, data: "ab".repeat(32), dataBytes: 32 };
const soa = { mname: "a.", rname: "b.", serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 };
/** A validating resolver sets AD on the root. */
const root: Zones = { ".": { SOA: { authentic: [soa] } } };
const signedHost: Zones = { [host]: { A: { authentic: ["192.0.2.1"] } } };

function mxOf(...hosts: readonly string[]): Reading<MailMxFacts> {
  const exchangers = hosts.map((name) => ({ preference: 10, host: name }));
  return read({ domain: "example.com", nameExists: true, exchangers, exchangersDropped: 0 });
}

async function probe(zones: readonly Zones[], mailMx = mxOf(host)) {
  const servers = await Promise.all(zones.map(async (zone) => keep(await startDnsServer(zone))));
  const dnsServers = servers.map(({ address }) => address);
  const reading = await probeMailDane({ ...contextOf("https://example.com/", {}), dnsServers, mailMx });
  return { reading, queries: servers.flatMap(({ queries }) => queries.map(({ question }) => question)) };
}

/** Facts of the only host. */
async function onlyHost(...zones: readonly Zones[]) {
  const { reading } = await probe([Object.assign({}, root, ...zones)]);
  return reading.status === "read" ? reading.facts.hosts[0]?.answer : reading;
}

test("the records of a signed host", async () => {
  const answer = await onlyHost(signedHost, { [tlsaName]: { TLSA: { authentic: [tlsa] } } });
  expect(answer).toEqual(read({ zone: "signed", name: tlsaName, authentic: true, records: [record], recordsDropped: 0 }));
});

test("a signed host without records", async () => {
  expect(await onlyHost(signedHost)).toMatchObject(read({ zone: "signed", name: tlsaName, records: [] }));
});

test("records without a proof are marked", async () => {
  const answer = await onlyHost(signedHost, { [tlsaName]: { TLSA: [tlsa] } });
  expect(answer).toMatchObject(read({ zone: "signed", authentic: false, records: [record] }));
});

test("a host with IPv6 only", async () => {
  const answer = await onlyHost({ [host]: { AAAA: { authentic: ["2001:db8::1"] } }, [tlsaName]: { TLSA: { authentic: [tlsa] } } });
  expect(answer).toMatchObject(read({ zone: "signed", records: [record] }));
});

test("an unsigned host is not asked for records", async () => {
  const { reading, queries } = await probe([{ ...root, [host]: { A: ["192.0.2.1"] }, [tlsaName]: { TLSA: [tlsa] } }]);
  expect(reading).toMatchObject(read({ hosts: [{ host, answer: read({ zone: "unsigned", name: null }) }] }));
  expect(queries.filter((question) => question.startsWith("TLSA"))).toEqual([]);
});

test("a host without addresses", async () => {
  expect(await onlyHost({})).toMatchObject(read({ zone: "no-address" }));
});

test("an alias: the name at its end comes first", async () => {
  const alias: Zones = { [host]: { CNAME: ["mx.example.net"] }, "mx.example.net": { A: { authentic: ["192.0.2.1"] } } };
  const atTarget = await onlyHost(alias, { "_25._tcp.mx.example.net": { TLSA: { authentic: [tlsa] } } });
  expect(atTarget).toMatchObject(read({ name: "_25._tcp.mx.example.net", records: [record] }));
  const atAlias = await onlyHost(alias, { [tlsaName]: { TLSA: { authentic: [tlsa] } } });
  expect(atAlias).toMatchObject(read({ name: tlsaName, records: [record] }));
});

test("records behind an alias of their own", async () => {
  const answer = await onlyHost(signedHost, {
    [tlsaName]: { CNAME: ["dane.example.com"] },
    "dane.example.com": { TLSA: { authentic: [tlsa] } },
  });
  expect(answer).toMatchObject(read({ name: tlsaName, records: [record] }));
});

test("each host fails alone", async () => {
  const zones: Zones = {
    ...root,
    ...signedHost,
    [tlsaName]: { TLSA: { authentic: [tlsa] } },
    "backup.example.com": { A: "SERVFAIL" },
    "third.example.com": { A: { authentic: ["192.0.2.3"] } },
    "_25._tcp.third.example.com": { TLSA: "SERVFAIL" },
  };
  const { reading } = await probe([zones], mxOf(host, "backup.example.com", "third.example.com", `${"a".repeat(64)}.example.com`));
  const answers = reading.status === "read" ? reading.facts.hosts.map(({ answer }) => answer) : [];
  expect(answers[0]).toMatchObject(read({ records: [record] }));
  expect(answers.slice(1)).toEqual([failed("unresolved"), failed("unresolved"), failed("invalid")]);
});

test("data and records are bounded, and sorted", async () => {
  const long = { ...tlsa, usage: 2, matchingType: 0, certificate: Buffer.alloc(200, 1) };
  const many = Array.from({ length: dnsRecordsMax }, (_, at) => ({ ...tlsa, certificate: Buffer.alloc(32, at) }));
  const answer = await onlyHost(signedHost, { [tlsaName]: { TLSA: { authentic: [...many, long] } } });
  if (answer?.status !== "read" || !("records" in answer.facts)) throw new Error("not read");
  expect(answer.facts.records[0]).toMatchObject({ usage: 2, data: "01".repeat(tlsaDataCharsMax / 2), dataBytes: 200 });
  expect(answer.facts.records.slice(1).map(({ data }) => data)).toEqual(
    many.slice(0, -1).map(({ certificate }) => certificate.toString("hex")),
  );
  expect(answer.facts).toMatchObject({ records: { length: dnsRecordsMax }, recordsDropped: 1 });
});

test("more mail hosts than the limit", async () => {
  const hosts = Array.from({ length: daneHostsMax + 2 }, (_, at) => `mx${at}.example.com`);
  const { reading } = await probe([root], mxOf(...hosts));
  expect(reading).toMatchObject(read({ hosts: { length: daneHostsMax }, hostsDropped: 2 }));
});

test("the first resolver that validates is asked", async () => {
  const forged: Zones = { ".": { SOA: [soa] }, [host]: { A: ["192.0.2.9"] } };
  const { reading } = await probe([forged, { ...root, ...signedHost }]);
  expect(reading).toMatchObject(read({ hosts: [{ answer: read({ zone: "signed" }) }] }));
});

test.each([
  ["no validation", { ".": { SOA: [soa] } }, "unsupported"],
  ["AD on everything", { ...root, "home.arpa": { SOA: { authentic: [soa] } } }, "unsupported"],
  ["no answer at all", { ".": { SOA: "silent" } }, "timeout"],
] as const satisfies readonly (readonly [string, Zones, string])[])("a resolver with %s", async (_words, zones, because) => {
  expect((await probe([{ ...zones, ...signedHost }])).reading).toEqual(failed(because));
});

test("no resolver that listens", async () => {
  const dnsServers = [`127.0.0.1:${portWithoutListener()}`];
  const reading = await probeMailDane({ ...contextOf("https://example.com/", {}), dnsServers, mailMx: mxOf(host) });
  expect(reading).toEqual(failed("unreachable"));
});

test("nothing is asked without a mail host", async () => {
  for (const mailMx of [mxOf(), mxOf(""), failed("timeout")]) {
    const { reading, queries } = await probe([root], mailMx);
    expect({ reading, queries }).toEqual({ reading: failed("not-asked"), queries: [] });
  }
});
