/** What programs look for at fixed places: where to report a weakness (RFC 9116), and what search engines may read (RFC 9309). */
import { suggestedExpiry } from "../parse/security-txt-places.ts";
import { respond } from "./answer.tsx";
import { notFound } from "./errors.ts";
import type { Visit } from "./visit.ts";

const securityTxtPath = "/.well-known/security.txt";
/** The date in it moves on every day. */
const aDay = "public, max-age=86400";

export function getSecurityTxt(visit: Visit): Response {
  const { contacts, addresses } = visit.settings;
  if (contacts.security === null) throw notFound();
  const lines = [
    `Contact: ${contacts.security}`,
    `Expires: ${suggestedExpiry(visit.now.toISOString())}`,
    "Preferred-Languages: en, de",
    // Section 2.5.2 has no place for a plain http address.
    ...(addresses.publicUrl?.startsWith("https:") ? [`Canonical: ${addresses.publicUrl}${securityTxtPath}`] : []),
  ];
  return plainText(visit, lines);
}

/** Reports speak of others: unless the operator wants it, no search engine shows them. */
export function getRobotsTxt(visit: Visit): Response {
  return plainText(visit, ["User-agent: *", visit.settings.reports.indexed ? "Disallow:" : "Disallow: /scans/"]);
}

function plainText(visit: Visit, lines: readonly string[]): Response {
  const body = lines.map((line) => `${line}\n`).join("");
  return respond(visit, 200, body, { "content-type": "text/plain; charset=utf-8", "cache-control": aDay });
}
