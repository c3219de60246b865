/** CORS probe: requests the scanned page with the `Origin` of another site. */
import { httpGet } from "../../egress/http-client.ts";
import { failed, type Reading, read } from "../../evidence/evidence.ts";
import type { CrossOriginFacts } from "../../evidence/http-facts.ts";
import { headerLimitOf } from "../../evidence/subject.ts";
import { isInconclusiveStatus } from "../../parse/redirects.ts";
import { isChallenge } from "../browser/page-challenge.ts";
import { exchangeMs, failedBy, type SubjectContext } from "../context.ts";

/** RFC 6761 section 6.4: this name is never registered, so a server that allows it allows every origin. */
export const probeOrigin = "https://cross-origin-probe.invalid";

export interface CrossOriginContext extends SubjectContext {
  readonly url: string;
}

/** Sends one GET and follows no redirects. */
export async function probeCrossOrigin({ egress, url, subject, signal }: CrossOriginContext): Promise<Reading<CrossOriginFacts>> {
  if (!/^https?:\/\//.test(url)) return failed("not-asked");
  try {
    const reply = await httpGet(egress, url, {
      deadlineMs: exchangeMs,
      signal,
      bodyBytesMax: 0,
      headerCharsMax: headerLimitOf(subject),
      headers: [["Origin", probeOrigin]],
    });
    if (isInconclusiveStatus(reply.status)) return failed("server-error");
    if (isChallenge(reply, null)) return failed("challenged");
    const headers = reply.headers.filter(({ name }) => /^(access-control-.*|content-security-policy|vary)$/i.test(name));
    return read({ url, status: reply.status, originSent: probeOrigin, headers });
  } catch (thrown) {
    return failedBy(thrown);
  }
}
