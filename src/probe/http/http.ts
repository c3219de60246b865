/** Probes that send HTTP requests without a browser: port 80, security.txt and CORS. */
import { cookieFieldFor, headersFor, isPreferenceField, type TargetCredentials } from "../../egress/credentials.ts";
import type { Egress } from "../../egress/dial.ts";
import { CertificateRefused, EgressError } from "../../egress/egress-error.ts";
import { type GetOptions, type HttpReply, httpGet } from "../../egress/http-client.ts";
import { failed, headerLimitOf, isRedirectStatus, type Reading, read } from "../../evidence/evidence.ts";
import type { CrossOriginFacts, HttpAnswer, PlainHttpFacts, SecurityTxtFacts } from "../../evidence/http-facts.ts";
import { headerValueCharsMax, hopsMax, urlCharsMax, wellKnownBytesMax, wellKnownRedirectsMax } from "../../evidence/limits.ts";
import { boundedText } from "../../evidence/redact.ts";
import { isHttps, isInconclusiveStatus } from "../../parse/header-fields.ts";
import { foundSecurityTxt } from "../../parse/security-txt.ts";
import { exchangeMs, failedBy, type SubjectContext } from "../context.ts";
import { trustAnchors } from "../tls/trust.ts";

// Detects challenges of bot defences, so that they are not graded as the site.

/** Header fields that appear on challenges only. */
const challengeFields: readonly { readonly name: string; readonly value: RegExp }[] = [
  { name: "cf-mitigated", value: /^challenge$/i }, // Cloudflare
  { name: "x-amzn-waf-action", value: /^(challenge|captcha)$/i }, // AWS WAF
  { name: "x-vercel-mitigated", value: /^(challenge|deny)$/i }, // Vercel
  { name: "server", value: /^datadome$/i }, // DataDome: on its own answers only; x-datadome is also on answers of the site
  { name: "sg-captcha", value: /^challenge$/i }, // SiteGround
];

/** Titles and statuses of challenges without such a field: Cloudflare, DDoS-Guard, Vercel, Imperva, HUMAN. */
const challengeTitles =
  /^(Just a moment\.\.\.|Attention Required! \| Cloudflare|DDoS-Guard|Vercel Security Checkpoint|Pardon Our Interruption|Access to this page has been denied)$/;
