/** Collects the cookies set during a scan, and classifies them by name and value. */
import type { Subject } from "../evidence/evidence.ts";
import type { PageFacts } from "../evidence/page-facts.ts";
import { cookiePrefixes, parseSetCookie, type SetCookie } from "../parse/set-cookie.ts";
import type { FindingCode } from "./check.ts";
import { type Found, notApplicable, type Verdict, violatedBy } from "./verdict.ts";

// Cookie names of known software: sessions with unusual names, and other cookies that look like sessions.

/** Names, the software that sets these cookies, and the place in its documentation or source code that shows the names. */
type CookieNames = readonly [names: RegExp, software: string, source: string];

/** Session and login cookies that the words of their names do not reveal. */
export const sessionCookieNames: readonly CookieNames[] = [
  [/^(fe|be)_typo_user$/, "TYPO3", "typo3/cms-core: Authentication/AbstractUserAuthentication, cookieName"],
  [/^(session-\d*|sw-context-token)$/, "Shopware", "shopware/core: PlatformRequest, HEADER_CONTEXT_TOKEN"],
  [/^S?SESS[0-9A-Za-z]{32}$/, "Drupal", "drupal/core: Session/SessionConfiguration::getName"],
  [/^[0-9a-f]{32}$/, "Joomla", "joomla/joomla-cms: Session/SessionProvider, ApplicationHelper::getHash"],
  [/^oc[0-9a-z]{10}$/, "Nextcloud, ownCloud", "nextcloud/server: OC_Util::getInstanceId, OC::initSession"],
  [/^nc_(token|username)$/, "Nextcloud", "nextcloud/server: User/Session::setMagicInCookie"],
  [/^(frontend|adminhtml|admin)$/, "Magento", "Magento 1 user guide: Cookie reference; Backend/Model/Session/AdminConfig"],
  [/^CAKEPHP$/i, "CakePHP", "cakephp/cakephp: Http/Session::_defaultConfig"],
  [/^(DokuWiki|DW[0-9a-f]{32})$/, "DokuWiki", "dokuwiki/dokuwiki: inc/init.php, DOKU_SESSION_NAME and DOKU_COOKIE"],
  [
    /^(phpMyAdmin|pmaAuth-\d+|pmaUser-\d+)(_https)?$/,
    "phpMyAdmin",
    "phpmyadmin/phpmyadmin: Session::setUp; Plugins/Auth/AuthenticationCookie",
  ],
  [/^(cpsession|whostmgrsession|webmailsession)$/, "cPanel", "cPanel & WHM: cookies of cpsrvd"],
  [/^SimpleSAML/, "SimpleSAMLphp", "simplesamlphp/simplesamlphp: config.php.dist, session.cookie.name"],
  [/^mellon-/, "mod_auth_mellon (SAML)", "latchset/mod_auth_mellon: README, MellonVariable"],
  [/^_(shibsession_|idp_session)/, "Shibboleth", "Shibboleth wiki: NativeSPCookieUsage, IdPCookieUsage"],
  [/^MoodleSession/, "Moodle", "moodle/moodle: lib/classes/session/manager.php, sessioncookie"],
  [/^session_id$/, "Odoo", "odoo/odoo: odoo/http.py, session_id"],
  [/^__ac$/, "Plone", "plone/plone.session: README; Products.PluggableAuthService CookieAuthHelper"],
  [
    /^(KEYCLOAK_(SESSION|IDENTITY)|AUTH_SESSION_ID)(_LEGACY)?$|^KC_RESTART$/,
    "Keycloak",
    "keycloak/keycloak: org.keycloak.cookie.CookieType",
  ],
  [/^remember_[a-z]+_[0-9a-f]{40}$/, "Laravel", "laravel/framework: Auth/SessionGuard::getRecallerName"],
  [/^wordpress_(sec_)?[0-9a-f]{32}$/, "WordPress", "WordPress: wp-includes/default-constants.php, AUTH_COOKIE"],
  [/^asid$/, "EverShop", "evershop/evershop: modules/auth/services/getAdminSessionCookieName"],
  [/^fossil-[0-9a-f]{16}$/, "Fossil", "Fossil: src/login.c, login_cookie_name"],
  [/^_oauth2_proxy(_\d+)?$/, "oauth2-proxy", "oauth2-proxy/oauth2-proxy: docs, cookie-name"],
  // Frameworks, content management and shops.
  [/^\.AspNet(Core)?\.\w*Cookies?(C\d+)?$/, "ASP.NET", "dotnet/aspnetcore: CookieAuthenticationDefaults, ChunkingCookieManager"],
  [/^\.DOTNETNUKE$/, "DNN", "dnnsoftware/Dnn.Platform: web.config, forms"],
  [/^UMB_UCONTEXT(_C\d+)?$/, "Umbraco", "umbraco/Umbraco-CMS: SecuritySettings, AuthCookieName"],
  [/^CF(ID|TOKEN|AUTHORIZATION_.+)$/i, "ColdFusion", "Adobe ColdFusion: Managing the client state; cflogin, loginStorage"],
  [/^ORA_WWV_(APP|USER)_\d+$/, "Oracle APEX", "Oracle APEX App Builder guide: session cookie attributes"],
  [/^wires?(_challenge)?$/, "ProcessWire", "processwire/processwire: wire/core/Config.php, sessionName"],
  [/^CONCRETE5?$/, "Concrete CMS", "concretecms/concretecms: concrete/config/concrete.php, session.name"],
  [/^BITRIX_SM_UIDH$/, "Bitrix", "Bitrix Framework: CUser::Authorize, UIDH"],
  [/^ghost-members-ssr$/, "Ghost", "TryGhost/Ghost: members-ssr, cookieName"],
  [/^payload-token$/, "Payload", "payloadcms/payload: auth/cookies, cookiePrefix"],
  [/^PrestaShop-[0-9a-f]{32,64}$/, "PrestaShop", "PrestaShop/PrestaShop: classes/Cookie.php"],
  [/^(osCsid|zenid|XTCsid|MODsid)$/, "osCommerce and its descendants", "osCommerce: application_top.php; Zen Cart: init_sessions.php"],
  [/^(dwsid|dwsecuretoken_.+)$/, "Salesforce B2C Commerce", "Salesforce B2C Commerce: cookies of a storefront"],
  [/^acceleratorSecureGUID$/, "SAP Commerce", "SAP Commerce: EnhancedCookieGenerator, GUIDCookieStrategy"],
  [/^secure_customer_sig$/, "Shopify", "Shopify cookie policy: cookies necessary for the store"],
  // Forums and applications.
  [/^phpbb\w*_k$/, "phpBB", "phpbb/phpbb: phpbb/session.php, set_cookie"],
  [/^bb_?(sessionhash|password)$/, "vBulletin", "vBulletin manual: cookie prefix; class_session"],
  [/^xf_(user|admin)$/, "XenForo", "XenForo manual: config.php, cookie prefix"],
  [/^(mybbuser|adminsid)$/, "MyBB", "mybb/mybb: member.php, admin/index.php, my_setcookie"],
  [/^SMFCookie\d*$/, "Simple Machines Forum", "SimpleMachines/SMF: Settings.php, cookiename"],
  [/^wcf\d*_cookieHash$/, "WoltLab", "WoltLab/WCF: SessionFactory, cookieHash"],
  [/^ips4_IPSSession(Front|Admin)$/, "Invision Community", "Invision Community: cookies, Session/Front"],
  [/^_t$/, "Discourse", "discourse/discourse: lib/auth/default_current_user_provider.rb, TOKEN_COOKIE"],
  [/^i_like_(gitea|gogs|forgejo)$|^(gitea|gogs)_incredible$/, "Gitea, Gogs", "go-gitea/gitea: modules/setting, COOKIE_NAME"],
  [/^(crowd\.token_key|seraph\.(jira|confluence|bamboo))$/, "Atlassian", "Atlassian Crowd: crowd.properties; Seraph: login.cookie.key"],
  [/^(OTRS|Znuny)(Agent|Customer)Interface$/, "OTRS, Znuny", "OTRS: Kernel/Config/Defaults.pm, SessionName"],
  [/^glpi_[0-9a-f]{32}(_rememberme)?$/, "GLPI", "glpi-project/glpi: Session::start"],
  [/^MANTIS_STRING_COOKIE$/, "MantisBT", "mantisbt/mantisbt: config_defaults_inc.php, g_string_cookie"],
  [/^MMAUTHTOKEN$/, "Mattermost", "mattermost/mattermost: model.SessionCookieToken"],
  [/^rc_token$/, "Rocket.Chat", "RocketChat/Rocket.Chat: rc_token"],
  [/^VW_ADMIN$/, "Vaultwarden", "dani-garcia/vaultwarden: src/api/admin.rs, COOKIE_NAME"],
  [/^0xHIGHFLYxSOGo(-.+)?$/, "SOGo", "Alinto/sogo: SOGoWebAuthenticator, cookieNameInContext"],
  [/^cadata(Key|IV|Sig)?$/i, "Exchange", "Microsoft Exchange: forms-based authentication"],
  [
    /^(Horde\d?|FreshRSS|pwg_id|Cacti|phpipam|Icingaweb2|sentrysid)$/,
    "applications that name their session",
    "Horde, FreshRSS, Piwigo, Cacti, phpIPAM, Icinga Web 2, Sentry: default configuration",
  ],
  [/^(portainer_api_key|argocd\.token|unifises)$/, "Portainer, Argo CD, UniFi", "portainer, argo-cd: api, cookie name; UniFi API client"],
  [/^username-[\w-]+-\d+$|^jupyterhub-user-.+$/, "Jupyter", "jupyter-server/jupyter_server: auth/identity.py, cookie_name"],
  // Single sign-on and VPN gateways.
  [/^iPlanetDirectoryPro$/, "OpenAM, ForgeRock AM", "OpenIdentityPlatform/OpenAM: com.iplanet.am.cookie.name"],
  [/^SM(SESSION|IDENTITY)$/, "SiteMinder", "Broadcom SiteMinder: SMSESSION and SMIDENTITY cookies"],
  [/^LtpaToken2?$/i, "WebSphere, Domino", "IBM WebSphere: LTPA cookies"],
  [/^(ObSSOCookie|OAM_ID|OAMAuthnCookie(_.+)?)$/, "Oracle Access Manager", "Oracle Access Manager: single sign-on cookies"],
  [/^(MYSAPSSO2|PS_TOKEN)$/, "SAP, PeopleSoft", "SAP NetWeaver: logon tickets; Oracle PeopleTools: PS_TOKEN"],
  [/^(MSISAuth\d*|rtFa)$/, "AD FS, SharePoint", "MicrosoftDocs: AD FS single sign-on settings; SharePoint sign-in"],
  [/^(ESTSAUTHPERSISTENT|AzureAppProxyAccessCookie_.+)$/, "Microsoft Entra", "Microsoft Entra: web browser cookies; application proxy"],
  [/^(TGC|CASTGC)$/, "CAS", "apereo/cas: cas.tgc.name"],
  [
    /^(idx|DSR?|__client|fe_refresh_.+)$/,
    "Okta, Descope, Clerk, Frontegg",
    "Okta Identity Engine: idx; Descope, Clerk and Frontegg: session management",
  ],
  [/^(idsrv|PF|PF\.PERSISTENT|PA\..+)$/, "Duende IdentityServer, Ping", "IdentityServerConstants; PingFederate, PingAccess: cookies"],
  [/^(VouchCookie|_pomerium)$/, "Vouch, Pomerium", "vouch/vouch-proxy, pomerium/pomerium: documentation, cookie name"],
  [/^NSC_(AAAC|TMA[AS])$/, "NetScaler Gateway", "NetScaler: AAA session cookies"],
  [
    /^(webvpn|SVPN(NETWORK)?COOKIE|DSID|MRHSession|ANsession\d*)$/,
    "VPN gateways of Cisco, Fortinet, Ivanti, F5 and Array",
    "openconnect: auth.c, fortinet.c, oncp.c, f5.c, array.c",
  ],
];

