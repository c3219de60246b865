/** What a table shows of a watched site: state, certificate, and labels. */
import { DaysLeft } from "../../report/components/labels.tsx";
import { SmallScore } from "../../report/components/score-ring.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import { certificateDaysOf, type Site } from "../../store/sites.ts";
import { Sparkline } from "../components/score-chart.tsx";
import type { SiteMark } from "./site-query.ts";

const markStyles = { running: "unknown", paused: "unknown outlined", failing: "poor" } as const satisfies Record<SiteMark, string>;

export function SiteMarkChip({ mark }: { readonly mark: SiteMark }) {
  return <span class={`chip ${markStyles[mark]}`}>{useI18n().t(`sites.marks.${mark}`)}</span>;
}

export function TagChips({ tags }: Pick<Site, "tags">) {
  return (
    <>
      {tags.map((tag) => (
        <span key={tag} class="chip unknown outlined tag">
          <UntrustedText>{tag}</UntrustedText>
        </span>
      ))}
    </>
  );
}

/** Null if the certificate was not read. */
export function CertificateDays({ site, now }: { readonly site: Site; readonly now: Date }) {
  const days = certificateDaysOf(site, now);
  return days === null ? null : <DaysLeft days={days} />;
}

/** Last score and its course. */
export function SiteScore({ site: { reading, trend } }: { readonly site: Site }) {
  return (
    <>
      <SmallScore score={reading?.score ?? null} />
      <Sparkline scores={trend} />
    </>
  );
}
