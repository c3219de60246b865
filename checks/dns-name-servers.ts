/** Notes whether the domain has at least two name servers, in at least two networks. */
import { type DnsNameServersFacts, notChecked, passed, registerCheck, violated } from "assay/check";
import { truncatedAddress } from "assay/check/parsers";

const note = { severity: "info", riskLevel: "low", effort: "medium" } as const;

export default registerCheck({
  key: "dns-name-servers",
  weight: 0,
  area: "dns",
  standards: ["RFC 1034 section 4.1", "RFC 2182 section 3.1"],
  appliesTo: ["public-name"],
  reads: ["dnsNameServers"],
  findings: {
    "security.dns.name-server-single": note,
    "security.dns.name-servers-one-network": note,
  },
  judge({ dnsNameServers: { zone, servers, serversDropped } }) {
    if (zone === null) return notChecked();
    const networks = servers.map(networksOf).filter((own) => own.length > 0);
    if (networks.length >= 2 && areApart(networks)) return passed();
    const isRead = serversDropped === 0 && servers.every(({ ipv4, ipv6 }) => ipv4.status === "read" && ipv6.status === "read");
    // A server without an address answers no question.
    if (servers.length >= 2 && !isRead) return notChecked();
    if (networks.length < 2)
      return violated("security.dns.name-server-single", { zone, servers: servers.map(({ host }) => host).join(", ") });
    return violated("security.dns.name-servers-one-network", { zone, networks: [...new Set(networks.flat())].map(withPrefix).join(", ") });
  },
});

/** Networks of a server: a /24 for each IPv4 address, a /48 for each IPv6 address. */
function networksOf({ ipv4, ipv6 }: DnsNameServersFacts["servers"][number]): readonly string[] {
  const addresses = [ipv4, ipv6].flatMap((family) => (family.status === "read" ? family.facts : []));
  return [...new Set(addresses.map(truncatedAddress))];
}

/** Two networks of one family, or two servers without a common network. One server with both families counts once. */
function areApart(networks: readonly (readonly string[])[]): boolean {
  const all = [...new Set(networks.flat())];
  const six = all.filter(isIpv6);
  const hasTwo = six.length >= 2 || all.length - six.length >= 2;
  return hasTwo || !all.some((network) => networks.every((own) => own.includes(network)));
}

function isIpv6(network: string): boolean {
  return network.includes(":");
}

function withPrefix(network: string): string {
  return `${network}/${isIpv6(network) ? 48 : 24}`;
}
