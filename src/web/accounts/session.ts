/** Starts and ends the session of a visit, with its cookie. */
import type { Caller } from "../../accounts/throttles.ts";
import { truncatedAddress } from "../../parse/address.ts";
import type { Account } from "../../store/accounts.ts";
import { type OpenedSession, sessionDays } from "../../store/sessions.ts";
import { setCookie } from "../cookies.ts";
import type { SignedInVisit, Visit } from "../visit.ts";

const daySeconds = 86_400;
export const afterSignIn = "/account";

/** Caller for throttling and for the session record. */
export function callerOf({ address, request }: Visit): Caller {
  return { address, userAgent: request.headers.get("user-agent") ?? "" };
}

/** Returns the visit as signed in, so that its forms use the new session. Ends the previous session of this browser. */
export async function startSession(visit: Visit, account: Account, { session, value }: OpenedSession): Promise<SignedInVisit> {
  const { session: former, settings, server } = visit;
  if (former !== null) await settings.store.sessions.end(former.session.accountId, former.session.id);
  visit.setCookies.push(setCookie("sid", value, server.https, sessionDays * daySeconds));
  return { ...visit, account, session: { session, value } };
}

export async function endCurrentSession(visit: Visit): Promise<void> {
  const { session, settings, server } = visit;
  if (session !== null) await settings.store.sessions.end(session.session.accountId, session.session.id);
  visit.setCookies.push(setCookie("sid", "", server.https, 0));
}

/** Never logs the typed mail address: users type passwords into the wrong field. */
export function logRefusal(
  { settings, address: whole, requestId }: Visit,
  because: string,
  account: number | null,
  detail?: string | null,
): void {
  const { accounts, log } = settings;
  const address = truncatedAddress(whole);
  log.warn("sign-in refused", { because, account, ...(detail ? { detail } : {}), address, requestId });
  // Not awaited: the time of the answer must not depend on the account.
  accounts.actions
    .noteRefusal({ because, accountId: account, address })
    .catch((error) => log.warn("refusal not noted in the audit log", { error: String(error) }));
}

/** Before and after percent-encoding. */
const pathCharsMax = 2_048;
/** Placeholder origin: a path that resolves to another origin is rejected. */
const ownOrigin = "http://here.invalid";

/** Return path after sign-in: path and query as a browser resolves them; `fallback` for any other origin. */
export function nextPath(requested: string | null, fallback: string): string {
  if (requested === null || !requested.startsWith("/") || requested.length > pathCharsMax) return fallback;
  const url = URL.parse(requested, ownOrigin);
  if (url === null || url.origin !== ownOrigin) return fallback;
  const path = `${url.pathname}${url.search}`;
  // "/.//elsewhere" resolves to "//elsewhere", which a browser reads as a host.
  return path.startsWith("//") || path.length > pathCharsMax ? fallback : path;
}
