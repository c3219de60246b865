/** Requests a URL and follows its redirects up to a limit. */
import { EgressError } from "../../egress/egress-error.ts";
import { type HttpReply, httpGet } from "../../egress/http-client.ts";
import { headerLimitOf } from "../../evidence/evidence.ts";
import type { PlainHttpFacts } from "../../evidence/http-facts.ts";
import { urlCharsMax } from "../../evidence/limits.ts";
import { isRedirectStatus } from "../../parse/redirects.ts";
import { exchangeMs, type SubjectContext } from "../context.ts";

export interface FollowOptions {
  /** The last answer may be another redirect. */
  readonly answersMax: number;
  readonly bodyBytesMax: number;
}

export interface Followed {
  readonly answers: readonly { readonly url: string; readonly reply: HttpReply }[];
  readonly stoppedBecause: PlainHttpFacts["stoppedBecause"];
}

/** @throws EgressError when the first URL gives no answer. A later failure only ends the chain. */
export async function followRedirects(context: SubjectContext, url: string, options: FollowOptions): Promise<Followed> {
  const { egress, signal, subject } = context;
  const { answersMax, bodyBytesMax } = options;
  const getOptions = { deadlineMs: exchangeMs, signal, bodyBytesMax, headerCharsMax: headerLimitOf(subject) };
  const answers: { url: string; reply: HttpReply }[] = [];
  let next = url;
  for (;;) {
    try {
      answers.push({ url: next, reply: await httpGet(egress, next, getOptions) });
    } catch (thrown) {
      if (answers.length === 0 || !(thrown instanceof EgressError)) throw thrown;
      return { answers, stoppedBecause: "connection-failed" };
    }
    const location = locationOf(answers.at(-1)?.reply);
    if (location === null) return { answers, stoppedBecause: null };
    if (answers.length === answersMax) return { answers, stoppedBecause: "too-many-hops" };
    const target = URL.parse(location, next);
    if (target === null || !/^https?:$/.test(target.protocol) || target.href.length > urlCharsMax) {
      return { answers, stoppedBecause: "bad-location" };
    }
    target.hash = "";
    next = target.href;
  }
}

function locationOf(reply: HttpReply | undefined): string | null {
  return reply !== undefined && isRedirectStatus(reply.status) ? reply.field("location") : null;
}
