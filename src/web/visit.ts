/** Request context of a page: visitor, locale, session and response cookies. */
import { signedInBy } from "../accounts/token-operations.ts";
import type { ServerOrigin } from "../http/server-origin.ts";
import type { ServerPreference } from "../report/report.ts";
import type { Account } from "../store/accounts.ts";
import type { Session } from "../store/sessions.ts";
import type { PageLocale } from "../text/i18n.ts";
import { isServerName } from "../text/servers/server-lines.ts";
import { createI18n, type I18n } from "../text/translator.ts";
import { cookieOf, setCookie } from "./cookies.ts";
import type { PagesSettings } from "./settings.ts";

/** Lifetime of an explicitly chosen language or server: one year. */
const choiceCookieSeconds = 365 * 86_400;
/** Parsed entries of an Accept-Language header. */
const languagesMax = 20;

export interface CurrentSession {
  readonly session: Session;
  /** Cookie value. */
  readonly value: string;
}

/** What the components of a page may read. The key of the page cache holds all of it, so nothing here may identify a visitor. */
export interface SharedVisit {
  /** Requested URL. Its other parts are not trustworthy. */
  readonly url: Pick<URL, "pathname" | "search" | "searchParams">;
  /** Address by which the visitor reached this appliance. */
  readonly server: ServerOrigin;
  readonly i18n: I18n;
  /** Null for guests. */
  readonly account: Pick<Account, "theme" | "admin"> | null;
  readonly settings: PagesSettings;
  readonly now: Date;
  /** True if `?locale=` names an unsupported language. */
  readonly unknownLocale: boolean;
  /** Null before the visitor has chosen. */
  readonly serverPreference: ServerPreference | null;
}

export interface Visit extends SharedVisit {
  readonly requestId: string;
  readonly request: Request;
  readonly url: URL;
  /** Client address for rate limits. */
  readonly address: string;
  readonly account: Account | null;
  /** Null for guests. */
  readonly session: CurrentSession | null;
  /** Set-Cookie values of the response. */
  readonly setCookies: string[];
}

/** Visit of an account, as the handlers behind an auth guard get it. */
export interface SignedInVisit extends Visit {
  readonly account: Account;
  readonly session: CurrentSession;
}

export type Answer = Response | Promise<Response>;

/** `param` is the decoded placeholder of the path: "" for a path without one, null for broken percent-encoding. */
export type PageHandler = (visit: Visit, param: string | null) => Answer;

/** Origin for links and commands that leave the visitor's browser. */
export function publicOrigin({ server, settings }: Pick<Visit, "server" | "settings">): string {
  return settings.config.public_url ?? server.origin;
}

/** Placeholder for a Host header that cannot be this appliance; the visit is refused. */
const unknownServer: ServerOrigin = { origin: "null", https: false, loopback: false };

/** `refused`: the Host header is invalid; the visit only serves to render the error page. */
export function visitOf(
  request: Request,
  peer: string | null,
  settings: PagesSettings,
): { readonly visit: Visit; readonly refused: boolean } {
  const now = settings.now();
  // An invalid Host header makes the URL invalid too.
  const url = URL.parse(request.url) ?? new URL("http://localhost/");
  const origin = settings.addresses.own(peer, request.headers);
  const server = origin ?? unknownServer;
  const signedIn = currentSessionOf(request, server.https, settings, now);
  const { locales } = settings.texts;
  const asked = { request, url, https: server.https };
  const language = rememberedChoice(asked, "locale", (word) => localeNamed(word, locales));
  const preference = rememberedChoice(asked, "server", serverNamed);
  const locale =
    language.chosen ??
    localeNamed(signedIn?.account.locale ?? null, locales) ??
    acceptedLocale(request.headers.get("accept-language"), locales) ??
    settings.config["locale.default"];
  const visit: Visit = {
    requestId: crypto.randomUUID(),
    request,
    url,
    server,
    address: settings.addresses.calling(peer, request.headers.get("x-forwarded-for")),
    i18n: createI18n(settings.texts, locale),
    account: signedIn?.account ?? null,
    session: signedIn?.session ?? null,
    settings,
    now,
    unknownLocale: language.unknown,
    serverPreference: preference.chosen,
    setCookies: [...language.setCookies, ...preference.setCookies],
  };
  return { visit, refused: origin === null };
}

function currentSessionOf(request: Request, https: boolean, { store, log }: PagesSettings, now: Date) {
  const value = cookieOf(request, "sid", https);
  const signedIn = signedInBy(store, value, now);
  if (value === null || signedIn === null) return null;
  const { account, session } = signedIn;
  // Not awaited: a failed write must not fail the request.
  store.sessions.recordUse(session, now).catch((error) => log.warn("session use not recorded", { error: String(error) }));
  return { account, session: { session, value } };
}

interface Choice<T> {
  readonly chosen: T | null;
  /** True if the address names a choice that does not exist. */
  readonly unknown: boolean;
  readonly setCookies: readonly string[];
}

/** Choice that `?name=` names, which is then stored in a cookie, or else the choice of that cookie. */
function rememberedChoice<T extends string>(
  { request, url, https }: { readonly request: Request; readonly url: URL; readonly https: boolean },
  name: "locale" | "server",
  choiceNamed: (word: string | null) => T | null,
): Choice<T> {
  const requested = url.searchParams.get(name);
  const chosen = choiceNamed(requested);
  if (chosen !== null) return { chosen, unknown: false, setCookies: [setCookie(name, chosen, https, choiceCookieSeconds)] };
  return { chosen: choiceNamed(cookieOf(request, name, https)), unknown: requested !== null, setCookies: [] };
}

function serverNamed(word: string | null): ServerPreference | null {
  return word === "explain" || isServerName(word) ? word : null;
}

function localeNamed(word: string | null, locales: readonly PageLocale[]): PageLocale | null {
  return locales.find((locale) => locale === word?.toLowerCase()) ?? null;
}

/** Accept-Language (RFC 9110 section 12.5.4), matched without region; null if none is supported. */
export function acceptedLocale(header: string | null, locales: readonly PageLocale[]): PageLocale | null {
  const ranges = (header ?? "").split(",", languagesMax).map((entry) => {
    const [range = "", ...parameters] = entry.trim().toLowerCase().split(";");
    const weight = parameters.find((parameter) => /^\s*q=/.test(parameter));
    const quality = weight === undefined ? 1 : Number(/^\s*q=([01](?:\.\d{0,3})?)$/.exec(weight)?.[1] ?? 0);
    return { language: range.split("-")[0] ?? "", quality };
  });
  const best = ranges
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ language }) => locales.find((locale) => locale.split("-")[0] === language))
    .find((locale) => locale !== undefined);
  return best ?? null;
}

export function isSignedIn(visit: Visit): visit is SignedInVisit {
  return visit.account !== null && visit.session !== null;
}

/** False once the session of the visit was ended; true for guests, who have none. */
export function isSessionOpen({ session, settings: { store, now } }: Visit): boolean {
  return session === null || signedInBy(store, session.value, now()) !== null;
}

/** True for accounts, and for guests if the operator allows guest scans. */
export function mayScan({ account, settings: { config } }: Pick<SharedVisit, "account" | "settings">): boolean {
  return account !== null || (config["guest.scans"] && config.readers === "everybody");
}

/** Whether the visitor may read scans. */
export function mayRead({ account, settings }: Pick<SharedVisit, "account" | "settings">): boolean {
  return account !== null || settings.config.readers === "everybody";
}
