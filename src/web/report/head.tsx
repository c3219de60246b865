/** Head of a report: scanned URL, final URL, time, catalog version and actions. */
import type { ComponentChildren } from "preact";
import type { ResultBasis } from "../../judge/result.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { ExternalLink } from "../components/external-link.tsx";
import { UnicodeHostName } from "../components/host-url.tsx";
import { Instant } from "../components/instant.tsx";
import { PageHead } from "../components/page-head.tsx";
import { UntrustedText } from "../components/untrusted-text.tsx";
import { useI18n, useVisit } from "../context.ts";
import type { I18n } from "../i18n.ts";
import { ScanAgain } from "../scanning/scan-again.tsx";
import { hostPath, scanHost } from "../scans/host-name.ts";
import { endOf } from "../scans/scan-end.ts";
import { publicOrigin } from "../visit.ts";
import type { Report } from "./report.ts";

/** Limits in the heading; the evidence shows full values. */
const titleCharsMax = 200;
const headingCharsMax = 120;
const titleHostCharsMax = 40;

export function ReportHead({ report }: { readonly report: Report }) {
  const i18n = useI18n();
  const { scan } = report;
  return (
    <>
      <PageHead
        breadcrumbs={breadcrumbsTo(scan, i18n)}
        title={
          <>
            <span class="unseen">{i18n.t("report.heading")} </span>
            <UntrustedText charsMax={headingCharsMax}>{withoutScheme(scan.url)}</UntrustedText>
          </>
        }
      >
        <Actions report={report} />
      </PageHead>
      <ReportFacts report={report} />
    </>
  );
}

/** Breadcrumbs of a report and of a comparison. */
export function breadcrumbsTo(scan: ScanRecord, i18n: I18n) {
  const host = scanHost(scan);
  return [
    { href: "/scans", text: i18n.t("report.trail") },
    { href: hostPath(host), text: host },
  ];
}

/** Host for document titles, which tabs and bookmarks cut anyway. */
export function shortHost(url: string): string {
  const host = scanHost({ url });
  return host.length <= titleHostCharsMax ? host : `${host.slice(0, titleHostCharsMax - 1)}\u2026`;
}

/** `example.org/path`; only the host for the root page. */
function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, "").replace(/^([^/?]+)\/$/, "$1");
}

function Actions({ report: { scan, comparable } }: { readonly report: Report }) {
  const visit = useVisit();
  const { i18n } = visit;
  const path = `/scans/${scan.token}`;
  return (
    <>
      <ScanAgain url={scan.url}>{i18n.t("report.actions.rescan")}</ScanAgain>
      {comparable !== null && (
        <a class="button" href={`${path}/compare?with=previous`}>
          {i18n.t("report.actions.compare")}
        </a>
      )}
      <a class="button" href={`${path}.json`} download>
        JSON
      </a>
      <button type="button" data-print hidden>
        {i18n.t("report.actions.print")}
      </button>
      <input type="hidden" id="report-address" value={`${publicOrigin(visit)}${path}`} />
      <button type="button" data-copy="#report-address" data-copied={i18n.t("report.actions.copied")} hidden>
        {i18n.t("report.actions.copyLink")}
      </button>
    </>
  );
}

function ReportFacts({ report: { scan, result, evidence } }: { readonly report: Report }) {
  const i18n = useI18n();
  const navigation = evidence?.navigation.status === "read" ? evidence.navigation.facts : null;
  const title = evidence?.dom.status === "read" ? evidence.dom.facts.title : "";
  const status = evidence?.page.status === "read" ? evidence.page.facts.status : (navigation?.finalStatus ?? null);
  return (
    <dl class="facts">
      <Fact name={i18n.t("report.facts.url")}>
        <Address url={scan.url} />
        <UnicodeHostName url={scan.url} />
      </Fact>
      {navigation !== null && navigation.finalUrl !== scan.url && (
        <Fact name={i18n.t("report.facts.finalUrl")}>
          <Address url={navigation.finalUrl} />
        </Fact>
      )}
      {title !== "" && (
        <Fact name={i18n.t("report.facts.documentTitle")}>
          <UntrustedText charsMax={titleCharsMax}>{title}</UntrustedText>
        </Fact>
      )}
      {status !== null && (
        <Fact name={i18n.t("report.facts.answer")}>
          {i18n.t("report.facts.status", { status })}
          {navigation !== null && navigation.remoteAddress !== null && (
            <>
              {" "}
              {i18n.t("report.facts.from")} <UntrustedText>{navigation.remoteAddress}</UntrustedText>
            </>
          )}
        </Fact>
      )}
      <Fact name={i18n.t("report.facts.measured")}>
        <Instant at={endOf(scan)} />
      </Fact>
      {scan.startedAt !== null && scan.endedAt !== null && (
        <Fact name={i18n.t("report.facts.duration")}>
          {i18n.count("report.facts.seconds", secondsBetween(scan.startedAt, scan.endedAt))}
        </Fact>
      )}
      <Fact name={i18n.t("report.facts.rules")}>
        {i18n.t("report.facts.versions", { algorithm: result.algorithmVersion, catalog: result.catalogVersion })}
      </Fact>
      {result.basis !== undefined && <Fact name={i18n.t("report.facts.basis")}>{basisText(result.basis, i18n)}</Fact>}
    </dl>
  );
}

/** Data files by name of their reading. */
const dataFiles = ["hstsPreload", "scriptLibraries"] as const;

/** Limit of header values, and the data files with their dates as stored. */
function basisText({ headerValueCharsMax, dataDates }: ResultBasis, i18n: I18n): string {
  const files = dataFiles.flatMap((name) => {
    const date = dataDates[name];
    return date === undefined ? [] : [i18n.t(`report.facts.data.${name}`, { date })];
  });
  return [i18n.t("report.facts.headerLimit", { chars: i18n.number(headerValueCharsMax) }), ...files].join("; ");
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Address({ url }: { readonly url: string }) {
  return (
    <ExternalLink href={url}>
      <UntrustedText>{url}</UntrustedText>
    </ExternalLink>
  );
}

/** Rounded to tenths. */
function secondsBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 100) / 10;
}
