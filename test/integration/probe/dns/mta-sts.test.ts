/** MTA-STS record from a real resolver, and policy file from real HTTPS servers. */

import { connect } from "node:net";
import { expect, test } from "vitest";
import { openEgress } from "../../../../src/egress/dial.ts";
import type { TextRecords } from "../../../../src/evidence/dns-facts.ts";
import { failed, type Reading, read } from "../../../../src/evidence/evidence.ts";
import { mtaStsPolicyBytesMax } from "../../../../src/evidence/limits.ts";
import { probeMtaSts, probeMtaStsPolicy } from "../../../../src/probe/dns/mail.ts";
import { siteIdentity, testAuthority } from "../../../support/certificates.ts";
import { keep } from "../../../support/clean-up.ts";
import { startDnsServer, type Zones } from "../../../support/dns-server.ts";
import { textRecords } from "../../../support/evidence.ts";
import { portWithoutListener } from "../../../support/ports.ts";
import { contextOf } from "../../../support/probe-context.ts";
import { egressTo, type Route, startHttps, startTcp } from "../../../support/servers.ts";

const policyHost = "mta-sts.example.com";
const policyUrl = `https://${policyHost}/.well-known/mta-sts.txt`;
const body = "version: STSv1\r\nmode: enforce\r\nmx: mail.example.com\r\nmax_age: 604800\r\n";
const plainText = { "content-type": "text/plain; charset=utf-8" };
const record = read(textRecords("_mta-sts.example.com", "v=STSv1; id=1"));
const caPems = [testAuthority().root.pem];

test("the record", async () => {
  const dns = keep(await startDnsServer({ "_mta-sts.example.com": { TXT: ["v=STSv1; id=1"] } }));
  expect(await probeMtaSts({ ...contextOf("https://www.example.com/", {}), dnsServers: [dns.address] })).toEqual(record);
});

interface Given {
  readonly identity?: Parameters<typeof siteIdentity>;
  readonly records?: Reading<TextRecords>;
}

async function policyFrom(route: Route, { identity = [policyHost], records = record }: Given = {}) {
  const server = keep(await startHttps(siteIdentity(...identity), { "/.well-known/mta-sts.txt": route }));
  const context = contextOf("https://www.example.com/", { [`${policyHost}:443`]: server });
  const reading = await probeMtaStsPolicy({ ...context, dnsServers: [], caPems, record: records });
  return { reading, requests: server.requests };
}

test("the policy, as it is served", async () => {
  const { reading } = await policyFrom({ headers: plainText, body });
  const facts = { url: policyUrl, unavailableBecause: null, status: 200, contentType: "text/plain; charset=utf-8", body, truncated: false };
  expect(reading).toEqual({ status: "read", facts });
});

test("redirects are recorded and not followed", async () => {
  const { reading, requests } = await policyFrom({ status: 301, headers: { location: policyUrl }, body });
  expect(reading).toMatchObject({ facts: { status: 301, body: "", unavailableBecause: null } });
  expect(requests).toHaveLength(1);
});

test("other answers are recorded without their body", async () => {
  expect((await policyFrom({ status: 404, body: "no" })).reading).toMatchObject({ facts: { status: 404, body: "" } });
});

test("a challenge of a bot defence is not a missing policy", async () => {
  const { reading } = await policyFrom({ status: 403, headers: { "cf-mitigated": "challenge" }, body: "<title>Just a moment...</title>" });
  expect(reading).toEqual(failed("challenged"));
});

test("a compressed policy is not read", async () => {
  const { reading } = await policyFrom({ headers: { ...plainText, "content-encoding": "br" }, body: "\x0b\x02\x80" });
  expect(reading).toEqual(failed("invalid"));
});

test("a long policy is truncated", async () => {
  const { reading } = await policyFrom({ headers: plainText, body: "x".repeat(mtaStsPolicyBytesMax + 1) });
  expect(reading).toMatchObject({ facts: { truncated: true, body: "x".repeat(mtaStsPolicyBytesMax) } });
});

