/** Decides which hosts the page's HSTS policy keeps from plain http. */
import type { Reading } from "../evidence/evidence.ts";
import type { PageFacts } from "../evidence/page-facts.ts";
import type { TlsFacts } from "../evidence/tls-facts.ts";
import { parseIpText } from "../parse/address.ts";
import { fieldsNamed, isHttps } from "../parse/header-fields.ts";
import { hstsMaxAgeSecondsMin, parseHsts } from "../parse/hsts.ts";
import { hostOf } from "../parse/site.ts";
import { isCertificateAccepted } from "./certificate.ts";

/**
 * Host whose names below it browsers visit over https only; null without such a policy. RFC 6797 section 8.1: browsers obey only the first
 * field, only over https and only with an accepted certificate.
 */
export function hstsWithSubdomains(page: PageFacts, tls: Reading<TlsFacts>, scannedAt: string): string | null {
  const host = hostOf(page.url);
  const [field] = fieldsNamed(page.headers, "strict-transport-security");
  if (host === null || field === undefined || field.truncated || !isHttps(page.url) || parseIpText(host) !== null) return null;
  const policy = parseHsts(field.value);
  if ("defect" in policy || !policy.includeSubDomains || policy.maxAgeSeconds < hstsMaxAgeSecondsMin) return null;
  if (tls.status === "read" && tls.facts.host === host && !isCertificateAccepted(tls.facts, scannedAt)) return null;
  return host;
}
