/** Starts the probes of DNS and mail at once: they depend on the subject only, not on the page. */
import type { Reading, Readings } from "../evidence/evidence.ts";
import { probeDnsCaa, probeDnsIpv6, probeMx, probeNameServers, probeTlsRpt } from "../probe/dns/dns.ts";
import { probeDnssec } from "../probe/dns/dnssec.ts";
import { type MtaStsPolicyContext, probeDmarc, probeMailDane, probeMtaSts, probeMtaStsPolicy, probeSpf } from "../probe/dns/mail.ts";

type DnsReadings = Pick<Readings, "dnsCaa" | "dnsIpv6" | "dnsNameServers" | "dnssec">;
type MailReadings = Pick<Readings, "mailMx" | "mailSpf" | "mailDmarc" | "mailMtaSts" | "mailMtaStsPolicy" | "mailTlsRpt" | "mailDane">;

/** Runs one probe within its deadline; never rejects. */
type RunProbe = <F>(name: string, probe: (signal: AbortSignal) => Promise<Reading<F>>) => Promise<Reading<F>>;

export interface NameProbes {
  readonly dns: Promise<DnsReadings>;
  readonly mail: Promise<MailReadings>;
}

export function startNameProbes(context: Omit<MtaStsPolicyContext, "record" | "signal">, run: RunProbe): NameProbes {
  const mailMx = run("mailMx", (signal) => probeMx({ ...context, signal }));
  const mailMtaSts = run("mailMtaSts", (signal) => probeMtaSts({ ...context, signal }));
  return {
    dns: allOf({
      dnsCaa: run("dnsCaa", (signal) => probeDnsCaa({ ...context, signal })),
      dnsIpv6: run("dnsIpv6", (signal) => probeDnsIpv6({ ...context, signal })),
      dnsNameServers: run("dnsNameServers", (signal) => probeNameServers({ ...context, signal })),
      dnssec: run("dnssec", (signal) => probeDnssec({ ...context, signal })),
    }),
    mail: allOf({
      mailMx,
      mailSpf: run("mailSpf", (signal) => probeSpf({ ...context, signal })),
      mailDmarc: run("mailDmarc", (signal) => probeDmarc({ ...context, signal })),
      mailMtaSts,
      mailMtaStsPolicy: mailMtaSts.then((record) => run("mailMtaStsPolicy", (signal) => probeMtaStsPolicy({ ...context, record, signal }))),
      mailTlsRpt: run("mailTlsRpt", (signal) => probeTlsRpt({ ...context, signal })),
      mailDane: mailMx.then((mx) => run("mailDane", (signal) => probeMailDane({ ...context, mailMx: mx, signal }))),
    }),
  };
}

/** The values of all promises by name. */
async function allOf<T extends object>(pending: { readonly [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const entries = Object.entries<Promise<unknown>>(pending as Record<string, Promise<unknown>>);
  return Object.fromEntries(await Promise.all(entries.map(async ([name, value]) => [name, await value]))) as T;
}
