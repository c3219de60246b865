/** A host counts with its port and path, as in a browser, and a script must pass every policy. */
import check from "../../../checks/csp-bypassable-hosts.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });

testCheck(check, {
  passed: [
    ["'self' and a host that is on no list", csp("script-src 'self' https://cdn.site.example")],
    [
      "a path that leads to none of the addresses",
      csp("script-src https://www.google.com/recaptcha/ https://cdnjs.cloudflare.com/ajax/libs/jquery/"),
    ],
    ["another port", csp("script-src https://cdnjs.cloudflare.com:8443")],
    ["another policy keeps the host out", csp("script-src cdnjs.cloudflare.com", "script-src 'self'")],
    ["another policy keeps the path out", csp("script-src cdnjs.cloudflare.com, script-src cdnjs.cloudflare.com/ajax/libs/jquery/")],
    ["a subdomain only", csp("script-src *.cdnjs.cloudflare.com")],
    ["an address that is of use with eval alone", csp("script-src https://www.googletagmanager.com")],
    ["for images", csp("default-src 'self'; img-src https://cdnjs.cloudflare.com")],
    ["the sandbox lets no script run", csp("sandbox; script-src cdnjs.cloudflare.com")],
    ["what could not be read can only forbid more", { ...csp("script-src 'self'"), dom: "crashed" }],
  ],
  notApplicable: [
    ["no policy", {}],
    ["any host is let in, which another check tells", csp("script-src https: *")],
    ["nothing about scripts", csp("object-src 'none'")],
    ["'strict-dynamic' makes hosts idle", csp("script-src 'nonce-cmFuZG9tMQ' 'strict-dynamic' https://cdnjs.cloudflare.com")],
    ["in one of the policies", csp("script-src cdnjs.cloudflare.com", "script-src 'nonce-cmFuZG9tMQ' 'strict-dynamic'")],
  ],
  notChecked: [
    ["any host is let in, and the document may hold a policy that names hosts", { ...csp("script-src https:"), dom: "crashed" }],
    ["no header, and the document could not be read", { dom: "timeout" }],
    ["the document may hold a policy that keeps the host out", { ...csp("script-src cdnjs.cloudflare.com"), dom: "crashed" }],
    ["a meta element that was cut may say 'strict-dynamic'", { ...csp("script-src cdnjs.cloudflare.com"), dom: { metasDropped: 1 } }],
  ],
  violated: {
    "security.csp.jsonp-host": [
      [
        "a host",
        csp("script-src 'self' https://accounts.google.com"),
        {
          values: {
            directive: "script-src",
            sources: "https://accounts.google.com",
            address: "https://accounts.google.com/o/oauth2/revoke",
          },
        },
      ],
      ["in default-src", csp("default-src 'self' api.vk.com"), { values: { directive: "default-src" } }],
      ["a folder", csp("script-src https://vimeo.com/api/")],
      ["the very address", csp("script-src http://api.vk.com:80/method/wall%2Eget")],
      ["with eval", csp("script-src https://www.googletagmanager.com 'unsafe-eval'")],
      ["each policy in its own way", csp("script-src https:", "script-src api.vk.com"), { values: { sources: "api.vk.com" } }],
      ["the site is on the list itself", { ...csp("script-src 'self'"), url: "https://vimeo.com/" }, { values: { sources: "'self'" } }],
      ["only the next nonce would do, but hosts still count", csp("script-src 'nonce-cmFuZG9tMQ' api.vk.com")],
    ],
    "security.csp.angular-host": [
      [
        "a host",
        csp("script-src https://cdnjs.cloudflare.com"),
        {
          values: {
            sources: "https://cdnjs.cloudflare.com",
            address: "https://cdnjs.cloudflare.com/ajax/libs/angular.js/1.2.16/angular.min.js",
          },
        },
      ],
      ["a wildcard", csp("script-src *.bootcss.com")],
      ["a host of both kinds", csp("script-src *.jsdelivr.net ajax.googleapis.com"), { also: ["security.csp.jsonp-host"] }],
    ],
  },
});
