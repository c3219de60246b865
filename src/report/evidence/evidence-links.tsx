/** Links from a verdict to the parts of the evidence that it rests on. */
import { Fragment } from "preact";
import type { ReadingName } from "../../evidence/evidence.ts";
import { useDocument } from "../context.ts";
import type { ReportArea } from "../report.ts";

/** Parts of the evidence in page order; their ids are `evidence-<part>`. */
export const evidenceParts = [
  "navigation",
  "plainHttp",
  "headers",
  "crossOrigin",
  "cookies",
  "document",
  "requests",
  "scripts",
  "tls",
  "dns",
  "mail",
  "securityTxt",
  "timings",
] as const;
export type EvidencePart = (typeof evidenceParts)[number];

const partOfReading: Readonly<Record<ReadingName, EvidencePart>> = {
  navigation: "navigation",
  hstsPreload: "navigation",
  page: "headers",
  dom: "document",
  markup: "document",
  requests: "requests",
  scripts: "scripts",
  scriptLibraries: "scripts",
  plainHttp: "plainHttp",
  tls: "tls",
  tlsOffers: "tls",
  crossOrigin: "crossOrigin",
  dnsCaa: "dns",
  dnsIpv6: "dns",
  dnsNameServers: "dns",
  dnssec: "dns",
  mailMx: "mail",
  mailSpf: "mail",
  mailDmarc: "mail",
  mailMtaSts: "mail",
  mailMtaStsPolicy: "mail",
  mailTlsRpt: "mail",
  mailDane: "mail",
  securityTxt: "securityTxt",
};

export function readingsOf(part: EvidencePart): readonly ReadingName[] {
  const names = Object.keys(partOfReading) as ReadingName[];
  return part === "cookies" ? ["page"] : names.filter((name) => partOfReading[name] === part);
}

interface EvidenceLinksProps {
  /** Names of readings, and `headers.<name>`. */
  readonly names: readonly string[];
  /** Area of the check: cookie checks read `page` for its cookies, the others for its headers. */
  readonly area: ReportArea;
}

export function EvidenceLinks({ names, area }: EvidenceLinksProps) {
  const { i18n, idOf } = useDocument();
  const parts = new Set(names.flatMap((name) => partOf(name, area) ?? []));
  if (parts.size === 0) return null;
  return (
    <>
      {i18n.t("evidence.restsOn")}{" "}
      {[...parts].map((part, at) => (
        <Fragment key={part}>
          {at > 0 && ", "}
          <a href={`#${idOf(evidenceId(part))}`}>{i18n.t(`evidence.parts.${part}`)}</a>
        </Fragment>
      ))}
    </>
  );
}

export function evidenceId(part: EvidencePart): string {
  return `evidence-${part}`;
}

function partOf(name: string, area: ReportArea): EvidencePart | undefined {
  if (name.startsWith("headers.")) return "headers";
  if (name === "page" && area === "cookies") return "cookies";
  return Object.hasOwn(partOfReading, name) ? partOfReading[name as ReadingName] : undefined;
}
