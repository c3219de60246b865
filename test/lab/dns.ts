/** Builds laboratory cases from all DNS cases: one DNS tree with their zones, and their sites. */

import { createSocket } from "node:dgram";
import type { OutgoingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";
import type { FindingCode } from "../../src/check/check.ts";
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { startDnsServer } from "../support/dns-server.ts";
import { portWithoutListener } from "../support/ports.ts";
import { type Answer, egressTo, type Route, startHttp, startHttps, type TestServer } from "../support/servers.ts";
import { caaCases } from "./dns-caa-cases.ts";
import type { DnsCase, Outcome, PolicyHost, PolicyHostFault, ResolverKind } from "./dns-case.ts";
import { dmarcCases } from "./dns-dmarc-cases.ts";
import { dnsHostCases } from "./dns-host-cases.ts";
import { mailTransportCases } from "./dns-mail-transport-cases.ts";
import { pastedDnsCases } from "./dns-pasted-cases.ts";
import { apexAliases, resolverCases } from "./dns-resolver-cases.ts";
import { spfCases } from "./dns-spf-cases.ts";
import { type DnsTree, type DnsZone, startDnsTree, startRefusingServer } from "./dns-tree.ts";
import type { LabCase, LabSite } from "./laboratory.ts";
import { startGroup } from "./server-group.ts";

const allCases: readonly DnsCase[] = [
  ...resolverCases,
  ...caaCases,
  ...spfCases,
  ...dmarcCases,
  ...mailTransportCases,
  ...dnsHostCases,
  ...pastedDnsCases,
];

/** A short settle time, because the pages load nothing. Unanswered queries wait for the whole probe deadline. */
const deadlines = { settleMs: 50, probeMs: 4_000 };

const page: Answer = {
  headers: { "content-type": "text/html; charset=utf-8" },
  body: '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Laboratory</title></head><body><h1>It works</h1></body></html>\n',
};

interface DnsLaboratory {
  readonly resolvers: Readonly<Record<ResolverKind, string>>;
  readonly site: TestServer;
  readonly plain: TestServer;
  readonly faultyPolicyHosts: Readonly<Record<PolicyHostFault, { readonly port: number }>>;
  stop(): Promise<void>;
}

let opened: Promise<DnsLaboratory> | undefined;
const laboratory = () => {
  opened ??= openDnsLaboratory();
  return opened;
};
afterAll(async () => (await opened)?.stop());

export const dnsCases: readonly LabCase[] = allCases.map((dnsCase) => ({
  name: dnsCase.name,
  ...expectationsOf(dnsCase.expected),
  serve: () => serve(dnsCase),
}));

function expectationsOf(outcomes: DnsCase["expected"]): Pick<LabCase, "expected" | "codes"> {
  const isCode = (outcome: Outcome): outcome is FindingCode => outcome.startsWith("security.");
  return {
    expected: Object.fromEntries(Object.entries(outcomes).map(([key, outcome]) => [key, isCode(outcome) ? "violated" : outcome])),
    codes: Object.values(outcomes).filter(isCode),
  };
}

async function serve(dnsCase: DnsCase): Promise<LabSite> {
  const { resolvers, site, plain, faultyPolicyHosts } = await laboratory();
  const host = hostOf(dnsCase);
  const { policyHost } = dnsCase;
  const policyServer = policyHost !== undefined && "fault" in policyHost ? faultyPolicyHosts[policyHost.fault] : site;
  const policyTargets = policyNamesOf(dnsCase).map((name) => [`${name}:443`, policyServer]);
  return {
    url: `https://${host}/`,
    egress: egressTo(
      { [`${host}:443`]: site, [`${host}:80`]: plain, ...Object.fromEntries(policyTargets) },
      { dnsServers: (dnsCase.resolvers ?? ["validating"]).map((kind) => resolvers[kind]) },
    ),
    caPems: [testAuthority().root.pem],
    deadlines,
  };
}

function hostOf({ host, zones }: DnsCase): string {
  return host ?? zones[0]?.name ?? "";
}

/** Empty if the zone of the case decides. */
function policyNamesOf({ policyHost, zones }: DnsCase): readonly string[] {
  return policyHost === undefined ? [] : [`mta-sts.${zones[0]?.name}`];
}

function openDnsLaboratory(): Promise<DnsLaboratory> {
  return startGroup(async (track) => {
    const silent = track(await startSilentServer());
    const servers = {
      refusing: track(await startRefusingServer()).address,
      silent: silent.address,
      apexAlias: track(await startDnsServer(apexAliases)).address,
    };
    const zones = allCases.flatMap((dnsCase) =>
      dnsCase.zones.map(({ servedBy, ...zone }): DnsZone => (servedBy === undefined ? zone : { ...zone, servedBy: servers[servedBy] })),
    );
    const tree: DnsTree = track(await startDnsTree(zones));
    const names = [...new Set(allCases.flatMap((dnsCase) => [hostOf(dnsCase), ...policyNamesOf(dnsCase)]))];
    const everyName = siteIdentity(names[0] ?? "", { names });
    return {
      resolvers: {
        validating: tree.resolver,
        unvalidating: tree.nonValidatingResolver,
        silent: silent.address,
        absent: `127.0.0.1:${portWithoutListener()}`,
      },
      site: track(await startHttps(everyName, { "*": answerByHost() })),
      plain: track(await startHttp({ "*": redirectToHttps })),
      faultyPolicyHosts: {
        "connection-refused": { port: portWithoutListener() },
        "expired-certificate": track(await startHttps(siteIdentity(names[0] ?? "", { flaw: "expired", names }), { "*": answerByHost() })),
        "certificate-for-another-host": track(await startHttps(siteIdentity("elsewhere.test"), { "*": answerByHost() })),
        "never-answers": track(await startHttps(everyName, { "*": () => {} })),
      },
    };
  });
}

/** The policy for policy hosts, and one page for all other names. */
function answerByHost(): Route {
  const policies = new Map(
    allCases.flatMap((dnsCase) => policyNamesOf(dnsCase).map((name) => [name, policyAnswerOf(dnsCase.policyHost)] as const)),
  );
  return ({ headers }, response) => {
    const answer = policies.get(headers.host ?? "") ?? page;
    response.writeHead(answer.status ?? 200, { ...answer.headers } as OutgoingHttpHeaders);
    response.end(answer.body);
  };
}

function policyAnswerOf(host: PolicyHost | undefined): Answer {
  if (host === undefined || "fault" in host) return { status: 404 };
  return typeof host.policy === "string" ? { headers: { "content-type": "text/plain" }, body: host.policy } : host.policy;
}

const redirectToHttps: Route = ({ headers, url }, response) => {
  response.writeHead(301, { location: `https://${headers.host}${url}` });
  response.end();
};

/** A DNS server that never answers. */
async function startSilentServer(): Promise<{ readonly address: string; stop(): void }> {
  const socket = createSocket("udp4");
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", () => resolve()));
  return { address: `127.0.0.1:${(socket.address() as AddressInfo).port}`, stop: () => socket.close() };
}
