/** Header fields and cookies of a user for one origin: requests that may carry them, and texts to redact. */
import { cookiePathMatches, type GivenCookie, type GivenHeader } from "../parse/credential-files.ts";
import { percentDecoded } from "../parse/text.ts";

/**
 * The page load and the CORS probe send them, because a page behind a sign-in answers nothing else. The other probes do not: plain http
 * would disclose them, security.txt is public by RFC 9116, and an icon needs no sign-in.
 *
 * Plain JSON, for the thread that gathers. Never stored and never logged.
 */
export interface TargetCredentials {
  /** `https:` always, as `URL.origin` spells it. Nothing else receives them. */
  readonly origin: string;
  readonly headers: readonly GivenHeader[];
  /** Cookies of the origin's host that have not expired. */
  readonly cookies: readonly GivenCookie[];
}

/** Credentials whose origin has a valid certificate. */
export interface VerifiedCredentials extends TargetCredentials {
  /** True if the browser knows the root and verifies each connection itself. It does not know the operator's roots. */
  readonly browserVerifies: boolean;
}

const preferenceNames = /^(?:accept|accept-language|user-agent|cache-control|pragma|dnt|priority)$/i;
/** Shorter values, such as `https`, occur in facts by chance: redacting them would destroy evidence. */
const secretCharsMin = 6;

/** True if a field states a preference: browsers send their own, and the value is not secret. */
export function isPreferenceField(name: string): boolean {
  return preferenceNames.test(name);
}

export function isOfOrigin({ origin }: TargetCredentials, url: string): boolean {
  return URL.parse(url)?.origin === origin;
}

/** Fields of a request to that URL, without cookies; empty for other origins. */
export function headersFor(credentials: TargetCredentials, url: string): readonly GivenHeader[] {
  return isOfOrigin(credentials, url) ? credentials.headers : [];
}

/**
 * Value of the Cookie field, null without cookies. `siteCookies` is what the browser would send itself: cookies that the site has set
 * since replace given ones of their name.
 */
export function cookieFieldFor(credentials: TargetCredentials, url: string, siteCookies = ""): string | null {
  const path = URL.parse(url)?.pathname ?? "/";
  const setBySite = new Set(siteCookies.split(";").map((pair) => pair.split("=")[0]?.trim()));
  const pairs = isOfOrigin(credentials, url)
    ? credentials.cookies
        .filter((cookie) => cookiePathMatches(cookie.path, path) && !setBySite.has(cookie.name))
        // RFC 6265 section 5.4: longer paths first.
        .toSorted((one, other) => other.path.length - one.path.length)
        .map(({ name, value }) => `${name}=${value}`)
    : [];
  const all = [...pairs, ...(siteCookies === "" ? [] : [siteCookies])];
  return all.length === 0 ? null : all.join("; ");
}

/** Texts to remove from evidence: each value, and the parts of it that are secrets by themselves, also as URLs spell them. */
export function secretsOf({ origin, headers, cookies }: TargetCredentials): readonly string[] {
  const values = [
    ...headers.filter(({ name }) => !isPreferenceField(name)).flatMap(({ value }) => [value, ...partsOf(value)]),
    ...cookies.map(({ value }) => value.replace(/^"(.*)"$/, "$1")),
  ];
  const spellings = values.flatMap((value) => [value, encodeURIComponent(value), percentDecoded(value) ?? value]);
  // A part of the origin is public.
  const secrets = new Set(spellings.filter((text) => text.length >= secretCharsMin && !origin.includes(text)));
  // Longest first, so that redacting a part cannot hide the complete value.
  return [...secrets].toSorted((one, other) => other.length - one.length);
}

/** Token of `Bearer TOKEN`; user, password and both of `Basic BASE64` (RFC 7617). */
function partsOf(value: string): readonly string[] {
  const [scheme = "", ...rest] = value.split(/\s+/);
  const token = rest.join(" ");
  if (token === "") return [];
  if (!/^basic$/i.test(scheme)) return [token];
  const pair = Buffer.from(token, "base64").toString("utf8");
  return [token, pair, pair.slice(pair.indexOf(":") + 1)];
}
