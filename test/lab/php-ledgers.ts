/** Expected ledgers of Debian's applications. Every passed and violated row was compared with curl, openssl, drill and the page. */
import type { States } from "./laboratory.ts";
import { cspHeaderKeys, notApplicable, passed, violated } from "./states.ts";

/** Rows that follow from Apache, its certificate and the domain. */
const server: States = {
  ...passed(
    "content-type-charset",
    "dnssec",
    "https-available",
    "mixed-content",
    "third-party-scripts",
    "tls-certificate-expiry",
    "tls-certificate-validity",
    "tls-cipher-negotiated",
    "tls-hostname-match",
    "tls-key-exchange",
    "tls-key-strength",
    "tls-legacy-protocols",
    "tls-modern-protocol",
    "tls-signature-algorithm",
    "tls-trust-chain",
  ),
  ...violated(
    "cross-origin-opener-policy",
    "dns-caa",
    "dns-name-servers",
    "hsts-preload-eligible",
    "https-redirect",
    "information-disclosure",
    "ipv6",
    "mail-dane",
    "mail-dmarc",
    "mail-mta-sts",
    "mail-spf",
    "mail-tls-rpt",
    "permissions-policy",
    "security-txt",
    "strict-transport-security",
    "tls-weak-ciphers",
  ),
  ...notApplicable(
    "cookie-prefix",
    "cookie-samesite-none",
    "cors-configuration",
    "cross-origin-embedder-policy",
    "cross-origin-resource-policy",
    "csp-meta-delivery",
    "csp-report-only",
    "hsts-effective",
    "hsts-include-subdomains",
    "mail-dmarc-policy",
    "mail-dmarc-reporting",
    "mail-spf-lookups",
    "mail-spf-policy",
    "redirect-chain-secure",
    "security-txt-valid",
    "subresource-integrity",
    "subresource-integrity-valid",
    "tls-certificate-lifetime",
    "tls-certificate-transparency",
  ),
};

const withoutCsp: States = { ...notApplicable(...cspHeaderKeys), ...violated("content-security-policy") };

export interface PhpApplication {
  /** Name of the report. */
  readonly name: string;
  readonly path: string;
  readonly expected: States;
}

export const phpApplications: readonly PhpApplication[] = [
  {
    name: "mediawiki",
    path: "/mediawiki/index.php/Main_Page",
    expected: {
      ...server,
      ...withoutCsp,
      ...passed("deprecated-headers", "script-libraries", "x-content-type-options", "x-xss-protection"),
      ...violated("referrer-policy", "x-frame-options"),
      ...notApplicable("cookie-httponly", "cookie-samesite", "cookie-secure", "form-security"),
    },
  },
  {
    name: "mediawiki-sign-in",
    path: "/mediawiki/index.php?title=Special:UserLogin",
    expected: {
      ...server,
      ...withoutCsp,
      ...passed("cookie-httponly", "cookie-secure", "deprecated-headers", "form-security", "script-libraries"),
      ...passed("x-content-type-options", "x-frame-options", "x-xss-protection"),
      ...violated("cookie-samesite", "referrer-policy"),
    },
  },
  {
    name: "phpmyadmin",
    path: "/phpmyadmin/",
    expected: {
      ...server,
      ...passed("content-security-policy", "csp-bypassable-hosts", "csp-insecure-sources", "csp-object-src", "csp-script-sources"),
      ...passed("cookie-httponly", "cookie-samesite", "cookie-secure", "csp-syntax", "form-security"),
      ...passed("referrer-policy", "x-content-type-options", "x-frame-options"),
      ...violated("csp-form-action", "csp-script-eval", "csp-script-inline", "csp-style-inline"),
      // It loads jquery-validation 1.19.5.
      ...violated("deprecated-headers", "script-libraries", "x-xss-protection"),
      ...notApplicable("csp-base-uri"),
    },
  },
  {
    name: "dokuwiki",
    path: "/dokuwiki/doku.php",
    expected: {
      ...server,
      ...withoutCsp,
      ...passed("cookie-httponly", "cookie-secure", "deprecated-headers", "script-libraries", "x-xss-protection"),
      ...violated("cookie-samesite", "referrer-policy", "x-content-type-options", "x-frame-options"),
      ...notApplicable("form-security"),
    },
  },
];
