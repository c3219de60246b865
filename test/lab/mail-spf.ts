/** Laboratory cases for SPF and DNSSEC, with a DNS server in the test process. */

import { afterAll } from "vitest";
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { startDnsServer, type Zones } from "../support/dns-server.ts";
import { portWithoutListener } from "../support/ports.ts";
import { egressTo, startHttps } from "../support/servers.ts";
import type { LabCase, LabSite, States } from "./laboratory.ts";

type SpfStates = readonly [spf: States[string], policy: States[string], lookups: States[string], dnssec: States[string]];

interface SpfCase {
  readonly name: string;
  /** Zones by name below the domain; `@` is the domain itself. */
  readonly zones: Zones;
  readonly states: SpfStates;
  readonly codes?: readonly string[];
  /** Whether the scan uses a resolver without validation. */
  readonly unvalidating?: true;
}

const page = { body: "<!doctype html><title>A page</title>" };
/** Long enough for two packets to a silent server. */
const deadlines = { settleMs: 50, settleMaxMs: 500, probeMs: 4_000 };

const soa = { mname: "ns.example.net", rname: "hostmaster.example.net", serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 };
const signed = { SOA: { authentic: [soa] } };
const unsigned = { SOA: [soa] };
const spf = (...records: readonly string[]) => ({ TXT: records });
const numbered = (count: number, term: (at: number) => string) => Array.from({ length: count }, (_, at) => term(at)).join(" ");

const casesByLabel: Readonly<Record<string, SpfCase>> = {
  sound: {
    name: "a record with -all and few lookups, in a signed domain",
    zones: {
      "@": {
        ...signed,
        ...spf("verification=abc", "V=SPF1 mx include:_spf.%{d} redirect=ignored.example -all"),
        MX: [{ preference: 1, exchange: "mx" }],
      },
      _spf: spf("v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 ?all"),
    },
    states: ["passed", "passed", "passed", "passed"],
  },
  none: {
    name: "no record, in an unsigned domain",
    zones: { "@": { ...unsigned, ...spf("verification=abc") } },
    states: ["violated", "notApplicable", "notApplicable", "violated"],
    codes: ["security.mail.spf-missing", "security.dns.dnssec-missing"],
  },
  several: {
    name: "two records, in a domain with forged signatures",
    zones: { "@": { SOA: { bogus: [soa] }, NS: { bogus: ["ns.example.net"] }, ...spf("v=spf1 mx -all", "v=spf1 -all") } },
    states: ["violated", "notApplicable", "notApplicable", "violated"],
    codes: ["security.mail.spf-several", "security.dns.dnssec-bogus"],
  },
  unanswered: {
    name: "a server that fails with and without DNSSEC",
    zones: { "@": { SOA: "SERVFAIL", TXT: "SERVFAIL" } },
    states: ["notChecked", "notChecked", "notChecked", "notChecked"],
  },
  refused: {
    name: "a server that refuses queries",
    zones: { "@": { SOA: { rcode: 5 }, TXT: { rcode: 5 } } },
    states: ["notChecked", "notChecked", "notChecked", "notChecked"],
  },
  open: {
    name: "a redirect to +all, at a resolver without validation",
    unvalidating: true,
    zones: { "@": { ...unsigned, ...spf("v=spf1 redirect=_spf.%{d}") }, _spf: spf("v=spf1 all") },
    states: ["passed", "violated", "passed", "notChecked"],
    codes: ["security.mail.spf-all-pass"],
  },
  invalid: {
    name: "mistakes of every kind, and a loop",
    zones: {
      "@": {
        ...signed,
        ...spf("v=spf1 ipv4:192.0.2.1 ip4:192.0.2.400 a:mail include:_lost.%{d} exists:%{x}.%{d} ptr include:%{d} \u2013all"),
      },
    },
    states: ["passed", "violated", "violated", "passed"],
    codes: [
      "security.mail.spf-mechanism-unknown",
      "security.mail.spf-address-invalid",
      "security.mail.spf-name-invalid",
      "security.mail.spf-macro-invalid",
      "security.mail.spf-include-without-record",
      "security.mail.spf-ptr",
      "security.mail.spf-loop",
    ],
  },
  costly: {
    name: "eleven lookups, most of them in included records, a:host and a/24 among them",
    zones: {
      "@": { ...signed, A: ["127.0.0.1"], ...spf("v=spf1 include:_left.%{d} include:_right.%{o} a/24 -all") },
      _left: spf(`v=spf1 ${numbered(4, (at) => `a:h${at}.%{o}`)} -all`),
      _right: spf(`v=spf1 ${numbered(4, (at) => `a:h${at}.%{o}/24`)} -all`),
      ...Object.fromEntries([0, 1, 2, 3].map((at) => [`h${at}`, { A: [`192.0.2.${at}`] }])),
    },
    states: ["passed", "passed", "violated", "passed"],
    codes: ["security.mail.spf-lookups-too-many"],
  },
  voids: {
    name: "names that do not exist",
    zones: { "@": { ...signed, ...spf("v=spf1 a:one.%{d} mx:two.%{d} exists:three.%{d} -all") } },
    states: ["passed", "passed", "violated", "passed"],
    codes: ["security.mail.spf-void-lookups-too-many"],
  },
  silent: {
    name: "an include that never answers",
    zones: { "@": { ...signed, ...spf("v=spf1 include:_spf.%{d} -all") }, _spf: { TXT: "silent" } },
    states: ["passed", "notChecked", "notChecked", "passed"],
  },
  sender: {
    name: "an include that depends on the sender",
    zones: { "@": { ...signed, ...spf("v=spf1 include:%{ir}.%{v}._spf.%{d} -all") } },
    states: ["passed", "notChecked", "notChecked", "passed"],
  },
};

