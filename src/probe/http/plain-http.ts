/** Requests the scanned URL on port 80 with our own client, because a browser may upgrade to https by itself. */
import { EgressError } from "../../egress/egress-error.ts";
import { type Reading, read } from "../../evidence/evidence.ts";
import type { PlainHttpFacts } from "../../evidence/http-facts.ts";
import { hopsMax } from "../../evidence/limits.ts";
import { failedBy, type SubjectContext } from "../context.ts";
import { followRedirects } from "./redirects.ts";

export async function probePlainHttp(context: SubjectContext): Promise<Reading<PlainHttpFacts>> {
  const { port, hostname, pathname, search } = new URL(context.subject.url);
  if (port !== "") return read({ outcome: "custom-port", answers: [], stoppedBecause: null });
  try {
    const url = `http://${hostname}${pathname}${search}`;
    const { answers, stoppedBecause } = await followRedirects(context, url, { answersMax: hopsMax, bodyBytesMax: 0 });
    return read({
      outcome: "answered",
      answers: answers.map(({ url, reply: { status, headers, headersDropped } }) => ({ url, status, headers, headersDropped })),
      stoppedBecause,
    });
  } catch (thrown) {
    if (thrown instanceof EgressError && thrown.because === "refused")
      return read({ outcome: "refused", answers: [], stoppedBecause: null });
    return failedBy(thrown);
  }
}
