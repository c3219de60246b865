/** Asks for the MTA-STS record of the registrable domain and, where there is one, for the policy file that it stands for. */

import { CertificateRefused, EgressError } from "../../egress/egress-error.ts";
import { type GetOptions, httpGet } from "../../egress/http-client.ts";
import { askResolvers, resolversOf } from "../../egress/resolvers.ts";
import { boundedText } from "../../evidence/bound.ts";
import { failed, type Reading, read } from "../../evidence/evidence.ts";
import type { MailMtaStsPolicyFacts, TextRecords } from "../../evidence/facts.ts";
import { headerValueCharsMax, mtaStsPolicyBytesMax } from "../../evidence/limits.ts";
import { isMeantAsMtaSts } from "../../parse/mta-sts.ts";
import { isChallenge } from "../browser/page-challenge.ts";
import { exchangeMs, type SubjectContext } from "../context.ts";
import { failedBy } from "../failure.ts";
import { fileBytes } from "../http/file-bytes.ts";
import { trustAnchors } from "../tls/trust.ts";
import { type DnsContext, readOfDomain, textRecordsOf } from "./dns.ts";

/** RFC 8461 section 3.1. */
export function probeMtaSts(context: DnsContext): Promise<Reading<TextRecords>> {
  return readOfDomain(context, (domain) => textRecordsOf(context, `_mta-sts.${domain}`));
}

export interface MtaStsPolicyContext extends SubjectContext {
  /** As in the egress settings. */
  readonly dnsServers: readonly string[];
  /** PEM certificates trusted besides the bundled roots. */
  readonly caPems: readonly string[];
  /** What `probeMtaSts` read. */
  readonly record: Reading<TextRecords>;
}

/** RFC 8461 section 3.3: over https with a certificate for the policy host, without following redirects. */
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
      // Looking closer failed as well: what happened first is what is told.
    }
    return failedBy(thrown);
  }
}

async function fetchPolicy({ egress, signal, caPems }: MtaStsPolicyContext, url: string): Promise<Reading<MailMtaStsPolicyFacts>> {
  const options: GetOptions = { deadlineMs: exchangeMs, signal, bodyBytesMax: mtaStsPolicyBytesMax, trust: trustAnchors(caPems).context };
  const reply = await httpGet(egress, url, options);
  // Defences of the web know those who fetch policies, and this appliance is none of them.
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

/** Null for what says nothing about the site. @throws EgressError when that cannot be found out. */
async function siteOwnReason(
  context: MtaStsPolicyContext,
  host: string,
  thrown: unknown,
): Promise<MailMtaStsPolicyFacts["unavailableBecause"]> {
  if (!(thrown instanceof EgressError)) return null;
  switch (thrown.because) {
    case "refused":
      return "refused";
    case "unresolved":
      return (await hasNoAddress(context, host)) ? "no-host" : null;
    case "tls":
      return thrown instanceof CertificateRefused ? "certificate-not-accepted" : null;
    default:
      return null;
  }
}

/** A resolver that could not find out is no answer. */
async function hasNoAddress({ dnsServers, signal }: MtaStsPolicyContext, name: string): Promise<boolean> {
  const ask = (type: "A" | "AAAA") => askResolvers(resolversOf(dnsServers), { name, type }, signal);
  const answers = await Promise.all([ask("A"), ask("AAAA")]);
  return answers.every(({ answers = [] }) => !answers.some(({ type }) => type === "A" || type === "AAAA"));
}
