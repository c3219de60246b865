/** Days until a certificate expires, in words. */
import { useI18n } from "../context.ts";

/** Days from which the end of a certificate is marked. */
const markedDays = { warn: 30, poor: 7 } as const;

/** `days`: whole ones, negative after the end. */
export function DaysLeft({ days }: { readonly days: number }) {
  const i18n = useI18n();
  if (days < 0) return <strong class="poor">{i18n.t("sites.certificate.expired")}</strong>;
  const kind = days < markedDays.poor ? "poor" : days < markedDays.warn ? "warn" : undefined;
  return <span class={kind}>{i18n.count("sites.certificate.days", days)}</span>;
}