/** Cookies of load balancers and bot defences, and public values: no login depends on them, however random they look. */
export const otherCookieNames: readonly CookieNames[] = [
  [/^AWS(ALB|ALBTG|ELB)(CORS)?$/, "AWS load balancers", "Elastic Load Balancing: Sticky sessions"],
  [/^(__cf_bm|_cfuvid|__cflb|__cfruid|cf_clearance)$/, "Cloudflare", "Cloudflare Fundamentals: Cloudflare cookies"],
  [/^ARRAffinity(SameSite)?$/, "Azure App Service", "Azure App Service: ARR affinity"],
  [/^GCLB$/, "Google Cloud load balancer", "Cloud Load Balancing: Session affinity, generated cookie"],
  [/^ApplicationGatewayAffinity(CORS)?$/, "Azure Application Gateway", "Azure Application Gateway: cookie-based affinity"],
  [/^BIGipServer/, "F5 BIG-IP", "F5 K6917: BIG-IP persistence cookie"],
  [/^(TS[0-9a-f]{6,8}|f5avr|f5_cspm$)/, "F5 BIG-IP ASM and AVR", "F5 K6850: BIG-IP ASM cookies; F5 K13570: AVR cookies"],
  [/^(NSC_|citrix_ns_id)/, "Citrix NetScaler", "NetScaler: HTTP cookie persistence; Web App Firewall session cookie"],
  [/^(INGRESSCOOKIE|_[0-9a-f]{5})$/, "ingress-nginx, Traefik", "ingress-nginx: sticky sessions; Traefik: sticky sessions"],
  [/^X-Mapping-/, "Pulse Secure Virtual Traffic Manager", "Virtual Traffic Manager: transparent session affinity"],
  [/^(visid_incap|incap_ses|nlbi)_/, "Imperva", "Imperva: Cookies used by Cloud WAF"],
  [/^(ak_bmsc|bm_s[vz]|_abck|akaalb_.*)$/, "Akamai", "Akamai Bot Manager: cookies; Application Load Balancer: stickiness"],
  [/^(dtCookie|dtPC|dtSa|dtLatC|rxVisitor|rxvt)/, "Dynatrace", "Dynatrace: cookies of real user monitoring"],
  [/^datadome$/, "DataDome", "DataDome: Cookie and session storage"],
  [/^(mage-cache-sessid|private_content_version|X-Magento-Vary)$/, "Magento", "Adobe Commerce: Cookie reference"],
  [/^(s_sess|_gd_session|rl_session|lo_session_in)$/, "analytics", "Adobe Analytics, Demandbase, RudderStack, Lucky Orange: cookies"],
];

