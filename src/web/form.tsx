/** HTML forms with CSRF protection by the headers Origin and Sec-Fetch-Site. */
import type { ComponentChildren } from "preact";
import { recordIdPattern } from "../base/record-id.ts";
import { readBytes } from "../http/request-body.ts";
import { csrfRejected, formMalformed, formTooLong, signInFirst } from "./errors.ts";
import { isSessionOpen, type Visit } from "./visit.ts";

/** Longest URL, percent-encoded, plus all other fields. */
const formBytesDefaultMax = 16_384;
const formMediaType = "application/x-www-form-urlencoded";
const multipartMediaType = "multipart/form-data";

/** Submitted fields. */
export interface Fields {
  /** First value; "" if absent. */
  text(name: string): string;
  /** Values of a repeated field, such as checkboxes. */
  all(name: string): readonly string[];
}

interface FormProps {
  readonly action: string;
  readonly class?: string;
  /** For fields outside of the form. */
  readonly id?: string;
  /** For a form with a file. */
  readonly enctype?: "multipart/form-data";
  readonly children: ComponentChildren;
}

/** POST form. */
export function Form({ action, children, ...rest }: FormProps) {
  return (
    <form method="post" action={action} {...rest}>
      {children}
    </form>
  );
}

/**
 * Reads a submitted form of at most `bytesMax`.
 * @throws PageError 413 if too long, 400 if malformed, 403 if the CSRF check fails, 401 if the session ended during the upload.
 */
export async function readForm(visit: Visit, bytesMax = formBytesDefaultMax): Promise<Fields> {
  assertOwnForm(visit, formMediaType);
  const bytes = await readBytes(visit.request, bytesMax);
  if (bytes === "too-long") throw formTooLong();
  return checkedFields(visit, paramsOf(bytes));
}

/**
 * Like `readForm`, but also accepts the one-click body of RFC 8058 section 3.1 without any CSRF check: mail programs send it from any
 * origin and without cookies. Only for addresses whose key is the permission, and which ignore the session.
 */
export async function readOneClickForm(visit: Visit): Promise<Fields | "one-click"> {
  const { request } = visit;
  const bytes = await readBytes(request, formBytesDefaultMax);
  if (bytes === "too-long") throw formTooLong();
  if (await isOneClick(request, bytes)) return "one-click";
  assertOwnForm(visit, formMediaType);
  return checkedFields(visit, paramsOf(bytes));
}

/** Value of a closed list. @throws PageError 400 for a value that the form does not offer. */
export function choiceIn<V extends string>(fields: Fields, name: string, values: readonly V[]): V {
  const text = fields.text(name);
  const value = values.find((one) => one === text);
  if (value === undefined) throw formMalformed();
  return value;
}

/** Id of a record. @throws PageError 400 for anything else. */
export function idIn(fields: Fields, name: string): number {
  const text = fields.text(name);
  if (!recordIdPattern.test(text)) throw formMalformed();
  return Number(text);
}

/**
 * Like `readForm`, for a form with a file in the field `fileName`; null if no file was chosen. The type that the browser names is not used.
 * Bytes beyond `bytesMax` are read up to `discardedBytesMax`, and not kept. `too-long`: nothing was kept, and nothing may be changed.
 * @throws PageError as `readForm`
 */
export async function readUpload(
  visit: Visit,
  fileName: string,
  { bytesMax, discardedBytesMax }: { readonly bytesMax: number; readonly discardedBytesMax: number },
): Promise<{ readonly fields: Fields; readonly file: Uint8Array | null } | "too-long"> {
  const { request } = visit;
  assertOwnForm(visit, multipartMediaType);
  const bytes = await readBytes(request, bytesMax, discardedBytesMax);
  if (bytes === "too-long") return bytes;
  const parts = await partsOf(request, bytes);
  if (parts === null) throw formMalformed();
  const fields = checkedFields(visit, textsOf(parts));
  const file = parts.get(fileName);
  // A browser sends an empty file without a name if none was chosen.
  return { fields, file: file instanceof Blob && file.size > 0 ? new Uint8Array(await file.arrayBuffer()) : null };
}

/** CSRF check, and check of the media type. @throws PageError 403, 400 */
function assertOwnForm(visit: Visit, mediaType: string): void {
  if (!isSameOrigin(visit)) throw csrfRejected();
  if (mediaTypeOf(visit.request) !== mediaType) throw formMalformed();
}

function mediaTypeOf({ headers }: Request): string | undefined {
  return headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
}

/** RFC 8058 section 3.1: this field and no other, in one of two encodings. */
async function isOneClick(request: Request, bytes: Uint8Array): Promise<boolean> {
  const isMultipart = mediaTypeOf(request) === multipartMediaType;
  const parts = isMultipart ? await partsOf(request, bytes) : mediaTypeOf(request) === formMediaType ? paramsOf(bytes) : null;
  const fields = [...(parts ?? [])];
  return fields.length === 1 && fields[0]?.[0] === "List-Unsubscribe" && fields[0][1] === "One-Click";
}

/** Null for a malformed body. */
async function partsOf({ headers }: Request, bytes: Uint8Array): Promise<FormData | null> {
  try {
    return await new Response(Buffer.from(bytes), { headers: { "content-type": headers.get("content-type") ?? "" } }).formData();
  } catch {
    return null;
  }
}

function textsOf(parts: FormData): URLSearchParams {
  return new URLSearchParams([...parts].flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));
}

function paramsOf(bytes: Uint8Array): URLSearchParams {
  return new URLSearchParams(Buffer.from(bytes).toString("utf8"));
}

/** @throws PageError 401 if the session ended during the upload. */
function checkedFields(visit: Visit, fields: URLSearchParams): Fields {
  // An attacker could upload slowly and finish after the session was ended.
  if (!isSessionOpen(visit)) throw signInFirst();
  return { text: (name) => fields.get(name) ?? "", all: (name) => fields.getAll(name) };
}

/**
 * CSRF check. Browsers send Origin with every POST, also over plain http. `Origin: null` hides the sender, so it is refused; without
 * Origin only Sec-Fetch-Site shows that the form is ours.
 */
function isSameOrigin({ request, server }: Visit): boolean {
  const origin = request.headers.get("origin");
  return origin === null ? request.headers.get("sec-fetch-site") === "same-origin" : origin === server.origin;
}
