/** HTML forms with CSRF protection (masked token and Origin check). */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { ComponentChildren } from "preact";
import { readBytes } from "../http/request-body.ts";
import { useVisit } from "./context.ts";
import { cookieOf, setCookie } from "./cookies.ts";
import { csrfRejected, formMalformed, formTooLong, signInFirst } from "./errors.ts";
import { isSessionOpen, type Visit } from "./visit.ts";

/** Longest URL, percent-encoded, plus all other fields. */
const formBytesMax = 16_384;
const csrfTokenBytes = 32;
/** Mask and masked token in base64url. */
export const csrfTokenChars = 86;
/** Hidden field of the CSRF token. */
const field = "form";

/** Submitted fields; the first value of a repeated field. */
export interface Fields {
  /** "" if absent. */
  text(name: string): string;
}

interface FormProps {
  readonly action: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** POST form with the CSRF token. */
export function Form({ action, children, ...rest }: FormProps) {
  const visit = useVisit();
  return (
    <form method="post" action={action} {...rest}>
      <input type="hidden" name={field} value={visit.csrfHole?.() ?? csrfToken(visit)} />
      {children}
    </form>
  );
}

/**
 * Reads a submitted form.
 * @throws PageError 413 if too long, 400 if malformed, 403 if a CSRF check fails, 401 if the session ended during the upload.
 */
export async function readForm(visit: Visit): Promise<Fields> {
  const { request } = visit;
  if (!isSameOrigin(visit)) throw csrfRejected();
  const mediaType = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (mediaType !== "application/x-www-form-urlencoded") throw formMalformed();
  const bytes = await readBytes(request, formBytesMax);
  if (bytes === "too-long") throw formTooLong();
  const fields = new URLSearchParams(Buffer.from(bytes).toString("utf8"));
  if (!isCsrfTokenValid(visit, fields.get(field) ?? "")) throw csrfRejected();
  // An attacker could upload slowly and finish after the session was ended.
  if (!isSessionOpen(visit)) throw signInFirst();
  return { text: (name) => fields.get(name) ?? "" };
}

/** Origin check; requests without these headers still need the CSRF token. */
function isSameOrigin({ request, server }: Visit): boolean {
  const origin = request.headers.get("origin");
  if (origin !== null) return origin === server.origin;
  const site = request.headers.get("sec-fetch-site");
  return site === null || site === "same-origin" || site === "none";
}

/**
 * CSRF token: hash of the session cookie, or of the CSRF cookie without a session. The cookie cannot be derived from it. Masked again
 * for each page, so that compressed length leaks nothing (BREACH).
 */
export function csrfToken(visit: Visit): string {
  const mask = randomBytes(csrfTokenBytes);
  const token = unmaskedToken(visit.session?.value ?? csrfCookie(visit));
  return Buffer.concat([mask, xor(mask, token)]).toString("base64url");
}

function isCsrfTokenValid(visit: Visit, submitted: string): boolean {
  const cookie = visit.session?.value ?? cookieOf(visit.request, "form", visit.server.https);
  const bytes = Buffer.from(submitted, "base64url");
  if (cookie === null || cookie === "" || bytes.length !== 2 * csrfTokenBytes) return false;
  return timingSafeEqual(xor(bytes.subarray(0, csrfTokenBytes), bytes.subarray(csrfTokenBytes)), unmaskedToken(cookie));
}

function unmaskedToken(cookie: string): Buffer {
  return createHash("sha256").update(`form\n${cookie}`).digest();
}

function xor(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)));
}

/** CSRF cookie of guests; created with this response if absent. */
function csrfCookie(visit: Visit): string {
  visit.csrfCookie ??= cookieOf(visit.request, "form", visit.server.https);
  if (visit.csrfCookie === null || visit.csrfCookie === "") {
    visit.csrfCookie = randomBytes(csrfTokenBytes).toString("base64url");
    visit.setCookies.push(setCookie("form", visit.csrfCookie, visit.server.https, null));
  }
  return visit.csrfCookie;
}