/** Words of names that state another purpose of a random value: a visitor, a device, a variant. */
const otherPurposeWords: readonly string[] =
  "visitor visit device client anonymous analytics stats tracking consent experiment variant version build nonce state".split(" ");

/** Words of names that state a count, a time or a duration, as in `session-depth` and `session_expiry`. */
const measureWords: readonly string[] = "depth count counter expiry expires timeout start started duration length timestamp".split(" ");

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

/** True for a cookie with the fault. A text also quotes the attribute, as in `Domain=site.example`. */
export type CookieFault = (cookie: SeenCookie) => boolean | string;

/** Verdict on the cookies to which a rule applies: one finding for each fault, by code. */
export function verdictOnCookies<Code extends FindingCode>(
  { subject, page }: { readonly subject: Subject; readonly page: PageFacts },
  applies: (cookie: SeenCookie) => boolean,
  faults: Readonly<Record<Code, CookieFault>>,
): Verdict<Code> {
  const { cookies, complete } = seenCookies(subject, page);
  const judged = cookies.filter(applies);
  const found = Object.entries<CookieFault>(faults).flatMap(([code, faultOf]) => {
    const faulty = judged.filter((cookie) => faultOf(cookie) !== false);
    return foundInCookies(code as Code, faulty, (cookie) => (faultOf(cookie) === true ? null : String(faultOf(cookie))));
  });
  return judged.length === 0 && complete ? notApplicable() : violatedBy(found, complete);
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
const sessionWords: readonly string[] = "sid ssid sess session logged loggedin jwt sso remember rememberme identity".split(" ");
/** Words that mark a token as a login, whatever else its name holds: `directus_refresh_token`. */
const loginTokenWords: readonly string[] = ["access", "refresh", "bearer"];
/** Words of a name that, alone, mark a token as a login rather than a visitor or device. */
const tokenWords: readonly string[] = ["token", "id", "api", "user"];
const antiForgeryParts: readonly string[] = ["csrf", "xsrf", "antiforgery", "requestverification", "form_key"];
/** Random bits that a session id needs at least (OWASP ASVS 4.0, 3.2.2). */
const sessionValueBitsMin = 64;

/**
 * True for a cookie that no browser stores or sends, because its prefix requires the missing Secure (RFC 6265bis section 5.7). `cookie-prefix`
 * reports it. Not every browser knows `__Http-`.
 */
export function isRefusedWithoutSecure({ name, secure }: SetCookie): boolean {
  return !secure && cookiePrefixes(name).some((prefix) => prefix !== "__http-");
}

/** True if the name suggests a session or login cookie, by its words or as a name of known software. */
export function isSessionName(name: string): boolean {
  if (isAmong(sessionCookieNames, name)) return true;
  if (hasOtherPurpose(name)) return false;
  const plain = name.toLowerCase();
  const words = wordsOf(name);
  if (words.some((word) => measureWords.includes(word))) return false;
  return (
    sessionParts.some((part) => plain.includes(part)) ||
    words.some((word) => sessionWords.includes(word) || isAuthWord(word)) ||
    (words.includes("token") && isLoginToken(words))
  );
}

function isLoginToken(words: readonly string[]): boolean {
  if (words.every((word) => tokenWords.includes(word))) return true;
  return words.some((word) => loginTokenWords.includes(word)) && !words.some((word) => otherPurposeWords.includes(word));
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
  const bare = name.replace(/^__(?:host-http|host|secure|http)-/i, "");
  return known.some(([names]) => names.test(bare));
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
