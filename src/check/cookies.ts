/** Collects the cookies set during a scan, and classifies them by name and value. */
import type { Subject } from "../evidence/evidence.ts";
import type { PageFacts } from "../evidence/page-facts.ts";
import { parseSetCookie, type SetCookie } from "../parse/set-cookie.ts";
import type { FindingCode } from "./check.ts";
import type { Found } from "./verdict.ts";

// Cookie names of known software: sessions with unusual names, and other cookies that look like sessions.

interface CookieNames {
  readonly names: RegExp;
  /** Software that sets these cookies. */
  readonly software: string;
  /** Place in the documentation or the source code that shows the names. */
  readonly source: string;
}

/** Session and login cookies that the words of their names do not reveal. */
export const sessionCookieNames: readonly CookieNames[] = [
  { names: /^(fe|be)_typo_user$/, software: "TYPO3", source: "typo3/cms-core: Authentication/AbstractUserAuthentication, cookieName" },
  { names: /^(session-.*|sw-context-token)$/, software: "Shopware", source: "shopware/core: PlatformRequest, HEADER_CONTEXT_TOKEN" },
  { names: /^S?SESS[0-9A-Za-z]{32}$/, software: "Drupal", source: "drupal/core: Session/SessionConfiguration::getName" },
  { names: /^[0-9a-f]{32}$/, software: "Joomla", source: "joomla/joomla-cms: Session/SessionProvider, ApplicationHelper::getHash" },
  { names: /^oc[0-9a-z]{10}$/, software: "Nextcloud, ownCloud", source: "nextcloud/server: OC_Util::getInstanceId, OC::initSession" },
  { names: /^nc_(token|username)$/, software: "Nextcloud", source: "nextcloud/server: User/Session::setMagicInCookie" },
  {
    names: /^(frontend|adminhtml|admin)$/,
    software: "Magento",
    source: "Magento 1 user guide: Cookie reference; Backend/Model/Session/AdminConfig",
  },
  { names: /^CAKEPHP$/i, software: "CakePHP", source: "cakephp/cakephp: Http/Session::_defaultConfig" },
  {
    names: /^(DokuWiki|DW[0-9a-f]{32})$/,
    software: "DokuWiki",
    source: "dokuwiki/dokuwiki: inc/init.php, DOKU_SESSION_NAME and DOKU_COOKIE",
  },
  {
    names: /^(phpMyAdmin|pmaAuth-\d+|pmaUser-\d+)(_https)?$/,
    software: "phpMyAdmin",
    source: "phpmyadmin/phpmyadmin: Session::setUp; Plugins/Auth/AuthenticationCookie",
  },
  { names: /^(cpsession|whostmgrsession|webmailsession)$/, software: "cPanel", source: "cPanel & WHM: cookies of cpsrvd" },
  { names: /^SimpleSAML/, software: "SimpleSAMLphp", source: "simplesamlphp/simplesamlphp: config.php.dist, session.cookie.name" },
  { names: /^mellon-/, software: "mod_auth_mellon (SAML)", source: "latchset/mod_auth_mellon: README, MellonVariable" },
  { names: /^_(shibsession_|idp_session)/, software: "Shibboleth", source: "Shibboleth wiki: NativeSPCookieUsage, IdPCookieUsage" },
  { names: /^MoodleSession/, software: "Moodle", source: "moodle/moodle: lib/classes/session/manager.php, sessioncookie" },
  { names: /^session_id$/, software: "Odoo", source: "odoo/odoo: odoo/http.py, session_id" },
  { names: /^__ac$/, software: "Plone", source: "plone/plone.session: README; Products.PluggableAuthService CookieAuthHelper" },
  {
    names: /^(KEYCLOAK_(SESSION|IDENTITY)|AUTH_SESSION_ID)(_LEGACY)?$|^KC_RESTART$/,
    software: "Keycloak",
    source: "keycloak/keycloak: org.keycloak.cookie.CookieType",
  },
  {
    names: /^.+[-_]session$|^remember_[a-z]+_[0-9a-f]{40}$/,
    software: "Laravel",
    source: "laravel/laravel: config/session.php; SessionGuard::getRecallerName",
  },
  { names: /^wordpress_(sec_)?[0-9a-f]{32}$/, software: "WordPress", source: "WordPress: wp-includes/default-constants.php, AUTH_COOKIE" },
  { names: /^_oauth2_proxy(_\d+)?$/, software: "oauth2-proxy", source: "oauth2-proxy/oauth2-proxy: docs, cookie-name" },
];

