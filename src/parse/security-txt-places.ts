/** Tells from the answers for security.txt whether a site has the file, and where: RFC 9116 section 3. */

import { dayMs } from "../check/instants.ts";
import type { SecurityTxtFacts } from "../evidence/facts.ts";
import { isMeantAsSecurityTxt } from "./security-txt.ts";

type SecurityTxtAttempt = SecurityTxtFacts["attempts"][number];

/** `well-known`: at its place. `root`: only where it used to be. */
type SecurityTxtFound =
  | { readonly at: "well-known"; readonly attempt: SecurityTxtAttempt }
  | { readonly at: "root"; readonly attempt: SecurityTxtAttempt }
  | { readonly at: "nowhere" }
  | { readonly at: "unknown" };

/** The file, or nowhere when the site says that it has none; unknown for answers that say nothing about it. */
export function foundSecurityTxt({ attempts }: SecurityTxtFacts): SecurityTxtFound {
  const [wellKnown, root] = attempts;
  if (wellKnown === undefined) return { at: "unknown" };
  const state = stateOf(wellKnown);
  if (state === "file") return { at: "well-known", attempt: wellKnown };
  if (state === "unknown") return { at: "unknown" };
  return root !== undefined && stateOf(root) === "file" ? { at: "root", attempt: root } : { at: "nowhere" };
}

/** Many sites answer every path with a page and status 200: that is no file, unless it reads like one. */
function stateOf({ status, contentType, body }: SecurityTxtAttempt): "file" | "none" | "unknown" {
  if (status === 404 || status === 410) return "none";
  if (status !== 200) return "unknown";
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType ?? "") && !isMeantAsSecurityTxt(body) ? "none" : "file";
}

/** RFC 9116 section 2.5.5 recommends less than a year. */
const validDays = 360;

/** A date to put behind Expires; `now` is ISO 8601. */
export function suggestedExpiry(now: string): string {
  return `${new Date(Date.parse(now) + validDays * dayMs).toISOString().slice(0, 10)}T00:00:00Z`;
}
