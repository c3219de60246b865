/** Decides whether the credentials of a user may be sent: only to a server that proves its name with a valid certificate. */
import type { TargetCredentials, VerifiedCredentials } from "../egress/credentials.ts";
import type { ProbeFailure, Reading } from "../evidence/evidence.ts";
import type { TlsFacts } from "../evidence/tls-facts.ts";
import { failedVisit, type PageVisit } from "../probe/browser/page.ts";

/** The reason of a refusal is the failure of the page. `now` is ISO 8601. */
export function verifiedCredentials(
  credentials: TargetCredentials,
  tls: Reading<TlsFacts>,
  now: string,
): VerifiedCredentials | ProbeFailure {
  if (tls.status === "failed") return tls.because;
  const { trusted, trustedBy, hostMatches, chain } = tls.facts;
  const [leaf] = chain;
  const nowMs = Date.parse(now);
  const isInTime = leaf !== undefined && Date.parse(leaf.validFrom) <= nowMs && nowMs <= Date.parse(leaf.validTo);
  return trusted && hostMatches && isInTime ? { ...credentials, browserVerifies: trustedBy === "public" } : "tls";
}

/** The page without credentials would be another page, so it is not loaded at all. */
export function withoutVisit(because: ProbeFailure): PageVisit {
  return { ...failedVisit(because), browserBroke: false };
}

export function refusalOf({ origin }: TargetCredentials, because: ProbeFailure): string {
  return `headers and cookies were not sent to ${origin}: ${because === "tls" ? "its certificate is not valid" : `its TLS was not read (${because})`}`;
}