/** Cookies of load balancers and bot defences, and public values: no login depends on them, however random they look. */
export const otherCookieNames: readonly CookieNames[] = [
  { names: /^AWS(ALB|ALBTG|ELB)(CORS)?$/, software: "AWS load balancers", source: "Elastic Load Balancing: Sticky sessions" },
  {
    names: /^(__cf_bm|_cfuvid|__cflb|__cfruid|cf_clearance)$/,
    software: "Cloudflare",
    source: "Cloudflare Fundamentals: Cloudflare cookies",
  },
  { names: /^ARRAffinity(SameSite)?$/, software: "Azure App Service", source: "Azure App Service: ARR affinity" },
  { names: /^GCLB$/, software: "Google Cloud load balancer", source: "Cloud Load Balancing: Session affinity, generated cookie" },
  {
    names: /^ApplicationGatewayAffinity(CORS)?$/,
    software: "Azure Application Gateway",
    source: "Azure Application Gateway: cookie-based affinity",
  },
  { names: /^BIGipServer/, software: "F5 BIG-IP", source: "F5 K6917: BIG-IP persistence cookie" },
  {
    names: /^(TS[0-9a-f]{6,8}|f5avr|f5_cspm$)/,
    software: "F5 BIG-IP ASM and AVR",
    source: "F5 K6850: BIG-IP ASM cookies; F5 K13570: AVR cookies",
  },
  {
    names: /^(NSC_|citrix_ns_id)/,
    software: "Citrix NetScaler",
    source: "NetScaler: HTTP cookie persistence; Web App Firewall session cookie",
  },
  {
    names: /^(INGRESSCOOKIE|_[0-9a-f]{5})$/,
    software: "ingress-nginx, Traefik",
    source: "ingress-nginx: sticky sessions; Traefik: sticky sessions",
  },
  {
    names: /^X-Mapping-/,
    software: "Pulse Secure Virtual Traffic Manager",
    source: "Virtual Traffic Manager: transparent session affinity",
  },
  { names: /^(visid_incap|incap_ses|nlbi)_/, software: "Imperva", source: "Imperva: Cookies used by Cloud WAF" },
  {
    names: /^(ak_bmsc|bm_s[vz]|_abck|akaalb_.*)$/,
    software: "Akamai",
    source: "Akamai Bot Manager: cookies; Application Load Balancer: stickiness",
  },
  { names: /^(dtCookie|dtPC|dtSa|dtLatC|rxVisitor|rxvt)/, software: "Dynatrace", source: "Dynatrace: cookies of real user monitoring" },
  { names: /^datadome$/, software: "DataDome", source: "DataDome: Cookie and session storage" },
  {
    names: /^(mage-cache-sessid|private_content_version|X-Magento-Vary)$/,
    software: "Magento",
    source: "Adobe Commerce: Cookie reference",
  },
  { names: /^grafana_session_expiry$/, software: "Grafana", source: "grafana/grafana: pkg/middleware/cookies" },
];

/** Words of names that state another purpose of a random value: a visitor, a device, a variant. */
const otherPurposeWords: readonly string[] = [
  "visitor",
  "visit",
  "device",
  "client",
  "anonymous",
  "analytics",
  "stats",
  "tracking",
  "consent",
  "experiment",
  "variant",
  "version",
  "build",
  "nonce",
  "state",
];

export interface SeenCookie extends SetCookie {
  /** Host that set the cookie. */
  readonly host: string;
  /** True if the line was received over https. */
  readonly overHttps: boolean;
  /** Estimated random bits of the value; 0 if unknown. */
  readonly valueRandomBits: number;
}

export interface SeenCookies {
  /** Cookies of completely read lines. Lines that delete a cookie are left out. */
  readonly cookies: readonly SeenCookie[];
  /** False if lines were cut or dropped, so that more cookies may exist. */
  readonly complete: boolean;
}

/** Cookies of the page, its redirects and its first-party subresources. */
export function seenCookies(subject: Subject, page: PageFacts): SeenCookies {
  const cookies = page.setCookies.flatMap(({ host, line, truncated, overHttps, valueRandomBits = 0 }) => {
    const cookie = truncated ? null : parseSetCookie(line);
    return cookie === null || isDeleted(cookie, subject.scannedAt) ? [] : [{ ...cookie, host, overHttps, valueRandomBits }];
  });
  return { cookies, complete: page.setCookiesDropped === 0 && !page.setCookies.some((line) => line.truncated) };
}

/** RFC 6265bis section 5.7: an expired lifetime removes the cookie. */
function isDeleted({ maxAgeSeconds, expiresAtMs }: SetCookie, at: string): boolean {
  if (maxAgeSeconds !== null) return maxAgeSeconds <= 0;
  return expiresAtMs !== null && expiresAtMs <= Date.parse(at);
}

