/** Hosts match with port and path as in browsers, and scripts must pass every policy. */
import check from "../../../checks/csp-bypassable-hosts.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });

testCheck(check, {
  passed: [
    ["'self' and an unlisted host", csp("script-src 'self' https://cdn.site.example")],
    [
      "a path that matches no listed URL",
      csp("script-src https://www.google.com/recaptcha/ https://cdnjs.cloudflare.com/ajax/libs/jquery/"),
    ],
    ["another port", csp("script-src https://cdnjs.cloudflare.com:8443")],
    ["another policy excludes the host", csp("script-src cdnjs.cloudflare.com", "script-src 'self'")],
    ["another policy excludes the path", csp("script-src cdnjs.cloudflare.com, script-src cdnjs.cloudflare.com/ajax/libs/jquery/")],
    ["only a subdomain", csp("script-src *.cdnjs.cloudflare.com")],
    ["a URL that requires eval", csp("script-src https://www.googletagmanager.com")],
    ["for images", csp("default-src 'self'; img-src https://cdnjs.cloudflare.com")],
    ["the sandbox blocks scripts", csp("sandbox; script-src cdnjs.cloudflare.com")],
    ["unread policies can only forbid more", { ...csp("script-src 'self'"), dom: "crashed" }],
  ],
  notApplicable: [
    ["no policy", {}],
    ["any host is allowed, which another check reports", csp("script-src https: *")],
    ["no directive for scripts", csp("object-src 'none'")],
    ["'strict-dynamic' disables hosts", csp("script-src 'nonce-cmFuZG9tMQ' 'strict-dynamic' https://cdnjs.cloudflare.com")],
    ["in one of the policies", csp("script-src cdnjs.cloudflare.com", "script-src 'nonce-cmFuZG9tMQ' 'strict-dynamic'")],
  ],
  notChecked: [
    ["any host is allowed, and the unread document may have a policy with hosts", { ...csp("script-src https:"), dom: "crashed" }],
    ["no header, and an unread document", { dom: "timeout" }],
    ["the unread document may have a policy that excludes the host", { ...csp("script-src cdnjs.cloudflare.com"), dom: "crashed" }],
    ["a cut meta element may contain 'strict-dynamic'", { ...csp("script-src cdnjs.cloudflare.com"), dom: { metasDropped: 1 } }],
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
      ["the exact URL", csp("script-src http://api.vk.com:80/method/wall%2Eget")],
      ["with eval", csp("script-src https://www.googletagmanager.com 'unsafe-eval'")],
      ["different sources in each policy", csp("script-src https:", "script-src api.vk.com"), { values: { sources: "api.vk.com" } }],
      ["the site itself is on the list", { ...csp("script-src 'self'"), url: "https://vimeo.com/" }, { values: { sources: "'self'" } }],
      ["with a nonce, hosts still count", csp("script-src 'nonce-cmFuZG9tMQ' api.vk.com")],
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
      ["a host with both kinds", csp("script-src *.jsdelivr.net ajax.googleapis.com"), { also: ["security.csp.jsonp-host"] }],
    ],
  },
});