test.each([
  ["expired", [policyHost, { flaw: "expired" }]],
  ["not yet valid", [policyHost, { flaw: "not-yet-valid" }]],
  ["self-signed", [policyHost, { flaw: "self-signed" }]],
  ["from an untrusted authority", [policyHost, { flaw: "unknown-root" }]],
  ["incomplete", [policyHost, { flaw: "missing-intermediate" }]],
  ["for the domain only", ["example.com"]],
  ["for a wildcard of the wrong level", ["*.com"]],
  // RFC 8461 section 3.3 requires a subjectAltName; the common name does not count.
  ["for a common name only", [policyHost, { flaw: "no-names" }]],
] satisfies [string, Parameters<typeof siteIdentity>][])("a certificate that is %s", async (_words, identity) => {
  const { reading } = await policyFrom({ headers: plainText, body }, { identity: identity as Parameters<typeof siteIdentity> });
  expect(reading).toMatchObject({ status: "read", facts: { unavailableBecause: "certificate-not-accepted", status: 0, body: "" } });
});

test("a wildcard certificate is accepted", async () => {
  const { reading } = await policyFrom({ headers: plainText, body }, { identity: ["*.example.com"] });
  expect(reading).toMatchObject({ facts: { status: 200 } });
});

test.each<[string, Reading<TextRecords>]>([
  ["without a record", read(textRecords("_mta-sts.example.com"))],
  ["with another TXT record", read(textRecords("_mta-sts.example.com", "v=spf1 -all"))],
  ["after a failed query of the record", failed("timeout")],
])("not asked for when %s", async (_words, records) => {
  const { reading, requests } = await policyFrom({ headers: plainText, body }, { records });
  expect(reading).toEqual({ status: "failed", because: "not-asked" });
  expect(requests).toEqual([]);
});

async function policyVia(places: Readonly<Record<string, { readonly port: number }>>, deadlineMs?: number) {
  return probeMtaStsPolicy({ ...contextOf("https://example.com/", places, deadlineMs), dnsServers: [], caPems, record });
}

test("a host that refuses connections is a fault of the site", async () => {
  expect(await policyVia({ [`${policyHost}:443`]: { port: portWithoutListener() } })).toMatchObject({
    facts: { url: policyUrl, unavailableBecause: "refused", status: 0 },
  });
});

test("a silent host is not a fault of the site", async () => {
  const silent = keep(await startTcp(() => {}));
  expect(await policyVia({ [`${policyHost}:443`]: silent }, 300)).toEqual({ status: "failed", because: "timeout" });
});

test("a server without TLS or with a broken connection is not a fault of the site", async () => {
  const plain = keep(await startTcp((socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")));
  expect(await policyVia({ [`${policyHost}:443`]: plain })).toEqual({ status: "failed", because: "tls" });
  const rude = keep(await startTcp((socket) => void socket.destroy()));
  expect(await policyVia({ [`${policyHost}:443`]: rude })).toMatchObject({ status: "failed" });
});

test("a broken handshake is not a fault of the certificate", async () => {
  const good = keep(await startHttps(siteIdentity(policyHost), { "/.well-known/mta-sts.txt": { headers: plainText, body } }));
  let connections = 0;
  const flaky = keep(
    await startTcp((socket) => {
      connections++;
      if (connections === 1) socket.once("data", () => socket.destroy());
      else socket.pipe(connect(good.port, "127.0.0.1")).pipe(socket);
    }),
  );
  expect(await policyVia({ [`${policyHost}:443`]: flaky })).toEqual({ status: "failed", because: "tls" });
});

async function policyByDns(zones: Zones) {
  const dns = keep(await startDnsServer(zones));
  const egress = openEgress(egressTo({}, { dnsServers: [dns.address] }));
  keep({ stop: () => egress.close() });
  return probeMtaStsPolicy({ ...contextOf("https://example.com/", {}), egress, dnsServers: [dns.address], caPems, record });
}

test.each<[string, Zones]>([
  ["does not exist", { "example.com": { A: ["192.0.2.1"] } }],
  ["has no address", { [policyHost]: { TXT: ["hello"] } }],
  ["is an alias of nothing", { [policyHost]: { CNAME: ["gone.example.net"] } }],
])("a host that %s", async (_words, zones) => {
  expect(await policyByDns(zones)).toMatchObject({ status: "read", facts: { unavailableBecause: "no-host", status: 0 } });
});

test("a host that the resolver fails to resolve", async () => {
  expect(await policyByDns({ [policyHost]: { A: "SERVFAIL", AAAA: "SERVFAIL" } })).toEqual({ status: "failed", because: "unresolved" });
});

test("a host at a blocked address", async () => {
  expect(await policyByDns({ [policyHost]: { A: ["10.0.0.1"] } })).toEqual({ status: "failed", because: "blocked" });
});
