/** Number and networks of the name servers. */
import check from "../../../checks/dns-name-servers.ts";
import { failed } from "../../../src/evidence/evidence.ts";
import { testCheck } from "../../support/check-tester.ts";
import { nameServer } from "../../support/evidence.ts";

function servers(...addresses: readonly (readonly string[])[]) {
  return { dnsNameServers: { servers: addresses.map((own, at) => nameServer(`ns${at + 1}.site.example`, ...own)) } };
}

const unread = { ...nameServer("ns9.site.example", "192.0.2.9"), ipv6: failed("timeout") };

testCheck(check, {
  passed: [
    ["two networks", servers(["192.0.2.1"], ["198.51.100.1"])],
    ["neighbouring networks", servers(["192.0.2.255"], ["192.0.3.0"])],
    ["two networks of IPv6", servers(["2001:db8:1::1"], ["2001:db8:2::1"])],
    ["two networks of IPv6, one of IPv4", servers(["192.0.2.1", "2001:db8:1::1"], ["192.0.2.2", "2001:db8:2::1"])],
    ["one server with IPv4, another with IPv6", servers(["192.0.2.1"], ["2001:db8:1::1"])],
    [
      "a third server that could not be read",
      { dnsNameServers: { servers: [...servers(["192.0.2.1"], ["198.51.100.1"]).dnsNameServers.servers, unread] } },
    ],
  ],
  notApplicable: [["an address", { url: "https://192.0.2.1/", registrableDomain: null }]],
  notChecked: [
    ["no name server found", { dnsNameServers: { zone: null, servers: [] } }],
    ["an address that could not be read", { dnsNameServers: { servers: [nameServer("ns1.site.example", "192.0.2.1"), unread] } }],
    ["more servers than are asked for", { dnsNameServers: { ...servers(["192.0.2.1"], ["192.0.2.2"]).dnsNameServers, serversDropped: 1 } }],
  ],
  violated: {
    "security.dns.name-server-single": [
      ["one", servers(["192.0.2.1", "2001:db8:1::1"]), { values: { zone: "site.example", servers: "ns1.site.example" } }],
      ["one whose addresses could not be read", { dnsNameServers: { servers: [unread] } }],
      ["a second one without an address", servers(["192.0.2.1"], [])],
      ["no address at all", servers([], [])],
    ],
    "security.dns.name-servers-one-network": [
      ["IPv4", servers(["192.0.2.1"], ["192.0.2.2"]), { values: { zone: "site.example", networks: "192.0.2.0/24" } }],
      ["IPv6", servers(["2001:db8:1::1"], ["2001:db8:1:ffff::1"]), { values: { networks: "2001:db8:1::/48" } }],
      ["the same address", servers(["192.0.2.1"], ["192.0.2.1"])],
      [
        "both families",
        servers(["192.0.2.1", "2001:db8:1::1"], ["192.0.2.2", "2001:db8:1::2"]),
        { values: { networks: "192.0.2.0/24, 2001:db8:1::/48" } },
      ],
      ["one server of two families beside one of them", servers(["192.0.2.1", "2001:db8:1::1"], ["192.0.2.2"])],
    ],
  },
});
