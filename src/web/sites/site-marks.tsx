/** What a table shows of a watched site: state, certificate, and labels. */
import { SmallScore } from "../../report/components/score-ring.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { Site } from "../../store/sites.ts";
import { Sparkline } from "../components/sparkline.tsx";
import { certificateDaysOf, type SiteMark } from "./site-query.ts";

/** Days in which the end of a certificate is marked. */
const certificateDays = { warn: 30, poor: 7 } as const;

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

/** Days left, in words. Null if the certificate was not read. */
export function CertificateDays({ site, now }: { readonly site: Site; readonly now: Date }) {
  const i18n = useI18n();
  const days = certificateDaysOf(site, now);
  if (days === null) return null;
  if (days < 0) return <strong class="poor">{i18n.t("sites.certificate.expired")}</strong>;
  const kind = days < certificateDays.poor ? "poor" : days < certificateDays.warn ? "warn" : undefined;
  return <span class={kind}>{i18n.count("sites.certificate.days", days)}</span>;
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
