/** The evidence that the verdicts rest on: one collapsed section per part. */
import type { ComponentType } from "preact";
import type { Evidence } from "../../evidence/evidence.ts";
import type { Timings } from "../../evidence/scan.ts";
import type { CountPath, I18n } from "../../text/translator.ts";
import { ReportSection } from "../components/report-section.tsx";
import { useDocument } from "../context.ts";
import type { Report } from "../report.ts";
import { DnsEvidence } from "./dns.tsx";
import { type EvidencePart, evidenceId, evidenceParts, readingsOf } from "./evidence-links.tsx";
import { MailEvidence } from "./mail.tsx";
import { NavigationEvidence, PlainHttpEvidence } from "./navigation.tsx";
import { CookiesEvidence, CrossOriginEvidence, DocumentEvidence, distinctCookies, HeadersEvidence, RequestsEvidence } from "./page.tsx";
import { ScriptsEvidence } from "./scripts.tsx";
import { SecurityTxtEvidence } from "./security-txt.tsx";
import { TimingTable } from "./timings.tsx";
import { TlsEvidence } from "./tls.tsx";

interface PartDescriptor {
  readonly Content: ComponentType<{ readonly evidence: Evidence }>;
  /** Text with the count, shown beside the heading. */
  readonly hint?: CountPath;
  /** Null where the reading failed. */
  readonly count?: (evidence: Evidence) => number | null;
}

const descriptors: Readonly<Record<Exclude<EvidencePart, "timings">, PartDescriptor>> = {
  navigation: {
    Content: NavigationEvidence,
    hint: "evidence.hints.redirects",
    count: ({ navigation }) => (navigation.status === "read" ? navigation.facts.hops.length : null),
  },
  plainHttp: { Content: PlainHttpEvidence },
  headers: {
    Content: HeadersEvidence,
    hint: "evidence.hints.headers",
    count: ({ page }) => (page.status === "read" ? page.facts.headers.length + page.facts.headersDropped : null),
  },
  crossOrigin: { Content: CrossOriginEvidence },
  cookies: {
    Content: CookiesEvidence,
    hint: "evidence.hints.cookies",
    count: ({ page }) => (page.status === "read" ? distinctCookies(page.facts.setCookies).length + page.facts.setCookiesDropped : null),
  },
  document: {
    Content: DocumentEvidence,
    hint: "evidence.document.files",
    count: ({ dom }) => (dom.status === "read" ? dom.facts.subresources.length + dom.facts.subresourcesDropped : null),
  },
  requests: { Content: RequestsEvidence },
  scripts: {
    Content: ScriptsEvidence,
    hint: "evidence.hints.libraries",
    count: ({ scriptLibraries }) =>
      scriptLibraries.status === "read" ? scriptLibraries.facts.libraries.length + scriptLibraries.facts.librariesDropped : null,
  },
  tls: {
    Content: TlsEvidence,
    hint: "evidence.hints.certificates",
    count: ({ tls }) => (tls.status === "read" ? tls.facts.chain.length + tls.facts.certificatesDropped : null),
  },
  dns: { Content: DnsEvidence },
  mail: { Content: MailEvidence },
  securityTxt: { Content: SecurityTxtEvidence },
};

/** Element id of the heading. */
const headingId = "evidence";

export function EvidenceSections({ report: { scan, evidence, timings } }: { readonly report: Report }) {
  const { i18n, idOf } = useDocument();
  const parts = evidenceParts.filter((part) => part !== "timings" || timings !== null);
  return (
    <ReportSection headingId={headingId}>
      <h2 id={idOf(headingId)}>{i18n.t("evidence.heading")}</h2>
      <p class="muted">{evidence === null ? withoutEvidence(scan, i18n) : i18n.t("evidence.lead")}</p>
      {evidence !== null && parts.map((part) => <Part key={part} part={part} evidence={evidence} timings={timings ?? {}} />)}
    </ReportSection>
  );
}

function withoutEvidence({ removed }: Report["scan"], i18n: I18n): string {
  return removed?.evidence === undefined
    ? i18n.t("evidence.forgotten")
    : i18n.t("evidence.removed", { at: i18n.dateTime(removed.evidence) });
}

/** The id is inside `details`: browsers open a collapsed section when a URL fragment names an element in it. */
function Part({ part, evidence, timings }: { readonly part: EvidencePart; readonly evidence: Evidence; readonly timings: Timings }) {
  const { i18n, idOf } = useDocument();
  const hint = hintOf(part, evidence, i18n);
  const Content = part === "timings" ? null : descriptors[part].Content;
  return (
    <details class="evidence">
      <summary>
        <h3>{i18n.t(`evidence.parts.${part}`)}</h3>
        {hint !== null && <span class="muted small"> {hint}</span>}
      </summary>
      <div id={idOf(evidenceId(part))}>{Content === null ? <TimingTable timings={timings} /> : <Content evidence={evidence} />}</div>
    </details>
  );
}

/** Count or failure note beside a heading, so that readers need not open empty parts; null where the heading suffices. */
function hintOf(part: EvidencePart, evidence: Evidence, i18n: I18n): string | null {
  const readings = readingsOf(part).map((name) => evidence[name]);
  const failures = readings.filter(({ status }) => status === "failed").length;
  if (failures > 0) return i18n.t(failures === readings.length ? "evidence.hints.notRead" : "evidence.hints.partly");
  const { hint, count } = part === "timings" ? {} : descriptors[part];
  const number = count?.(evidence) ?? null;
  return hint === undefined || number === null ? null : i18n.count(hint, number);
}
