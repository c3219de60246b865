/** Software and versions in headers of servers, frameworks and proxies. */
import check from "../../../checks/information-disclosure.ts";
import type { DocumentOutline } from "../../../src/evidence/page-facts.ts";
import { testCheck } from "../../support/check-tester.ts";

const server = (...values: string[]) => ({ headers: { server: values } });
const via = (value: string) => ({ headers: { via: value } });

const named = (headers: Readonly<Record<string, string>>) => ({ headers });
const generator = (...generators: string[]) => ({ markup: { generators } });
const outlined = (outline: Partial<DocumentOutline>) => ({
  markup: { outline: { title: "", heading: "", bodyElements: [], links: [], lastLink: null, ...outline } },
});

testCheck(check, {
  passed: [
    ["no such header", {}],
    ["a product name", server("nginx")],
    ["two product names", server("Google Frontend")],
    ["a digit in the name", server("AmazonS3")],
    ["a comment without an operating system", server("ECS (dcb/7EEE)")],
    ["an empty value", { headers: { server: "", "x-powered-by": " " } }],
    ["the same numbers without a product", named({ "x-request-id": "a/1.2", etag: '"a/1.2.3"', date: "Sun, 22 Nov 2026 07:00:00 GMT" })],
    [
      "protocols",
      named({ upgrade: "HTTP/2.0, h2c", "alt-svc": 'h3=":443"', "docker-distribution-api-version": "registry/2.0", "x-p": "TLS/1.3" }),
    ],
    ["versions of interfaces", named({ "api-version": "2.1", "odata-version": "4.0", "mime-version": "1.0", "x-app-version": "7.1.2" })],
    ["the browser of the request", named({ "x-device": "Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/153.0" })],
    ["a date as version", named({ "x-ms-version": "2009-09-19" })],
    ["addresses", named({ link: "<lib/1.2.3/x.js>", "x-node": "web01/10.0.0.1", "x-route": "js/1.2.3/app.map" })],
    ["a product without a version", named({ "x-jenkins": "", "x-turbo-charged-by": "LiteSpeed", "x-cache": "HIT from cdn.example" })],
    [
      "other well-known values",
      named({ "x-ua-compatible": "IE=edge", "content-type": "text/html; charset=utf-8", "x-content-type-options": "nosniff" }),
    ],
    ["a generator without a version", generator("Hugo", "TYPO3 CMS", "Drupal 10 (https://www.drupal.org)", "")],
    ["a page that is only called so", outlined({ title: "Index of /", heading: "Index of /", bodyElements: ["header", "main"] })],
    ["a document that is not HTML", { page: { mediaType: "application/json" }, markup: "unsupported" }],
    ["hops without products", via("1.1 varnish, HTTP/2 edge-7.example, 1.1 10.0.0.1 (CloudFront)")],
  ],
  notApplicable: [],
  notChecked: [
    ["headers were dropped", { page: { headersDropped: 1 } }],
    ["the document was not read", { markup: "timeout" }],
    ["generators were dropped", { markup: { generatorsDropped: 1 } }],
  ],
  violated: {
    "security.disclosure.server": [
      ["a version", server("nginx/1.18.0"), { values: { value: "nginx/1.18.0" } }],
      ["an operating system", server("Apache (Debian)")],
      ["a version in a comment", server("Jetty(9.4.44.v20210927)")],
      ["only a version", server("Phusion Passenger 6.0.4")],
      ["a version after a hyphen", server("openresty-1.21.4")],
      ["a server module", server("Apache mod_ssl")],
      ["a programming language", server("Apache PHP")],
      ["one of two fields discloses a version", server("cloudflare", "Microsoft-IIS/10.0"), { values: { value: "Microsoft-IIS/10.0" } }],
    ],
    "security.disclosure.via": [
      ["a product in the comment", via("1.1 cache.example (squid/5.7)"), { values: { value: "1.1 cache.example (squid/5.7)" } }],
      ["a product instead of the host", via("1.1 Apache/2.4.41")],
    ],
    "security.disclosure.x-powered-by": [
      ["PHP", { headers: { "x-powered-by": "PHP/8.1.2" } }, { values: { value: "PHP/8.1.2" } }],
      ["only a name", { headers: { "X-Powered-By": "Express" } }],
      ["several", { headers: { "x-powered-by": ["ASP.NET", "ARR/3.0"] } }, { values: { value: "ASP.NET, ARR/3.0" } }],
    ],
    "security.disclosure.x-aspnet-version": [
      [
        "ASP.NET",
        { headers: { "x-aspnet-version": "4.0.30319", "x-powered-by": "ASP.NET" } },
        { also: ["security.disclosure.x-powered-by"] },
      ],
    ],
    "security.disclosure.x-aspnetmvc-version": [["ASP.NET MVC", { headers: { "x-aspnetmvc-version": "5.2" } }]],
    "security.disclosure.x-generator": [["Drupal", { headers: { "x-generator": "Drupal 10 (https://www.drupal.org)" } }]],
    "security.disclosure.x-runtime": [["Rails", { headers: { "x-runtime": "0.013291" } }]],
    "security.disclosure.x-version": [["an application", { headers: { "x-version": "2026.11.3" } }]],
    "security.disclosure.product-version": [
      ["Jenkins", named({ "X-Jenkins": "2.401.1" }), { values: { value: "X-Jenkins: 2.401.1" } }],
      ["Outlook", named({ "X-OWA-Version": "15.1.2507.27" })],
      ["Syncthing", named({ "x-syncthing-version": "v1.27.0" })],
      ["a name, a slash and a version", named({ "x-served-with": "WildFly/26.1.1" })],
      ["a main version of ten", named({ "x-served-with": "WildFly/10.1.0.Final" })],
      ["in a comment", named({ "x-cache": "MISS from proxy.example:3128 (squid/4.10)" })],
      ["Liferay", named({ "liferay-portal": "Liferay Community Edition Portal 7.0.3 GA4" })],
      ["the document was not read", { ...named({ "x-jenkins": "2.401.1" }), markup: "timeout" }],
    ],
    "security.disclosure.meta-generator": [
      ["WordPress", generator("WordPress 6.4.2", "Elementor"), { values: { value: "WordPress 6.4.2" } }],
      [
        "two",
        generator("Joomla! 1.5 - Open Source", "WooCommerce 8.2.1"),
        { values: { value: "Joomla! 1.5 - Open Source, WooCommerce 8.2.1" } },
      ],
    ],
    "security.disclosure.directory-listing": [
      [
        "nginx",
        outlined({
          title: "Index of /files/",
          heading: "Index of /files/",
          bodyElements: ["h1", "hr", "pre", "hr"],
          links: [
            { href: "../", text: "../" },
            { href: "a.txt", text: "a.txt" },
          ],
        }),
        { values: { server: "nginx", title: "Index of /files/" } },
      ],
    ],
  },
});
