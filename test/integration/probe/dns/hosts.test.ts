/** IPv6 addresses of the host, and name servers of its domain. */
import { expect, test } from "vitest";
import { failed, read } from "../../../../src/evidence/evidence.ts";
import { hostAddressesMax, nameServersMax } from "../../../../src/evidence/limits.ts";
import { probeDnsIpv6, probeNameServers } from "../../../../src/probe/dns/dns.ts";
import { keep } from "../../../support/clean-up.ts";
import { startDnsServer, type Zones } from "../../../support/dns-server.ts";
import { contextOf } from "../../../support/probe-context.ts";

async function contextFor(zones: Zones, url = "https://www.example.com/") {
  const dns = keep(await startDnsServer(zones));
  return { ...contextOf(url, {}), dnsServers: [dns.address] };
}

const ipv6 = async (zones: Zones, url?: string) => probeDnsIpv6(await contextFor(zones, url));
const nameServers = async (zones: Zones, url?: string) => probeNameServers(await contextFor(zones, url));

test("the addresses of the scanned host, sorted", async () => {
  const zones = { "www.example.com": { AAAA: ["2001:db8::2", "2001:db8::1"], A: ["192.0.2.1"] } };
  expect(await ipv6(zones)).toEqual(read({ host: "www.example.com", nameExists: true, addresses: ["2001:db8::1", "2001:db8::2"] }));
});

test("addresses behind an alias", async () => {
  const zones = { "www.example.com": { CNAME: ["host.example.net"] }, "host.example.net": { AAAA: ["2001:db8::1"] } };
  expect(await ipv6(zones)).toMatchObject(read({ addresses: ["2001:db8::1"] }));
});

test("a host without IPv6, and a name that does not exist", async () => {
  expect(await ipv6({ "www.example.com": { A: ["192.0.2.1"] } })).toMatchObject(read({ nameExists: true, addresses: [] }));
  expect(await ipv6({})).toMatchObject(read({ nameExists: false, addresses: [] }));
});

test("more addresses than the limit", async () => {
  const addresses = Array.from({ length: hostAddressesMax + 1 }, (_, at) => `2001:db8::${at + 1}`);
  expect(await ipv6({ "www.example.com": { AAAA: addresses } })).toMatchObject(read({ addresses: { length: hostAddressesMax } }));
});

test("failures, and names outside the public DNS", async () => {
  expect(await ipv6({ "www.example.com": { AAAA: "SERVFAIL" } })).toEqual(failed("unresolved"));
  expect(await nameServers({ "example.com": { NS: "SERVFAIL" } })).toEqual(failed("unresolved"));
  for (const url of ["https://192.0.2.1/", "https://site.test/"]) {
    expect(await ipv6({}, url)).toEqual(failed("not-asked"));
    expect(await nameServers({}, url)).toEqual(failed("not-asked"));
  }
});

test("the name servers of the domain with their addresses; each question fails alone", async () => {
  const zones: Zones = {
    "example.com": { NS: ["NS2.example.net", "ns1.example.net."] },
    "ns1.example.net": { A: ["192.0.2.1"], AAAA: ["2001:db8::1"] },
    "ns2.example.net": { A: ["192.0.2.2"], AAAA: "SERVFAIL" },
  };
  expect(await nameServers(zones)).toEqual(
    read({
      zone: "example.com",
      servers: [
        { host: "ns1.example.net", ipv4: read(["192.0.2.1"]), ipv6: read(["2001:db8::1"]) },
        { host: "ns2.example.net", ipv4: read(["192.0.2.2"]), ipv6: failed("unresolved") },
      ],
      serversDropped: 0,
    }),
  );
});

test("a domain below a private suffix has the name servers of its provider", async () => {
  const zones = { "shop.github.io": { A: ["192.0.2.1"] }, "github.io": { NS: ["ns1.example.net"] }, io: { NS: ["registry.example.net"] } };
  expect(await nameServers(zones, "https://shop.github.io/")).toMatchObject(
    read({ zone: "github.io", servers: [{ host: "ns1.example.net" }] }),
  );
});

test("the name servers of the registry do not count", async () => {
  const zones = { "example.com": {}, com: { NS: ["registry.example.net"] } };
  expect(await nameServers(zones)).toEqual(read({ zone: null, servers: [], serversDropped: 0 }));
});

test("the name servers of an alias's target do not count", async () => {
  const zones = { "example.com": { CNAME: ["other.example.net"] }, "other.example.net": { NS: ["ns1.example.net"] } };
  expect(await nameServers(zones)).toMatchObject(read({ zone: null }));
});

test("more name servers than the limit", async () => {
  const hosts = Array.from({ length: nameServersMax + 2 }, (_, at) => `ns${at}.example.net`);
  expect(await nameServers({ "example.com": { NS: hosts } })).toMatchObject(
    read({ servers: { length: nameServersMax }, serversDropped: 2 }),
  );
});
