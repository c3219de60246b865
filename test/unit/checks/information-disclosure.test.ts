/** Software and versions in headers of servers, frameworks and proxies. */
import check from "../../../checks/information-disclosure.ts";
import { testCheck } from "../../support/check-tester.ts";

const server = (...values: string[]) => ({ headers: { server: values } });
const via = (value: string) => ({ headers: { via: value } });

testCheck(check, {
  passed: [
    ["no such header", {}],
    ["a product name", server("nginx")],
    ["two product names", server("Google Frontend")],
    ["a digit in the name", server("AmazonS3")],
    ["a comment without an operating system", server("ECS (dcb/7EEE)")],
    ["an empty value", { headers: { server: "", "x-powered-by": " " } }],
    ["hops without products", via("1.1 varnish, HTTP/2 edge-7.example, 1.1 10.0.0.1 (CloudFront)")],
  ],
  notApplicable: [],
  notChecked: [["headers were dropped", { page: { headersDropped: 1 } }]],
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
  },
});
