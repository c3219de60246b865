/** The head of a report: what was scanned, where that led, when and by which rules, and what can be done with it. */

import type { ComponentChildren } from "preact";
import { hostOf } from "../../evidence/subject.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { ExternalLink } from "../components/external-link.tsx";
import { Foreign } from "../components/foreign.tsx";
import { Instant } from "../components/instant.tsx";
import { NameInUnicode } from "../components/name-in-unicode.tsx";
import { PageHead } from "../components/page-head.tsx";
import { useVisit, useWords } from "../context.ts";
import { ScanAgain } from "../scanning/scan-again.tsx";
import { hostPath } from "../scans/host-name.ts";
import { endOf } from "../scans/scan-end.ts";
import { publicOrigin } from "../visit.ts";
import type { Words } from "../words.ts";
import type { Report } from "./report.ts";

/** Of a page's title and of an address in the heading: the whole stands in the evidence. */
const titleCharsMax = 200;
const headingCharsMax = 120;
const titleHostCharsMax = 40;

export function ReportHead({ report }: { readonly report: Report }) {
  const words = useWords();
  const { scan } = report;
  return (
    <>
      <PageHead
        trail={trailTo(scan, words)}
        title={
          <>
            <span class="unseen">{words.say("report.heading")} </span>
            <Foreign charsMax={headingCharsMax}>{withoutScheme(scan.url)}</Foreign>
          </>
        }
      >
        <Actions report={report} />
      </PageHead>
      <ReportFacts report={report} />
    </>
  );
}

/** The pages above a report, and above a comparison. */
export function trailTo({ url }: ScanRecord, words: Words) {
  const host = hostOf(url);
  return [
    { href: "/scans", text: words.say("report.trail") },
    { href: hostPath(host), text: host },
  ];
}

/** For the title of a page, which lists of tabs and bookmarks cut anyway. */
export function shortHost(url: string): string {
  const host = hostOf(url);
  return host.length <= titleHostCharsMax ? host : `${host.slice(0, titleHostCharsMax - 1)}\u2026`;
}

/** `example.org/path`; of a page at the root the host alone. */
function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, "").replace(/^([^/?]+)\/$/, "$1");
}

function Actions({ report: { scan, comparable } }: { readonly report: Report }) {
  const visit = useVisit();
  const { words } = visit;
  const path = `/scans/${scan.token}`;
  return (
    <>
      <ScanAgain url={scan.url}>{words.say("report.actions.rescan")}</ScanAgain>
      {comparable !== null && (
        <a class="button" href={`${path}/compare?with=previous`}>
          {words.say("report.actions.compare")}
        </a>
      )}
      <a class="button" href={`${path}.json`} download>
        JSON
      </a>
      <button type="button" data-print hidden>
        {words.say("report.actions.print")}
      </button>
      <input type="hidden" id="report-address" value={`${publicOrigin(visit)}${path}`} />
      <button type="button" data-copy="#report-address" data-copied={words.say("report.actions.copied")} hidden>
        {words.say("report.actions.copyLink")}
      </button>
    </>
  );
}

function ReportFacts({ report: { scan, result, evidence } }: { readonly report: Report }) {
  const words = useWords();
  const navigation = evidence?.navigation.status === "read" ? evidence.navigation.facts : null;
  const title = evidence?.dom.status === "read" ? evidence.dom.facts.title : "";
  const status = evidence?.page.status === "read" ? evidence.page.facts.status : (navigation?.finalStatus ?? null);
  return (
    <dl class="facts">
      <Fact name={words.say("report.facts.url")}>
        <Address url={scan.url} />
        <NameInUnicode url={scan.url} />
      </Fact>
      {navigation !== null && navigation.finalUrl !== scan.url && (
        <Fact name={words.say("report.facts.finalUrl")}>
          <Address url={navigation.finalUrl} />
        </Fact>
      )}
      {title !== "" && (
        <Fact name={words.say("report.facts.documentTitle")}>
          <Foreign charsMax={titleCharsMax}>{title}</Foreign>
        </Fact>
      )}
      {status !== null && (
        <Fact name={words.say("report.facts.answer")}>
          {words.say("report.facts.status", { status })}
          {navigation !== null && navigation.remoteAddress !== null && (
            <>
              {" "}
              {words.say("report.facts.from")} <Foreign>{navigation.remoteAddress}</Foreign>
            </>
          )}
        </Fact>
      )}
      <Fact name={words.say("report.facts.measured")}>
        <Instant at={endOf(scan)} />
      </Fact>
      {scan.startedAt !== null && scan.endedAt !== null && (
        <Fact name={words.say("report.facts.duration")}>
          {words.count("report.facts.seconds", secondsBetween(scan.startedAt, scan.endedAt))}
        </Fact>
      )}
      <Fact name={words.say("report.facts.rules")}>
        {words.say("report.facts.versions", { algorithm: result.algorithmVersion, catalog: result.catalogVersion })}
      </Fact>
    </dl>
  );
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
      <Foreign>{url}</Foreign>
    </ExternalLink>
  );
}

/** In tenths. */
function secondsBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 100) / 10;
}
