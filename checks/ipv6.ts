/** Notes whether the host and at least one name server of its domain have IPv6 addresses. */
import { findingIf, notChecked, registerCheck, violatedBy } from "assay/check";
import { isRoutableIpv6 } from "assay/check/parsers";

const note = { severity: "info", riskLevel: "low", effort: "medium" } as const;

export default registerCheck({
  key: "ipv6",
  weight: 0,
  area: "dns",
  standards: ["RFC 3596", "RFC 6540"],
  appliesTo: ["public-name"],
  reads: ["dnsIpv6"],
  consults: ["dnsNameServers"],
  findings: {
    "security.dns.ipv6-host-missing": note,
    "security.dns.ipv6-name-servers-missing": note,
  },
  judge({ dnsIpv6, dnsNameServers }) {
    // A name outside the DNS is reached by other means, such as the setting connect_to.
    if (!dnsIpv6.nameExists) return notChecked();
    const { zone, servers, serversDropped } =
      dnsNameServers.status === "read" ? dnsNameServers.facts : { zone: null, servers: [], serversDropped: 0 };
    const addresses = servers.flatMap(({ ipv6 }) => (ipv6.status === "read" ? ipv6.facts : []));
    const isSupported = addresses.some(isRoutableIpv6);
    const isRead = zone !== null && serversDropped === 0 && servers.every(({ ipv6 }) => ipv6.status === "read");
    const values = { zone: zone ?? "", servers: servers.map(({ host }) => host).join(", ") };
    const found = [
      ...findingIf(!dnsIpv6.addresses.some(isRoutableIpv6), "security.dns.ipv6-host-missing"),
      ...findingIf(!isSupported && isRead, "security.dns.ipv6-name-servers-missing", values),
    ];
    return violatedBy(found, isSupported);
  },
});
