/** What the verdicts rest on, as it was seen, folded part by part. */
import type { ComponentType } from "preact";
import type { Evidence } from "../../../evidence/evidence.ts";
import type { Timings } from "../../../evidence/scan.ts";
import { useI18n } from "../../context.ts";
import type { Report } from "../report.ts";
import { DnsEvidence } from "./dns.tsx";
import { type EvidencePart, evidenceId, evidenceParts } from "./evidence-links.tsx";
import { hintOf } from "./hints.ts";
import { MailEvidence } from "./mail.tsx";
import { NavigationEvidence, PlainHttpEvidence } from "./navigation.tsx";
import { CookiesEvidence, CrossOriginEvidence, DocumentEvidence, HeadersEvidence, RequestsEvidence } from "./page-parts.tsx";
import { SecurityTxtEvidence } from "./security-txt.tsx";
import { TimingTable } from "./timings.tsx";
import { TlsEvidence } from "./tls.tsx";

const contents: Readonly<Record<Exclude<EvidencePart, "timings">, ComponentType<{ readonly evidence: Evidence }>>> = {
  navigation: NavigationEvidence,
  plainHttp: PlainHttpEvidence,
  headers: HeadersEvidence,
  crossOrigin: CrossOriginEvidence,
  cookies: CookiesEvidence,
  document: DocumentEvidence,
  requests: RequestsEvidence,
  tls: TlsEvidence,
  dns: DnsEvidence,
  mail: MailEvidence,
  securityTxt: SecurityTxtEvidence,
};

export function EvidenceSections({ report: { evidence, timings } }: { readonly report: Report }) {
  const i18n = useI18n();
  return (
    <section aria-labelledby="evidence">
      <h2 id="evidence">{i18n.t("evidence.heading")}</h2>
      <p class="muted">{i18n.t(evidence === null ? "evidence.forgotten" : "evidence.lead")}</p>
      {evidence !== null && evidenceParts.map((part) => <Part key={part} part={part} evidence={evidence} timings={timings ?? {}} />)}
    </section>
  );
}

interface PartProps {
  readonly part: EvidencePart;
  readonly evidence: Evidence;
  readonly timings: Timings;
}

/** The id stands inside: browsers open what is folded when an address names something in it. */
function Part({ part, evidence, timings }: PartProps) {
  const i18n = useI18n();
  const hint = hintOf(part, evidence, i18n);
  const Content = part === "timings" ? null : contents[part];
  return (
    <details class="evidence">
      <summary>
        <h3>{i18n.t(`evidence.parts.${part}`)}</h3>
        {hint !== null && <span class="muted small"> {hint}</span>}
      </summary>
      <div id={evidenceId(part)}>{Content === null ? <TimingTable timings={timings} /> : <Content evidence={evidence} />}</div>
    </details>
  );
}
