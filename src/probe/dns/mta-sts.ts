/** Probes of MTA-STS: the record of the registrable domain and the policy file that it announces. */
import { CertificateRefused, EgressError } from "../../egress/egress-error.ts";
import { type GetOptions, httpGet } from "../../egress/http-client.ts";
import { askResolvers, resolversOf } from "../../egress/resolvers.ts";
import type { TextRecords } from "../../evidence/dns-facts.ts";
import { failed, type Reading, read } from "../../evidence/evidence.ts";
import type { MailMtaStsPolicyFacts } from "../../evidence/http-facts.ts";
import { headerValueCharsMax, mtaStsPolicyBytesMax } from "../../evidence/limits.ts";
import { boundedText } from "../../evidence/redact.ts";
import { isMeantAsMtaSts } from "../../parse/mta-sts.ts";
import { isChallenge } from "../browser/page-challenge.ts";
import { exchangeMs, failedBy, type SubjectContext } from "../context.ts";
import { fileBytes } from "../http/well-known.ts";
import { trustAnchors } from "../tls/trust.ts";
import { type DnsContext, readOfDomain, textRecordsOf } from "./dns.ts";

/** RFC 8461 section 3.1. */
export function probeMtaSts(context: DnsContext): Promise<Reading<TextRecords>> {
  return readOfDomain(context, (domain) => textRecordsOf(context, `_mta-sts.${domain}`));
}

export interface MtaStsPolicyContext extends SubjectContext {
  readonly dnsServers: readonly string[];
  readonly caPems: readonly string[];
  readonly record: Reading<TextRecords>;
}

/** RFC 8461 section 3.3: over https with a valid certificate for the policy host, without redirects. */
export async function probeMtaStsPolicy(context: MtaStsPolicyContext): Promise<Reading<MailMtaStsPolicyFacts>> {
  const { subject, record } = context;
  if (subject.registrableDomain === null || record.status === "failed") return failed("not-asked");
  if (!record.facts.records.some(({ text }) => isMeantAsMtaSts(text))) return failed("not-asked");
  const host = `mta-sts.${subject.registrableDomain}`;
  const url = `https://${host}/.well-known/mta-sts.txt`;
  try {
    return await fetchPolicy(context, url);
  } catch (thrown) {
    try {
      const unavailableBecause = await siteOwnReason(context, host, thrown);
      if (unavailableBecause !== null) return read({ url, unavailableBecause, status: 0, contentType: null, body: "", truncated: false });
    } catch {
      // The original failure is reported.
    }
    return failedBy(thrown);
  }
}

async function fetchPolicy({ egress, signal, caPems }: MtaStsPolicyContext, url: string): Promise<Reading<MailMtaStsPolicyFacts>> {
  const options: GetOptions = { deadlineMs: exchangeMs, signal, bodyBytesMax: mtaStsPolicyBytesMax, trust: trustAnchors(caPems).context };
  const reply = await httpGet(egress, url, options);
  // A bot defence may let mail servers through and challenge this appliance.
  if (isChallenge(reply, null)) return failed("challenged");
  const contentType = reply.field("content-type");
  return read({
    url,
    unavailableBecause: null,
    status: reply.status,
    contentType: contentType === null ? null : boundedText(contentType, headerValueCharsMax).text,
    body: new TextDecoder().decode(fileBytes(reply)),
    truncated: reply.status === 200 && reply.truncated,
  });
}

/** Failure that the site itself caused; null for any other. @throws EgressError when DNS cannot confirm it. */
async function siteOwnReason(
  context: MtaStsPolicyContext,
  host: string,
  thrown: unknown,
): Promise<MailMtaStsPolicyFacts["unavailableBecause"]> {
  if (!(thrown instanceof EgressError)) return null;
  if (thrown.because === "refused") return "refused";
  if (thrown.because === "unresolved") return (await hasNoAddress(context, host)) ? "no-host" : null;
  return thrown instanceof CertificateRefused ? "certificate-not-accepted" : null;
}

/** @throws EgressError when no resolver gives a conclusive answer. */
async function hasNoAddress({ dnsServers, signal }: MtaStsPolicyContext, name: string): Promise<boolean> {
  const ask = (type: "A" | "AAAA") => askResolvers(resolversOf(dnsServers), { name, type }, signal);
  const answers = await Promise.all([ask("A"), ask("AAAA")]);
  return answers.every(({ answers = [] }) => !answers.some(({ type }) => type === "A" || type === "AAAA"));
}
