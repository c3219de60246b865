/** Asks port 80 for the scanned address with our own client: a browser may upgrade by itself, and then shows nothing of it. */
import { EgressError } from "../../egress/egress-error.ts";
import { type Reading, read } from "../../evidence/evidence.ts";
import type { PlainHttpFacts } from "../../evidence/facts.ts";
import { hopsMax } from "../../evidence/limits.ts";
import type { SubjectContext } from "../context.ts";
import { failedBy } from "../failure.ts";
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
