/** Probe of security.txt (RFC 9116), and the bounded reading of well-known files (RFC 8615). */
import { EgressError } from "../../egress/egress-error.ts";
import type { HttpReply } from "../../egress/http-client.ts";
import { failed, type Reading, read } from "../../evidence/evidence.ts";
import type { SecurityTxtFacts } from "../../evidence/http-facts.ts";
import { headerValueCharsMax, wellKnownBytesMax } from "../../evidence/limits.ts";
import { boundedText } from "../../evidence/redact.ts";
import { foundSecurityTxt } from "../../parse/security-txt-places.ts";
import { failedBy, type SubjectContext } from "../context.ts";
import { followRedirects } from "./redirects.ts";

type Attempt = SecurityTxtFacts["attempts"][number];

/** RFC 9116 section 3; the second path is the legacy one. */
const securityTxtPaths = ["/.well-known/security.txt", "/security.txt"] as const;
const redirectsMax = 5;

/** Over https only (RFC 9116 section 3). Skips a host that is scanned over http on a custom port. */
export async function probeSecurityTxt(context: SubjectContext): Promise<Reading<SecurityTxtFacts>> {
  const { protocol, hostname, port } = new URL(context.subject.url);
  if (protocol !== "https:" && port !== "") return failed("not-asked");
  const origin = `https://${hostname}${port === "" ? "" : `:${port}`}`;
  try {
    const wellKnown = await request(context, origin + securityTxtPaths[0]);
    const isThere = foundSecurityTxt({ attempts: [wellKnown] }).at === "well-known";
    const legacy = isThere ? null : await requestIfReachable(context, origin + securityTxtPaths[1]);
    return read({ attempts: legacy === null ? [wellKnown] : [wellKnown, legacy] });
  } catch (thrown) {
    return failedBy(thrown);
  }
}

/** Null without an answer, because the well-known path already gave facts. */
async function requestIfReachable(context: SubjectContext, url: string): Promise<Attempt | null> {
  try {
    return await request(context, url);
  } catch (thrown) {
    if (thrown instanceof EgressError) return null;
    throw thrown;
  }
}

async function request(context: SubjectContext, url: string): Promise<Attempt> {
  const { answers } = await followRedirects(context, url, { answersMax: redirectsMax + 1, bodyBytesMax: wellKnownBytesMax });
  const last = answers.at(-1);
  if (last === undefined) throw new Error("the redirect chain has no answer");
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

/** Empty unless the status is 200. @throws EgressError `invalid` for a compressed file, which was not requested. */
export function fileBytes({ status, body, field }: HttpReply): Uint8Array {
  if (status !== 200) return new Uint8Array();
  const encoding = field("content-encoding")?.trim() ?? "";
  if (encoding !== "" && encoding.toLowerCase() !== "identity") throw new EgressError("invalid", "a compressed file was not requested");
  return body;
}
