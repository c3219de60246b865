/** Card of a host: newest score, its change, its course and the time of the last scan. */

import { Instant, LocationMark } from "../../report/components/labels.tsx";
import { SmallScore } from "../../report/components/score-ring.tsx";
import { HostName, UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { Sparkline } from "../components/sparkline.tsx";
import { hostPath } from "./host-name.ts";
import { endOf } from "./scan-end.ts";
import { scoreChange } from "./score-change.ts";

const pathCharsMax = 40;

export interface HostCardProps {
  /** ASCII; an IPv6 address without brackets. */
  readonly host: string;
  /** Location of all these scans. */
  readonly location: string;
  /** Finished scans of one address of the host, newest first. */
  readonly scans: readonly ScanRecord[];
  /** Newer scan without a result: waiting, running or failed. */
  readonly pending: ScanRecord | null;
}

/** Item of a list `cards`. */
export function HostCard({ host, location, scans, pending }: HostCardProps) {
  const i18n = useI18n();
  const [newest] = scans;
  const shown = newest ?? pending;
  return (
    <li class="host-card">
      <h3>{shown === null ? <HostName host={host} /> : <HostLink host={host} scan={shown} />}</h3>
      <LocationMark location={location} />
      {newest !== undefined && <Course scans={scans} newest={newest} />}
      {pending !== null && (
        <p class="small">
          <a href={`/scans/${pending.token}`}>{i18n.t(`home.hosts.pending.${pendingText(pending)}`)}</a> <Instant at={endOf(pending)} />
        </p>
      )}
      {newest !== undefined && (
        <p class="small muted">
          <Instant at={endOf(newest)} />{" "}
          <a href={hostPath(host, { location })} aria-label={i18n.t("home.hosts.historyOf", { host })}>
            {i18n.t("home.hosts.history")}
          </a>
        </p>
      )}
    </li>
  );
}

/** Link to the newest report, with the path where it is not the root. */
function HostLink({ host, scan: { token, url } }: { readonly host: string; readonly scan: ScanRecord }) {
  const { pathname } = new URL(url);
  return (
    <>
      <a href={`/scans/${token}`}>
        <HostName host={host} />
      </a>
      {pathname !== "/" && (
        <span class="small muted">
          {" "}
          <UntrustedText charsMax={pathCharsMax}>{pathname}</UntrustedText>
        </span>
      )}
    </>
  );
}

function Course({ scans, newest }: { readonly scans: readonly ScanRecord[]; readonly newest: ScanRecord }) {
  const i18n = useI18n();
  const { summary } = newest;
  const before = scans[1];
  const change = summary === null || before === undefined ? null : scoreChange(i18n, summary, before);
  return (
    <>
      <p class="course">
        <SmallScore score={summary?.score ?? null} />
        <Sparkline scores={scans.map((scan) => scan.summary?.score ?? null).reverse()} />
      </p>
      {change !== null && <p class="small">{change}</p>}
    </>
  );
}

function pendingText({ status }: ScanRecord): "failed" | "running" {
  return status === "failed" ? "failed" : "running";
}
