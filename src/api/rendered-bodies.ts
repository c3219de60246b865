/** Bodies with an ETag, and an LRU cache of them: a finished scan never changes, and rendering is the costly part of a read. */
import { LRUCache } from "lru-cache";
import { type PrintPdf, printRetrySeconds } from "../base/documents.ts";
import { pdfFormat } from "../export/formats.ts";
import { answer, type HeaderFields, prepareHeaders, type RequestContext } from "./answer.ts";
import { ApiError } from "./errors.ts";

const bodiesMax = 1_000;
/** A thousand usual bodies of 40 KB; a body with every finding has a megabyte. */
const charsMax = 40_000_000;

export interface RenderedBody {
  readonly text: string;
  /** Strong hash of the body, so that new texts of a release change it. */
  readonly etag: string;
  /** With the ETag, for clients that ask again. */
  readonly headers: Headers;
}

export class RenderedBodies {
  private readonly bodies = new LRUCache<string, RenderedBody>({
    max: bodiesMax,
    maxSize: charsMax,
    sizeCalculation: ({ text }) => text.length,
  });

  private source: object | null = null;

  /** `sourceNow` gives the texts in use, or an object that changes with them: bodies of other texts are dropped. */
  constructor(private readonly sourceNow: () => object) {}

  /** What `render` throws is not kept. */
  get(key: string, render: () => RenderedBody): RenderedBody {
    const source = this.sourceNow();
    if (source !== this.source) this.bodies.clear();
    this.source = source;
    const known = this.bodies.get(key);
    if (known !== undefined) return known;
    const rendered = render();
    this.bodies.set(key, rendered);
    return rendered;
  }
}

/** `fields`: headers beside the ETag. */
export function withEtag(text: string, fields: HeaderFields = {}): RenderedBody {
  const etag = `"${new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, 22)}"`;
  return { text, etag, headers: prepareHeaders({ etag, "cache-control": "private, no-cache", ...fields }) };
}

/** Headers of a file that a browser saves under `fileName`, which is ASCII without quotes. */
export function downloadHeaders(mediaType: string, fileName: string): HeaderFields {
  return {
    "content-type": mediaType,
    "content-disposition": `attachment; filename="${fileName}"`,
    "cache-control": "private, no-cache",
  };
}

/** RFC 9110 section 13.1.2: a list of tags, compared weakly, or `*` for any. */
export function matchesEtag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch === etag) return true;
  if (ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(/(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g)].some((match) => match[1] === etag);
}

interface AskedFor {
  readonly request: Request;
  readonly requestContext: RequestContext;
}

/** 304 if the client has the body already. */
export function answerRendered({ text, etag, headers }: RenderedBody, { request, requestContext }: AskedFor): Response {
  if (matchesEtag(request.headers.get("if-none-match"), etag)) return answer(requestContext, 304, null, headers);
  return answer(requestContext, 200, text, headers);
}

/**
 * Answers with an HTML file as PDF; 304 without printing if the client has a PDF of the same file.
 * The ETag is weak (RFC 9110 section 8.8.1): two PDF files of one HTML file differ in their times. Rejects with ApiError 503 without a PDF.
 */
export async function answerPrinted(
  { text, etag: htmlEtag }: RenderedBody,
  fileName: string,
  { request, requestContext, api }: AskedFor & { readonly api: { readonly printPdf: PrintPdf } },
): Promise<Response> {
  const headers = prepareHeaders({ etag: `W/${htmlEtag}`, ...downloadHeaders(pdfFormat.mediaType, fileName) });
  if (matchesEtag(request.headers.get("if-none-match"), htmlEtag)) return answer(requestContext, 304, null, headers);
  const pdf = await api.printPdf(text);
  if (typeof pdf === "string") throw new ApiError(503, printingUnavailable, { retrySeconds: printRetrySeconds });
  return answer(requestContext, 200, pdf, headers);
}

export const printingUnavailable =
  "The PDF could not be printed now, since the browser for it is busy; try again later, or read report.html.";