const challengeStatuses = [202, 403, 405, 429, 503];
/** Titles that suffice with any status: these defences answer 200, for search engines. Anubis, go-away. */
const challengeTitlesOfAnyStatus = /^(Making sure you're not a bot!|Checking you are not a bot)$/;

/** `title` is null when the document could not be read. */
export function isChallenge({ status, headers }: Pick<HttpAnswer, "status" | "headers">, title: string | null): boolean {
  const hasField = headers.some((field) =>
    challengeFields.some(({ name, value }) => field.name.toLowerCase() === name && value.test(field.value.trim())),
  );
  const trimmed = title?.trim() ?? "";
  return hasField || challengeTitlesOfAnyStatus.test(trimmed) || (challengeStatuses.includes(status) && challengeTitles.test(trimmed));
}

// Requests a URL and follows its redirects up to a limit.

interface FollowOptions {
  /** The last answer may be another redirect. */
  readonly answersMax: number;
  readonly bodyBytesMax: number;
  /** Roots by which certificates are judged. A refused one ends no chain. */
  readonly trust?: GetOptions["trust"];
}

/** Null over plain http, and without roots. */
type CertificateVerdict = NonNullable<SecurityTxtFacts["attempts"][number]["hops"]>[number]["certificate"];

interface Answer {
  readonly reply: HttpReply;
  readonly certificate: CertificateVerdict;
}

export interface Followed {
  readonly answers: readonly (Answer & { readonly url: string })[];
  readonly stoppedBecause: PlainHttpFacts["stoppedBecause"];
}

/** @throws EgressError when the first URL gives no answer. A later failure only ends the chain. */
export async function followRedirects(context: SubjectContext, url: string, options: FollowOptions): Promise<Followed> {
  const { egress, signal, subject } = context;
  const { answersMax, bodyBytesMax, trust } = options;
  const getOptions = { deadlineMs: exchangeMs, signal, bodyBytesMax, headerCharsMax: headerLimitOf(subject) };
  const answers: (Answer & { readonly url: string })[] = [];
  let next = url;
  for (;;) {
    try {
      answers.push({ url: next, ...(await answerOf(egress, next, { ...getOptions, trust })) });
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

/** Asks once more without roots where TLS fails with them, so that the answer is known whatever the certificate. */
async function answerOf(egress: Egress, url: string, options: GetOptions): Promise<Answer> {
  const isJudged = options.trust !== undefined && isHttps(url);
  try {
    return { reply: await httpGet(egress, url, options), certificate: isJudged ? "accepted" : null };
  } catch (thrown) {
    if (!isJudged || !(thrown instanceof EgressError) || thrown.because !== "tls") throw thrown;
    const reply = await httpGet(egress, url, { ...options, trust: undefined });
    return { reply, certificate: thrown instanceof CertificateRefused ? "refused" : "unread" };
  }
}

export function answerFacts({ url, reply: { status, headers, headersDropped } }: Followed["answers"][number]): HttpAnswer {
  return { url, status, headers, headersDropped };
}

function locationOf(reply: HttpReply | undefined): string | null {
  return reply !== undefined && isRedirectStatus(reply.status) ? reply.field("location") : null;
}

// Requests the scanned URL on port 80 with our own client, because a browser may upgrade to https by itself.

export async function probePlainHttp(context: SubjectContext): Promise<Reading<PlainHttpFacts>> {
  const { port, hostname, pathname, search } = new URL(context.subject.url);
  if (port !== "") return read({ outcome: "custom-port", answers: [], stoppedBecause: null });
  try {
    const url = `http://${hostname}${pathname}${search}`;
    const { answers, stoppedBecause } = await followRedirects(context, url, { answersMax: hopsMax, bodyBytesMax: 0 });
    return read({ outcome: "answered", answers: answers.map(answerFacts), stoppedBecause });
  } catch (thrown) {
    if (thrown instanceof EgressError && thrown.because === "refused")
      return read({ outcome: "refused", answers: [], stoppedBecause: null });
    return failedBy(thrown);
  }
}

// Probe of security.txt (RFC 9116), and the bounded reading of well-known files (RFC 8615).

type Attempt = SecurityTxtFacts["attempts"][number];

/** RFC 9116 section 3; the second path is the legacy one. */
const securityTxtPaths = ["/.well-known/security.txt", "/security.txt"] as const;

interface SecurityTxtContext extends SubjectContext {
  /** Roots beside the bundled ones. Without it, certificates are not judged. */
  readonly caPems?: readonly string[];
}

/** Over https only (RFC 9116 section 3). Skips a host that is scanned over http on a custom port. */
export async function probeSecurityTxt(context: SecurityTxtContext): Promise<Reading<SecurityTxtFacts>> {
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

/** Answer for a URL. Null without an answer, because the well-known path already gave facts. */
async function requestIfReachable(context: SecurityTxtContext, url: string): Promise<Attempt | null> {
  try {
    return await request(context, url);
  } catch (thrown) {
    if (thrown instanceof EgressError) return null;
    throw thrown;
  }
}

async function request(context: SecurityTxtContext, url: string): Promise<Attempt> {
  const trust = context.caPems === undefined ? undefined : trustAnchors(context.caPems).context;
  const limits = { answersMax: 1 + wellKnownRedirectsMax, bodyBytesMax: wellKnownBytesMax };
  const { answers } = await followRedirects(context, url, { ...limits, trust });
  const last = answers.at(-1);
  if (last === undefined) throw new Error("the redirect chain has no answer");
  const hops = trust === undefined ? {} : { hops: answers.map((answer) => ({ url: answer.url, certificate: answer.certificate })) };
  return { url, finalUrl: last.url, ...fileFacts(last.reply, { ignoreBOM: true }), ...hops };
}

/** A text file; its body is empty unless the status is 200. @throws EgressError `invalid` for a compressed file, which was not requested. */
export function fileFacts(reply: HttpReply, { ignoreBOM = false } = {}): Pick<Attempt, "status" | "contentType" | "body" | "truncated"> {
  const contentType = reply.field("content-type");
  return {
    status: reply.status,
    contentType: contentType === null ? null : boundedText(contentType, headerValueCharsMax).text,
    body: new TextDecoder("utf-8", { ignoreBOM }).decode(fileBytes(reply)),
    truncated: reply.status === 200 && reply.truncated,
  };
}

function fileBytes({ status, body, field }: HttpReply): Uint8Array {
  if (status !== 200) return new Uint8Array();
  const encoding = field("content-encoding")?.trim() ?? "";
  if (encoding !== "" && encoding.toLowerCase() !== "identity") throw new EgressError("invalid", "a compressed file was not requested");
  return body;
}

// CORS probe: requests the scanned page with the `Origin` of another site.

/** RFC 6761 section 6.4: this name is never registered, so a server that allows it allows every origin. */
export const probeOrigin = "https://cross-origin-probe.invalid";

interface CrossOriginContext extends SubjectContext {
  readonly url: string;
  /** Credentials for the origin of the page; null or absent without them. */
  readonly credentials?: TargetCredentials | null;
  /** Roots of the operator, for requests with credentials. */
  readonly caPems?: readonly string[];
}

/**
 * Sends one GET and follows no redirects. It carries the credentials if the page has their origin: the answer without them would be
 * the answer of another page.
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

/** The HTTP client of assay sets preference fields itself. */
function fieldsFor(credentials: TargetCredentials, url: string): readonly (readonly [name: string, value: string])[] {
  const cookies = cookieFieldFor(credentials, url);
  const headers = headersFor(credentials, url).filter(({ name }) => !isPreferenceField(name));
  return [...headers.map(({ name, value }) => [name, value] as const), ...(cookies === null ? [] : [["Cookie", cookies] as const])];
}
