/** Names of cookies as software sets them: sessions whose name does not say so, and cookies that are no session whatever they look like. */

export interface CookieNames {
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
export const otherPurposeWords: readonly string[] = [
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