const namesQuotedMax = 10;

/**
 * One finding for all cookies that share a fault; no finding without a cookie. `names` lists distinct names, `""` for a nameless cookie,
 * and `total` is their number. `attribute` returns an additional quote per cookie, as in `sid (Domain=site.example)`, or null.
 */
export function foundInCookies<Code extends FindingCode>(
  code: Code,
  cookies: readonly SeenCookie[],
  attribute: (cookie: SeenCookie) => string | null = () => null,
): readonly Found<Code>[] {
  const names = [...new Set(cookies.map((cookie) => described(cookie, attribute(cookie))))];
  const more = names.length > namesQuotedMax ? ", ..." : "";
  return names.length === 0 ? [] : [{ code, values: { names: names.slice(0, namesQuotedMax).join(", ") + more, total: names.length } }];
}

function described({ name }: SeenCookie, attribute: string | null): string {
  const shown = name === "" ? '""' : name;
  return attribute === null ? shown : `${shown} (${attribute})`;
}

/** Analytics cookies whose names resemble sessions; they hold no login. */
const statisticsPrefixes: readonly string[] = ["_hj", "_ga", "_pk_", "_uet", "__utm", "ai_session", "mp_", "amp_"];
/** Name parts of session cookies in common frameworks: PHPSESSID, ASPSESSIONIDQA, autologin. */
const sessionParts: readonly string[] = ["sessid", "sessionid", "login"];
/** Name words of session cookies: connect.sid, user_session, wordpress_logged_in, remember_web, .ASPXAUTH. */
const sessionWords: readonly string[] = [
  "sid",
  "ssid",
  "sess",
  "session",
  "logged",
  "loggedin",
  "jwt",
  "sso",
  "remember",
  "rememberme",
  "identity",
];
/** Words that mark a token as a login rather than a visitor or device. */
const tokenWords: readonly string[] = ["token", "access", "refresh", "id", "api", "bearer", "user"];
const antiForgeryParts: readonly string[] = ["csrf", "xsrf", "antiforgery", "requestverification", "form_key"];
/** Random bits that a session id needs at least (OWASP ASVS 4.0, 3.2.2). */
const sessionValueBitsMin = 64;

/** True if the name suggests a session or login cookie, by its words or as a name of known software. */
export function isSessionName(name: string): boolean {
  if (hasOtherPurpose(name)) return false;
  const plain = name.toLowerCase();
  const words = wordsOf(name);
  return (
    isAmong(sessionCookieNames, name) ||
    sessionParts.some((part) => plain.includes(part)) ||
    words.some((word) => sessionWords.includes(word) || isAuthWord(word)) ||
    (words.includes("token") && words.every((word) => tokenWords.includes(word)))
  );
}

/** True for a random value without a lifetime, unless its name states another purpose. Browsers drop such a cookie when they close. */
export function hasSessionValue({ name, valueRandomBits, maxAgeSeconds, expiresAtMs }: SeenCookie): boolean {
  const hasLifetime = maxAgeSeconds !== null || expiresAtMs !== null;
  if (hasLifetime || valueRandomBits < sessionValueBitsMin || isSessionName(name) || hasOtherPurpose(name)) return false;
  return !wordsOf(name).some((word) => otherPurposeWords.includes(word));
}

function hasOtherPurpose(name: string): boolean {
  const plain = name.toLowerCase();
  return isAntiForgeryName(name) || isAmong(otherCookieNames, name) || statisticsPrefixes.some((prefix) => plain.startsWith(prefix));
}

/** Prefixes such as `__Host-` do not belong to the name that software chose. */
function isAmong(known: readonly CookieNames[], name: string): boolean {
  const bare = name.replace(/^__(?:host|secure|http|host-http)-/i, "");
  return known.some(({ names }) => names.test(bare));
}

/** True if the name suggests a CSRF token. Scripts often read such cookies, so HttpOnly is not required. */
export function isAntiForgeryName(name: string): boolean {
  const plain = name.toLowerCase();
  return antiForgeryParts.some((part) => plain.includes(part));
}

/** True for `auth`, `oauth`, `authentication` and `authorization`, but not `author`. */
function isAuthWord(word: string): boolean {
  return word.endsWith("auth") || (word.startsWith("auth") && !/^authors?$/.test(word));
}

/** Splits at case changes and separators: `__Host-userSession_id` becomes user, session, id. */
function wordsOf(name: string): readonly string[] {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.split(/[^a-z0-9]+/).filter((word) => word !== "" && !["host", "secure", "http"].includes(word));
}
