/** What signing in and out mean for a visit: its cookie, and who it belongs to from then on. */
import type { Caller } from "../../../account/caller.ts";
import type { SignInSuccess } from "../../../account/sign-in.ts";
import { truncatedAddress } from "../../../parse/address.ts";
import type { Account } from "../../../store/accounts.ts";
import { type OpenedSession, sessionDays } from "../../../store/sessions.ts";
import { redirect } from "../../answer.tsx";
import { setCookie } from "../../cookies.ts";
import type { SessionInHand, Visit } from "../../visit.ts";

const daySeconds = 86_400;
/** Where whoever asked for no other page goes on. */
export const afterSignIn = "/account";

/** Who asks, as guesses are counted and sessions remembered by it. */
export function callerOf({ address, request }: Visit): Caller {
  return { address, userAgent: request.headers.get("user-agent") ?? "" };
}

/** The visit from here on: signed in, with forms that belong to the new session. A former session of this browser is ended. */
export async function signedIn(visit: Visit, account: Account, { session, value }: OpenedSession): Promise<Visit> {
  const { session: former, settings, own } = visit;
  if (former !== null) await settings.store.sessions.end(former.session.accountId, former.session.id);
  visit.setCookies.push(setCookie("sid", value, own.https, sessionDays * daySeconds));
  return { ...visit, account, session: { session, value } };
}

/** Ends the session of this browser, and takes its cookie away. */
export async function signedOut(visit: Visit): Promise<void> {
  const { session, settings, own } = visit;
  if (session !== null) await settings.store.sessions.end(session.session.accountId, session.session.id);
  visit.setCookies.push(setCookie("sid", "", own.https, 0));
}

/** Runs for whoever is signed in; everybody else is sent to sign in, and comes back to the page that was asked for. */
export function withAccount(
  visit: Visit,
  answer: (account: Account, session: SessionInHand) => Response | Promise<Response>,
): Response | Promise<Response> {
  const { account, session, url, request } = visit;
  if (account !== null && session !== null) return answer(account, session);
  const next = request.method === "GET" ? `${url.pathname}${url.search}` : url.pathname;
  return redirect(visit, `/sign-in?${new URLSearchParams({ next })}`);
}

/** Into the session that was opened, and on to the page that was asked for. */
export async function goOn(visit: Visit, { account, opened }: SignInSuccess, next: string): Promise<Response> {
  return redirect(await signedIn(visit, account, opened), next);
}

/** Never what was typed: a password is easily typed into the wrong field. */
export function noteRefusal({ settings, address, requestId }: Visit, because: string, account: number | null): void {
  settings.log.warn("sign-in refused", { because, account, address: truncatedAddress(address), requestId });
}
