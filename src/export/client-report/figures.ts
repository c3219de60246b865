/** Figures of several sites together, of those that were measured. */
import type { Site } from "../../store/sites.ts";

export interface CountedSite {
  readonly site: Pick<Site, "reading">;
  /** Open findings that are not accepted. */
  readonly open: number;
}

export interface Figures {
  readonly measured: number;
  /** Lowest of all; null without a measured site, as is `open`. */
  readonly score: number | null;
  readonly open: number | null;
  /** The first to expire; null if no certificate was read. */
  readonly certificateExpiresAt: string | null;
}

export function figuresOf(sites: readonly CountedSite[]): Figures {
  const measured = sites.flatMap(({ site: { reading }, open }) => (reading === null ? [] : [{ reading, open }]));
  const [certificateExpiresAt = null] = measured.flatMap(({ reading }) => reading.certificateExpiresAt ?? []).sort();
  return {
    measured: measured.length,
    score: measured.length === 0 ? null : Math.min(...measured.map(({ reading }) => reading.score)),
    open: measured.length === 0 ? null : measured.reduce((sum, { open }) => sum + open, 0),
    certificateExpiresAt,
  };
}
