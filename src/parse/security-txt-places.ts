/** Decides from the security.txt answers whether a site has the file, and where: RFC 9116 section 3. */
import { dayMs } from "../base/units.ts";
import type { SecurityTxtFacts } from "../evidence/http-facts.ts";
import { isMeantAsSecurityTxt } from "./security-txt.ts";

type SecurityTxtAttempt = SecurityTxtFacts["attempts"][number];

/** `well-known`: the standard location. `root`: only the legacy location. */
type SecurityTxtFound =
  | { readonly at: "well-known"; readonly attempt: SecurityTxtAttempt }
  | { readonly at: "root"; readonly attempt: SecurityTxtAttempt }
  | { readonly at: "nowhere" }
  | { readonly at: "unknown" };

/** Location of the file; `nowhere` if the site denies having it, `unknown` if the answers are inconclusive. */
export function foundSecurityTxt({ attempts }: SecurityTxtFacts): SecurityTxtFound {
  const [wellKnown, root] = attempts;
  if (wellKnown === undefined) return { at: "unknown" };
  const state = stateOf(wellKnown);
  if (state === "file") return { at: "well-known", attempt: wellKnown };
  if (state === "unknown") return { at: "unknown" };
  return root !== undefined && stateOf(root) === "file" ? { at: "root", attempt: root } : { at: "nowhere" };
}

/** Many sites answer every path with status 200 and an HTML page. Such a page counts only if it reads like the file. */
function stateOf({ status, contentType, body }: SecurityTxtAttempt): "file" | "none" | "unknown" {
  if (status === 404 || status === 410) return "none";
  if (status !== 200) return "unknown";
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType ?? "") && !isMeantAsSecurityTxt(body) ? "none" : "file";
}

/** RFC 9116 section 2.5.5 recommends less than one year. */
const validDays = 360;

/** Suggested value for Expires; `now` is ISO 8601. */
export function suggestedExpiry(now: string): string {
  return `${new Date(Date.parse(now) + validDays * dayMs).toISOString().slice(0, 10)}T00:00:00Z`;
}
