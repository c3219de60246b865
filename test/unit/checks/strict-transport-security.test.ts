/** The first https answer of the scanned host, possibly a redirect, must have the header. */
import check from "../../../checks/strict-transport-security.ts";
import type { HeaderField, Hop, HttpAnswer } from "../../../src/evidence/http-facts.ts";
import { testCheck } from "../../support/check-tester.ts";
import { answer, type HeadersGiven } from "../../support/evidence.ts";

const sts = { "strict-transport-security": "max-age=31536000" };
const hop = (url: string, headers: HeadersGiven = {}, internal = false): Hop => ({ ...answer({ url, status: 301, headers }), internal });
const errorPage = (headers: HeadersGiven = {}): HttpAnswer => answer({ url: "https://site.example/", status: 404, headers });
const cut: HeaderField = { name: "strict-transport-security", value: "max-age=1", truncated: true };

testCheck(check, {
  passed: [
    ["on the page", { headers: sts }],
    ["in any letter case", { headers: { "Strict-Transport-Security": "max-age=1" } }],
    [
      "on the redirect to www, but not on the page",
      { navigation: { hops: [hop("https://site.example/", sts)], finalUrl: "https://www.site.example/" } },
    ],
    [
      "after a redirect from http",
      { url: "http://site.example/", navigation: { hops: [hop("http://site.example/")], finalUrl: "https://site.example/" }, headers: sts },
    ],
    ["an invalid value is still a header; hsts-effective judges it", { headers: { "strict-transport-security": "max-age=abc" } }],
    ["the host is preloaded", { hstsPreload: { hostPreloaded: true } }],
    ["the host is on an old list", { hstsPreload: { hostPreloaded: true, decidedBy: "list", listDate: "2021-06-01" } }],
    ["present, without the preload list", { headers: sts, hstsPreload: "crashed" }],
    ["on an error page", { page: "client-error", navigation: { errorAnswer: errorPage(sts) } }],
    [
      "on the redirect to an error page without it",
      { page: "client-error", navigation: { hops: [hop("https://site.example/", sts)], errorAnswer: errorPage() } },
    ],
  ],
  notApplicable: [
    ["a page over http", { url: "http://site.example/" }],
    ["an IPv4 address", { url: "https://192.0.2.1/", registrableDomain: null }],
    ["an IPv6 address", { url: "https://[2001:db8::1]/", registrableDomain: null }],
  ],
  notChecked: [
    ["a challenge instead of the site", { page: "challenged" }],
    ["absent on an error page", { page: "client-error", navigation: { errorAnswer: errorPage() } }],
    ["cut on an error page", { page: "client-error", navigation: { errorAnswer: { ...errorPage(), headers: [cut] } } }],
    ["absent, and the preload status is unknown", { hstsPreload: "unsupported" }],
    ["absent, and not on a list that is too old", { hstsPreload: { decidedBy: "list", listDate: "2025-11-19" } }],
  ],
  violated: {
    "security.hsts.disabled": [
      ["zero", { headers: { "strict-transport-security": "max-age=0" } }, { values: { value: "max-age=0" } }],
      ["zero in the first of two fields", { headers: { "strict-transport-security": ["max-age=0", "max-age=31536000"] } }],
      ["zero for a preloaded host", { headers: { "strict-transport-security": "max-age=0" }, hstsPreload: { hostPreloaded: true } }],
    ],
    "security.missing-header.strict-transport-security": [
      [
        "absent on the redirect to an error page",
        {
          page: "client-error",
          navigation: { hops: [hop("https://site.example/")], finalUrl: "https://www.site.example/", errorAnswer: errorPage(sts) },
        },
      ],
      ["absent", {}, { values: { answeredAt: "https://site.example/", listDate: "-" } }],
      [
        "absent, and not on a recent list",
        { hstsPreload: { decidedBy: "list", listDate: "2025-11-21" } },
        { values: { listDate: "2025-11-21" } },
      ],
      ["absent, and not on the list of the browser", { hstsPreload: { decidedBy: "browser", listDate: "2021-06-01" } }],
      [
        "absent on the first answer, present on www",
        { navigation: { hops: [hop("https://site.example/")], finalUrl: "https://www.site.example/" }, headers: sts },
        { values: { answeredAt: "https://site.example/" } },
      ],
      [
        "sent over http only, where browsers ignore it",
        { url: "http://site.example/", navigation: { hops: [hop("http://site.example/", sts)], finalUrl: "https://site.example/" } },
      ],
      [
        "http that redirects to a host which is not preloaded",
        {
          url: "http://site.example/",
          navigation: { hops: [hop("http://site.example/")], finalUrl: "https://other.example/" },
          hstsPreload: { hostPreloaded: true },
        },
        { values: { answeredAt: "https://other.example/" } },
      ],
      ["a single label counts as a name", { url: "https://intranet/", registrableDomain: null }],
    ],
  },
});
