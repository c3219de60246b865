/** Title and lead of a report: host, path, and time of the scan. */
import { localLocation } from "../parse/location.ts";
import { hostOf } from "../parse/site.ts";
import type { I18n } from "../text/translator.ts";
import { HostName } from "./components/host-url.tsx";
import { Instant } from "./components/instant.tsx";
import { LocationFact } from "./components/location-fact.tsx";
import { UntrustedText } from "./components/untrusted-text.tsx";
import { useDocument } from "./context.ts";
import { addressId } from "./score-details.tsx";

const titleHostCharsMax = 40;
/** Longer paths are cut in the head; the details below show the whole address. */
const pathCharsMax = 60;

/** Content of the heading. */
export function ReportTitle({ host }: { readonly host: string }) {
  const { i18n } = useDocument();
  return (
    <>
      <span class="unseen">{i18n.t("report.heading")} </span>
      <HostName host={host} />
    </>
  );
}

interface LeadProps {
  readonly url: string;
  readonly location: string;
  /** ISO 8601, UTC. */
  readonly endedAt: string;
}

export function ReportLead({ url, location, endedAt }: LeadProps) {
  const { i18n, idOf } = useDocument();
  const path = restOf(url);
  return (
    <>
      {path !== "" && (
        <>
          <UntrustedText>{path.length <= pathCharsMax ? path : `${path.slice(0, pathCharsMax)}\u2026`}</UntrustedText>
          {path.length > pathCharsMax && (
            <>
              {" "}
              <a href={`#${idOf(addressId)}`}>{i18n.t("report.wholeAddress")}</a>
            </>
          )}
          {" \u00b7 "}
        </>
      )}
      <Instant at={endedAt} relative={false} />
      <LocationFact location={location} />
    </>
  );
}

/** What the host does not say: path and query, and the whole URL if it has a port or is not https. Empty for the root page. */
function restOf(url: string): string {
  const { protocol, port, origin } = new URL(url);
  if (protocol !== "https:" || port !== "") return url;
  const path = url.slice(origin.length);
  return path === "/" ? "" : path;
}

/** Host for document titles, which tabs and bookmarks cut anyway. */
export function shortHost(url: string): string {
  const host = hostOf(url) ?? url;
  return host.length <= titleHostCharsMax ? host : `${host.slice(0, titleHostCharsMax - 1)}\u2026`;
}

/** Text at the top of every printed page. */
export function printHeader(i18n: I18n, { url, location, endedAt }: LeadProps): string {
  const facts = [shortHost(url), i18n.dateTime(endedAt), ...(location === localLocation ? [] : [i18n.t("location.of", { location })])];
  return facts.join(", ");
}

/** Document title of a report. */
export function reportTitle(i18n: I18n, url: string, score: number | null): string {
  const host = shortHost(url);
  return score === null ? i18n.t("report.titleNotMeasured", { host }) : i18n.t("report.title", { host, score });
}
