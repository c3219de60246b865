/** Asks for the scanned page in the name of a foreign origin: would its answers be readable for that origin? */

import { httpGet } from "../../egress/http-client.ts";
import { failed, type Reading, read } from "../../evidence/evidence.ts";
import type { CrossOriginFacts } from "../../evidence/facts.ts";
import { saysNothingOfSite } from "../../parse/redirects.ts";
import { isChallenge } from "../browser/page-challenge.ts";
import { exchangeMs, type ProbeContext } from "../context.ts";
import { failedBy } from "../failure.ts";

/** RFC 6761 section 6.4: nobody can have this name, so a server that lets it in lets everybody in. */
export const foreignOrigin = "https://cross-origin-probe.invalid";

export interface CrossOriginContext extends ProbeContext {
  /** Of the page as the browser found it in the end. */
  readonly url: string;
}

/** One GET; redirects are not followed. */
export async function probeCrossOrigin({ egress, url, signal }: CrossOriginContext): Promise<Reading<CrossOriginFacts>> {
  if (!/^https?:\/\//.test(url)) return failed("not-asked");
  try {
    const reply = await httpGet(egress, url, { deadlineMs: exchangeMs, signal, bodyBytesMax: 0, headers: [["Origin", foreignOrigin]] });
    if (saysNothingOfSite(reply.status)) return failed("server-error");
    if (isChallenge(reply, null)) return failed("challenged");
    const headers = reply.headers.filter(({ name }) => /^(access-control-.*|content-security-policy|vary)$/i.test(name));
    return read({ url, status: reply.status, originSent: foreignOrigin, headers });
  } catch (thrown) {
    return failedBy(thrown);
  }
}
