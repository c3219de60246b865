/** Decides whether a page was reached; apart from gather.ts, so that `assay judge` loads neither probes nor browser code. */
import type { Evidence, ProbeFailure } from "../evidence/evidence.ts";
import type { ScanErrorCode } from "../evidence/scan.ts";
import { isHttps } from "../parse/header-fields.ts";

/**
 * Error code if the page was not reachable, else null. A browser may refuse a server that our own client can read, such as
 * one with TLS 1.0 only: that is judged, and the result is not measured. So is a server to which plain HTTP redirects.
 */
export function unreachableBecause({ subject, navigation, tls }: Evidence): ScanErrorCode | null {
  if (navigation.status === "read") return null;
  const isAboutTls = isHttps(subject.url) || navigation.because === "tls" || navigation.because === "tls-incompatible";
  if (navigation.because !== "blocked" && isAboutTls && tls.status === "read") return null;
  return errorCodes[navigation.because];
}

/** Error code of the scan by failure of the navigation. */
const errorCodes: Readonly<Record<ProbeFailure, ScanErrorCode>> = {
  timeout: "timeout",
  refused: "refused",
  unresolved: "unresolved",
  unreachable: "unreachable",
  blocked: "blocked",
  tls: "tls",
  "tls-incompatible": "tls",
  invalid: "invalid",
  redirects: "redirects",
  "server-error": "unreachable",
  challenged: "unreachable",
  "client-error": "unreachable",
  "sign-in-required": "unreachable",
  "too-large": "too-large",
  unsupported: "invalid",
  crashed: "crashed",
  "not-asked": "crashed",
};