/** No query for these names leaves the machine, because scans use the resolver below. */
const domainOf = (label: string) => `assay-spf-${label}.org`;

/** Shared by all cases; the first case starts it. */
interface SpfLaboratory {
  readonly site: Awaited<ReturnType<typeof startHttps>>;
  readonly validating: Awaited<ReturnType<typeof startDnsServer>>;
  readonly unvalidating: Awaited<ReturnType<typeof startDnsServer>>;
}

let opened: Promise<SpfLaboratory> | undefined;
afterAll(async () => {
  const { site, validating, unvalidating } = (await opened) ?? {};
  validating?.stop();
  unvalidating?.stop();
  await site?.stop();
});

async function openSpfLaboratory(): Promise<SpfLaboratory> {
  const names = Object.keys(casesByLabel).map(domainOf);
  const zones = Object.assign(
    {},
    ...Object.entries(casesByLabel).map(([label, { zones: below }]) => absolute(below, domainOf(label))),
  ) as Zones;
  return {
    site: await startHttps(siteIdentity(names[0] ?? "", { names }), { "/": page }),
    validating: await startDnsServer({ ...zones, ".": signed }),
    unvalidating: await startDnsServer({ ...zones, ".": unsigned }),
  };
}

function absolute(zones: Zones, domain: string): Zones {
  return Object.fromEntries(Object.entries(zones).map(([name, entries]) => [name === "@" ? domain : `${name}.${domain}`, entries]));
}

async function serve(label: string, isUnvalidated: boolean): Promise<LabSite> {
  opened ??= openSpfLaboratory();
  const { site, validating, unvalidating } = await opened;
  const host = domainOf(label);
  const targets = { [`${host}:443`]: site, [`${host}:80`]: { port: portWithoutListener() } };
  return {
    url: `https://${host}/`,
    egress: egressTo(targets, { dnsServers: [isUnvalidated ? unvalidating.address : validating.address] }),
    caPems: [testAuthority().root.pem],
    deadlines,
  };
}

export const mailSpfCases: readonly LabCase[] = Object.entries(casesByLabel).map(
  ([label, { name, states, codes, unvalidating = false }]) => {
    const [spfState, policy, lookups, dnssec] = states;
    return {
      name: `SPF: ${name}`,
      expected: { "mail-spf": spfState, "mail-spf-policy": policy, "mail-spf-lookups": lookups, dnssec },
      ...(codes && { codes }),
      serve: () => serve(label, unvalidating),
    };
  },
);
