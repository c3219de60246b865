/** Forms that only our own pages can send: a hidden word that belongs to the visitor's cookie, and a look at where they come from. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { ComponentChildren } from "preact";
import { signedInBy } from "../account/authenticate.ts";
import { readBytes } from "../http/request-body.ts";
import { useVisit } from "./context.ts";
import { cookieOf, setCookie } from "./cookies.ts";
import { formBroken, formNotOurs, formTooLong, signInFirst } from "./errors.ts";
import type { Visit } from "./visit.ts";

/** An address of the longest kind, percent-encoded, and everything else that a form of ours holds. */
const formBytesMax = 16_384;
const csrfTokenBytes = 32;
/** The hidden field. */
const field = "form";

/** The fields of a form as they were sent; of a field that was sent twice, the first. */
export interface Fields {
  /** "" when it was not sent. */
  text(name: string): string;
}

interface FormProps {
  /** Own path that it is sent to. */
  readonly action: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A form of ours, sent by POST. */
export function Form({ action, children, ...rest }: FormProps) {
  const visit = useVisit();
  return (
    <form method="post" action={action} {...rest}>
      <input type="hidden" name={field} value={csrfToken(visit)} />
      {children}
    </form>
  );
}

/**
 * Reads a form that was posted.
 * @throws PageError 413, 400 when it is none, 403 when it was not sent by a page of ours to this visitor, 401 when the visitor was signed
 * out while it came.
 */
export async function readForm(visit: Visit): Promise<Fields> {
  const { request } = visit;
  if (!isFromHere(visit)) throw formNotOurs();
  const mediaType = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (mediaType !== "application/x-www-form-urlencoded") throw formBroken();
  const bytes = await readBytes(request, formBytesMax);
  if (bytes === "too-long") throw formTooLong();
  const fields = new URLSearchParams(Buffer.from(bytes).toString("utf8"));
  if (!isCsrfTokenValid(visit, fields.get(field) ?? "")) throw formNotOurs();
  if (!isStillHere(visit)) throw signInFirst();
  return { text: (name) => fields.get(name) ?? "" };
}

/** A form may come slowly, and a thief always have one on the way: when it ends, the session that it began with may be no more. */
function isStillHere({ session, settings: { store, now } }: Visit): boolean {
  return session === null || signedInBy(store, session.value, now()) !== null;
}

/** Browsers tell where a form comes from; what tells nothing still has to know the word. */
function isFromHere({ request, own }: Visit): boolean {
  const origin = request.headers.get("origin");
  if (origin !== null) return origin === own.origin;
  const site = request.headers.get("sec-fetch-site");
  return site === null || site === "same-origin" || site === "none";
}

/**
 * The word for this visitor's forms. It follows from the cookie of the session, or of forms where there is no session, and that does
 * not follow from it. Masked anew on every page, so that a compressed page gives nothing away by its length (BREACH).
 */
function csrfToken(visit: Visit): string {
  const mask = randomBytes(csrfTokenBytes);
  const word = wordOf(visit.session?.value ?? formCookie(visit));
  return Buffer.concat([mask, exclusiveOr(mask, word)]).toString("base64url");
}

function isCsrfTokenValid(visit: Visit, given: string): boolean {
  const cookie = visit.session?.value ?? cookieOf(visit.request, "form", visit.own.https);
  const bytes = Buffer.from(given, "base64url");
  if (cookie === null || cookie === "" || bytes.length !== 2 * csrfTokenBytes) return false;
  return timingSafeEqual(exclusiveOr(bytes.subarray(0, csrfTokenBytes), bytes.subarray(csrfTokenBytes)), wordOf(cookie));
}

function wordOf(cookie: string): Buffer {
  return createHash("sha256").update(`form\n${cookie}`).digest();
}

function exclusiveOr(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)));
}

/** The visitor's cookie for forms, set with this answer when there is none yet. */
function formCookie(visit: Visit): string {
  visit.formCookie ??= cookieOf(visit.request, "form", visit.own.https);
  if (visit.formCookie === null || visit.formCookie === "") {
    visit.formCookie = randomBytes(csrfTokenBytes).toString("base64url");
    visit.setCookies.push(setCookie("form", visit.formCookie, visit.own.https, null));
  }
  return visit.formCookie;
}
