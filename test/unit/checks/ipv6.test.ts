/** IPv6 addresses of the host and of the name servers. */
import check from "../../../checks/ipv6.ts";
import { failed } from "../../../src/evidence/evidence.ts";
import { testCheck } from "../../support/check-tester.ts";
import { nameServer } from "../../support/evidence.ts";

const four = nameServer("ns1.site.example", "192.0.2.1");
const six = nameServer("ns2.site.example", "192.0.2.2", "2001:db8::2");
const unread = { ...nameServer("ns3.site.example", "192.0.2.3"), ipv6: failed("timeout") };

function servers(...all: readonly (typeof four)[]) {
  return { dnsNameServers: { servers: all } };
}

testCheck(check, {
  passed: [
    ["host and a name server", servers(four, six)],
    ["a name server could not be read", servers(six, unread)],
    ["a routed address beside another", { dnsIpv6: { addresses: ["fe80::1", "2001:db8::1"] } }],
  ],
  notApplicable: [["an address", { url: "https://192.0.2.1/", registrableDomain: null }]],
  notChecked: [
    ["a name outside the DNS", { dnsIpv6: { nameExists: false, addresses: [] } }],
    ["name servers that could not be read", { dnsNameServers: "timeout" }],
    ["a name server that could not be read", servers(four, unread)],
    ["no name server found", { dnsNameServers: { zone: null, servers: [] } }],
    ["more name servers than are asked for", { dnsNameServers: { servers: [four], serversDropped: 1 } }],
  ],
  violated: {
    "security.dns.ipv6-host-missing": [
      ["no address", { dnsIpv6: { addresses: [] } }],
      ["no routed address", { dnsIpv6: { addresses: ["::1", "fe80::1", "fd00::1", "::ffff:192.0.2.1", "::", "ff02::1"] } }],
      ["an address that the resolver made up for NAT64", { dnsIpv6: { addresses: ["64:ff9b::c000:201"] } }],
      ["name servers that could not be read", { dnsIpv6: { addresses: [] }, dnsNameServers: "timeout" }],
    ],
    "security.dns.ipv6-name-servers-missing": [
      ["none", servers(four), { values: { zone: "site.example", servers: "ns1.site.example" } }],
      ["no routed address", servers(nameServer("ns1.site.example", "192.0.2.1", "fe80::1"))],
      ["and none of the host", { ...servers(four), dnsIpv6: { addresses: [] } }, { also: ["security.dns.ipv6-host-missing"] }],
    ],
  },
});
