/** Answers with an HTML file as PDF. */
import { type PrintPdf, printRetrySeconds } from "../base/documents.ts";
import { pdfFormat } from "../export/formats.ts";
import { answer, prepareHeaders } from "./answer.ts";
import { printingUnavailable } from "./errors.ts";
import { downloadHeaders, matchesEtag, type RenderedBody } from "./rendered-bodies.ts";
import type { RequestContext } from "./request-context.ts";

interface PrintTerms {
  readonly request: Request;
  readonly requestContext: RequestContext;
  readonly printPdf: PrintPdf;
}

/**
 * 304 without printing if the client has a PDF of the same file. The ETag is weak (RFC 9110 section 8.8.1): two PDF files of one HTML file
 * differ in their times. Rejects with ApiError 503 without a PDF.
 */
export async function answerPrinted(
  { text, etag: htmlEtag }: RenderedBody,
  fileName: string,
  { request, requestContext, printPdf }: PrintTerms,
): Promise<Response> {
  const etag = `W/${htmlEtag}`;
  const headers = prepareHeaders({ etag, ...downloadHeaders(pdfFormat.mediaType, fileName) });
  if (matchesEtag(request.headers.get("if-none-match"), htmlEtag)) return answer(requestContext, 304, null, headers);
  const pdf = await printPdf(text);
  if (typeof pdf === "string") throw printingUnavailable(printRetrySeconds);
  return answer(requestContext, 200, pdf, headers);
}
