/** Asks the scanned host for files that stand at well-known places (RFC 8615). */

import { EgressError } from "../../egress/egress-error.ts";
import { boundedText } from "../../evidence/bound.ts";
import { failed, type Reading, read } from "../../evidence/evidence.ts";
import type { SecurityTxtFacts } from "../../evidence/facts.ts";
import { headerValueCharsMax, wellKnownBytesMax } from "../../evidence/limits.ts";
import { foundSecurityTxt } from "../../parse/security-txt-places.ts";
import type { SubjectContext } from "../context.ts";
import { failedBy } from "../failure.ts";
import { fileBytes } from "./file-bytes.ts";
import { followRedirects } from "./redirects.ts";

type Attempt = SecurityTxtFacts["attempts"][number];

/** RFC 9116 section 3; the second is where the file used to be. */
const places = ["/.well-known/security.txt", "/security.txt"] as const;
const redirectsMax = 5;

/** Over https only, which RFC 9116 section 3 demands; a host that is scanned at a plain port of its own is not asked. */
export async function probeSecurityTxt(context: SubjectContext): Promise<Reading<SecurityTxtFacts>> {
  const { protocol, hostname, port } = new URL(context.subject.url);
  if (protocol !== "https:" && port !== "") return failed("not-asked");
  const origin = `https://${hostname}${port === "" ? "" : `:${port}`}`;
  try {
    const wellKnown = await ask(context, origin + places[0]);
    const isThere = foundSecurityTxt({ attempts: [wellKnown] }).at === "well-known";
    const other = isThere ? null : await askIfPossible(context, origin + places[1]);
    return read({ attempts: other === null ? [wellKnown] : [wellKnown, other] });
  } catch (thrown) {
    return failedBy(thrown);
  }
}

/** Null without an answer: what the well-known place said stands by itself. */
async function askIfPossible(context: SubjectContext, url: string): Promise<Attempt | null> {
  try {
    return await ask(context, url);
  } catch (thrown) {
    if (thrown instanceof EgressError) return null;
    throw thrown;
  }
}

async function ask(context: SubjectContext, url: string): Promise<Attempt> {
  const { answers } = await followRedirects(context, url, { answersMax: redirectsMax + 1, bodyBytesMax: wellKnownBytesMax });
  const last = answers.at(-1);
  if (last === undefined) throw new Error("a chain without an answer");
  const { status, truncated } = last.reply;
  const contentType = last.reply.field("content-type");
  return {
    url,
    finalUrl: last.url,
    status,
    contentType: contentType === null ? null : boundedText(contentType, headerValueCharsMax).text,
    body: new TextDecoder("utf-8", { ignoreBOM: true }).decode(fileBytes(last.reply)),
    truncated: status === 200 && truncated,
  };
}
