/** Files as downloads: an HTML or other text, and the PDF that the browser for documents prints from it. */
import { pdfFormat } from "../../export/formats.ts";
import { pdfUnavailable } from "../errors.ts";
import { compressedBody, type ResponseHeaders, respond } from "../response.ts";
import type { Visit } from "../visit.ts";

export function textFileAnswer(
  visit: Visit,
  text: string,
  { name, mediaType }: { readonly name: string; readonly mediaType: string },
): Response {
  const { body, compressed } = compressedBody(visit, text);
  return respond(visit, 200, body, {
    ...fileHeaders(name, mediaType),
    vary: "Accept-Encoding, Accept-Language, Cookie",
    ...(compressed ? { "content-encoding": "gzip" } : {}),
  });
}

/** The promise is rejected with PageError 503 without a PDF. */
export async function pdfFileAnswer(visit: Visit, html: string, name: string): Promise<Response> {
  const pdf = await visit.settings.printPdf(html);
  if (typeof pdf === "string") throw pdfUnavailable();
  return respond(visit, 200, pdf, { ...fileHeaders(name, pdfFormat.mediaType), vary: "Accept-Language, Cookie" });
}

/** `name`: of letters, digits, dots, hyphens and underscores. */
function fileHeaders(name: string, mediaType: string): ResponseHeaders {
  return { "content-type": mediaType, "content-disposition": `attachment; filename="${name}"`, "cache-control": "private, no-cache" };
}
