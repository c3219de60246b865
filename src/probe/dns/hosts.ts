/** Probes of the addresses of the scanned host and of the domain's name servers. */
import { askResolvers, resolversOf } from "../../egress/resolvers.ts";
import type { DnsIpv6Facts, DnsNameServersFacts } from "../../evidence/dns-facts.ts";
import { type Reading, read } from "../../evidence/evidence.ts";
import { dnsRecordCharsMax, hostAddressesMax, nameServersMax } from "../../evidence/limits.ts";
import { boundedText } from "../../evidence/redact.ts";
import { isRegistrySuffix } from "../../parse/site.ts";
import { failedBy } from "../context.ts";
import { type DnsContext, nameExistsIn, readOfDomain } from "./dns.ts";

/** AAAA records of the scanned host, RFC 3596. */
export function probeDnsIpv6(context: DnsContext): Promise<Reading<DnsIpv6Facts>> {
  const { host } = context.subject;
  return readOfDomain(context, async () => ({ host, ...(await addressesOf(context, host, "AAAA")) }));
}

type NameServer = DnsNameServersFacts["servers"][number];

/** NS records of the domain and the addresses of these hosts. */
export function probeNameServers(context: DnsContext): Promise<Reading<DnsNameServersFacts>> {
  return readOfDomain(context, async (domain) => {
    const { zone, hosts } = await nameServersOf(context, domain);
    return {
      zone,
      servers: await Promise.all(hosts.slice(0, nameServersMax).map((host) => nameServer(context, host))),
      serversDropped: Math.max(0, hosts.length - nameServersMax),
    };
  });
}

/** A domain below a private suffix may lie in the zone of its provider: the search climbs up to the registry's suffix. */
async function nameServersOf(
  context: DnsContext,
  domain: string,
): Promise<{ readonly zone: string | null; readonly hosts: readonly string[] }> {
  for (let zone = domain; zone.includes(".") && !isRegistrySuffix(zone); zone = zone.slice(zone.indexOf(".") + 1)) {
    const { answers } = await askResolvers(resolversOf(context.dnsServers), { name: zone, type: "NS" }, context.signal);
    // Records of another owner belong to the target of an alias.
    const hosts = answers.flatMap((record) => (record.type === "NS" && record.name.toLowerCase() === zone ? [hostIn(record.data)] : []));
    if (hosts.length > 0) return { zone, hosts: [...new Set(hosts)].sort() };
  }
  return { zone: null, hosts: [] };
}

function hostIn(data: string): string {
  return boundedText(data.replace(/\.$/, "").toLowerCase(), dnsRecordCharsMax).text;
}

async function nameServer(context: DnsContext, host: string): Promise<NameServer> {
  const ask = (type: "A" | "AAAA") => addressesOf(context, host, type).then(({ addresses }) => read(addresses), failedBy);
  const [ipv4, ipv6] = await Promise.all([ask("A"), ask("AAAA")]);
  return { host, ipv4, ipv6 };
}

/** @throws EgressError when no resolver answered. */
async function addressesOf({ dnsServers, signal }: DnsContext, name: string, type: "A" | "AAAA"): Promise<Omit<DnsIpv6Facts, "host">> {
  const answer = await askResolvers(resolversOf(dnsServers), { name, type }, signal);
  const addresses = answer.answers.flatMap((record) => (record.type === "A" || record.type === "AAAA" ? [record.data] : []));
  return { nameExists: nameExistsIn(answer), addresses: [...new Set(addresses)].sort().slice(0, hostAddressesMax) };
}
