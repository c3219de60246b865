/** Metrics of the watched sites of one account, for a scrape by its owner. Each scrape has a registry of its own. */
import { Registry } from "prom-client";
import { addLabelledGauge, type GaugeRow } from "./metrics.ts";

/** Null where the value is not known: the series is left out. */
export interface SiteFigures {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  /** Empty without one. */
  readonly client: string;
  readonly score: number | null;
  readonly openFindings: number | null;
  /** ISO 8601. */
  readonly certificateExpiresAt: string | null;
  readonly lastRunAt: string | null;
}

const labelNames = ["site", "name", "url", "client"];

const families: readonly { readonly name: string; readonly help: string; readonly read: (site: SiteFigures) => number | null }[] = [
  { name: "assay_site_score", help: "Score of the last measured run, 0 to 100.", read: ({ score }) => score },
  { name: "assay_site_open_findings", help: "Findings that are open and not accepted.", read: ({ openFindings }) => openFindings },
  {
    name: "assay_certificate_expiry_timestamp_seconds",
    help: "Expiry of the certificate since the Unix epoch.",
    read: ({ certificateExpiresAt }) => secondsOf(certificateExpiresAt),
  },
  {
    name: "assay_site_last_run_timestamp_seconds",
    help: "Start of the last run since the Unix epoch.",
    read: ({ lastRunAt }) => secondsOf(lastRunAt),
  },
];

export async function siteMetricsText(sites: readonly SiteFigures[]): Promise<{ readonly contentType: string; readonly text: string }> {
  const registry = new Registry();
  for (const { name, help, read } of families)
    addLabelledGauge(registry, { name, help, labelNames }, () => sites.flatMap((site) => rowOf(site, read(site))));
  return { contentType: registry.contentType, text: await registry.metrics() };
}

function rowOf({ id, name, url, client }: SiteFigures, value: number | null): readonly GaugeRow[] {
  return value === null || !Number.isFinite(value) ? [] : [[{ site: String(id), name, url, client }, value]];
}

function secondsOf(instant: string | null): number | null {
  return instant === null ? null : Date.parse(instant) / 1_000;
}
