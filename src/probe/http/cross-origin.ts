/** CORS probe: requests the scanned page with the `Origin` of another site. */
import { cookieFieldFor, headersFor, isPreferenceField, type TargetCredentials } from "../../egress/credentials.ts";
import { httpGet } from "../../egress/http-client.ts";
import { failed, headerLimitOf, type Reading, read } from "../../evidence/evidence.ts";
import type { CrossOriginFacts } from "../../evidence/http-facts.ts";
import { isInconclusiveStatus } from "../../parse/redirects.ts";
import { isChallenge } from "../browser/page-challenge.ts";
import { exchangeMs, failedBy, type SubjectContext } from "../context.ts";
import { trustAnchors } from "../tls/trust.ts";

/** RFC 6761 section 6.4: this name is never registered, so a server that allows it allows every origin. */
export const probeOrigin = "https://cross-origin-probe.invalid";

export interface CrossOriginContext extends SubjectContext {
  readonly url: string;
  /** Null or absent for none. */
  readonly credentials?: TargetCredentials | null;
  /** Roots of the operator, for requests with credentials. */
  readonly caPems?: readonly string[];
}

/**
 * Sends one GET and follows no redirects. It carries the credentials if the page is of their origin: the answer without them would be
 * that of another page.
 */
export async function probeCrossOrigin(context: CrossOriginContext): Promise<Reading<CrossOriginFacts>> {
  const { egress, url, subject, signal, credentials = null, caPems = [] } = context;
  if (!/^https?:\/\//.test(url)) return failed("not-asked");
  try {
    const fields = credentials === null ? [] : fieldsFor(credentials, url);
    const reply = await httpGet(egress, url, {
      deadlineMs: exchangeMs,
      signal,
      bodyBytesMax: 0,
      headerCharsMax: headerLimitOf(subject),
      headers: [["Origin", probeOrigin], ...fields],
      trust: fields.length === 0 ? undefined : trustAnchors(caPems).context,
    });
    if (isInconclusiveStatus(reply.status)) return failed("server-error");
    if (isChallenge(reply, null)) return failed("challenged");
    const headers = reply.headers.filter(({ name }) => /^(access-control-.*|content-security-policy|vary)$/i.test(name));
    return read({ url, status: reply.status, originSent: probeOrigin, headers });
  } catch (thrown) {
    return failedBy(thrown);
  }
}

/** Our client sets its own preferences. */
function fieldsFor(credentials: TargetCredentials, url: string): readonly (readonly [name: string, value: string])[] {
  const cookies = cookieFieldFor(credentials, url);
  const headers = headersFor(credentials, url).filter(({ name }) => !isPreferenceField(name));
  return [...headers.map(({ name, value }) => [name, value] as const), ...(cookies === null ? [] : [["Cookie", cookies] as const])];
}
