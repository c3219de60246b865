/** A few words beside the name of each part of the evidence, so that nobody has to open what holds nothing. */
import type { Evidence } from "../../../evidence/evidence.ts";
import type { I18n } from "../../i18n.ts";
import { type EvidencePart, readingsOf } from "./evidence-links.tsx";

/** Null where the name says enough. */
export function hintOf(part: EvidencePart, evidence: Evidence, i18n: I18n): string | null {
  const readings = readingsOf(part).map((name) => evidence[name]);
  const unread = readings.filter(({ status }) => status === "failed").length;
  if (unread > 0) return i18n.t(unread === readings.length ? "evidence.hints.notRead" : "evidence.hints.partly");
  return countOf(part, evidence, i18n);
}

/** Of parts that are read as a whole. */
function countOf(part: EvidencePart, { navigation, page, dom, tls }: Evidence, i18n: I18n): string | null {
  switch (part) {
    case "navigation":
      return navigation.status === "read" ? i18n.count("evidence.hints.redirects", navigation.facts.hops.length) : null;
    case "headers":
      return page.status === "read" ? i18n.count("evidence.hints.headers", page.facts.headers.length + page.facts.headersDropped) : null;
    case "cookies":
      return page.status === "read"
        ? i18n.count("evidence.hints.cookies", page.facts.setCookies.length + page.facts.setCookiesDropped)
        : null;
    case "document":
      return dom.status === "read"
        ? i18n.count("evidence.document.files", dom.facts.subresources.length + dom.facts.subresourcesDropped)
        : null;
    case "tls":
      return tls.status === "read"
        ? i18n.count("evidence.hints.certificates", tls.facts.chain.length + tls.facts.certificatesDropped)
        : null;
    default:
      return null;
  }
}
