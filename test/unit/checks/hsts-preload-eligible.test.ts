/** Rules of chromium/hstspreload for registrable domains. */
import check from "../../../checks/hsts-preload-eligible.ts";
import type { Hop } from "../../../src/evidence/http-facts.ts";
import { testCheck } from "../../support/check-tester.ts";
import { answer, type EvidenceGiven } from "../../support/evidence.ts";

const full = "max-age=31536000; includeSubDomains; preload";
const sts = (...values: string[]) => ({ headers: { "strict-transport-security": values } });
const redirect = (url: string, location: string) => answer({ url, status: 301, headers: { location } });
const plain = (...answers: ReturnType<typeof answer>[]): EvidenceGiven => ({ ...sts(full), plainHttp: { answers } });
const hop = (url: string): Hop => ({ ...answer({ url, status: 301, headers: { "strict-transport-security": full } }), internal: false });

testCheck(check, {
  passed: [
    ["all requirements met", sts(full)],
    ["all requirements met, and the preload status is unknown", { ...sts(full), hstsPreload: "crashed" }],
    ["already on the list", { hstsPreload: { hostPreloaded: true } }],
    ["nothing listens on port 80", { ...sts(full), plainHttp: { outcome: "refused", answers: [] } }],
    [
      "redirected to www in three steps",
      plain(
        redirect("http://site.example/", "https://site.example/"),
        redirect("https://site.example/", "https://www.site.example/"),
        redirect("https://www.site.example/", "https://www.site.example/en"),
        answer({ url: "https://www.site.example/en" }),
      ),
    ],
  ],
  notApplicable: [
    ["a subdomain", { url: "https://www.site.example/", ...sts(full) }],
    ["a name outside the public DNS", { url: "https://intranet/", registrableDomain: null, ...sts(full) }],
  ],
  notChecked: [
    ["no header, and the preload status is unknown", { hstsPreload: "unsupported" }],
    ["no header, and not on a list that is too old", { hstsPreload: { decidedBy: "list", listDate: "2025-11-19" } }],
    ["no certificate was read", { ...sts(full), tls: { chain: [], trusted: false, hostMatches: false } }],
    ["the redirect was not tested", { ...sts(full), plainHttp: "timeout" }],
    ["the URL has an explicit port", { ...sts(full), plainHttp: { outcome: "custom-port", answers: [] } }],
    ["a server error on port 80", plain(answer({ url: "http://site.example/", status: 503 }))],
    ["the chain was interrupted", { ...sts(full), plainHttp: { stoppedBecause: "connection-failed" } }],
    [
      "another host answered first over https",
      { url: "http://site.example/", navigation: { hops: [hop("http://site.example/")], finalUrl: "https://www.site.example/" } },
    ],
  ],
  violated: {
    "security.hsts.preload-not-requested": [
      ["no header", { hstsPreload: { decidedBy: "list", listDate: "2025-11-21" } }, { values: { listDate: "2025-11-21" } }],
      ["no directive", sts("max-age=31536000; includeSubDomains")],
      ["a directive with a value is another directive", sts("max-age=31536000; includeSubDomains; preload=1")],
      ["other faults are not listed then", { ...sts("max-age=1"), plainHttp: { answers: [answer({ url: "http://site.example/" })] } }],
      ["no https", { url: "http://site.example/", plainHttp: { answers: [answer({ url: "http://site.example/" })] } }],
    ],
    "security.hsts.preload-header-invalid": [
      ["two fields", sts(full, full), { values: { count: 2 } }],
      ["invalid grammar", sts("max-age=abc; includeSubDomains; preload"), { values: { count: 1 } }],
    ],
    "security.hsts.preload-max-age-too-short": [
      ["one second less than a year", sts("max-age=31535999; includeSubDomains; preload"), { values: { maxAgeSeconds: 31_535_999 } }],
    ],
    "security.hsts.preload-without-subdomains": [
      ["absent", sts("max-age=31536000; preload")],
      ["also too short", sts("max-age=1; preload"), { also: ["security.hsts.preload-max-age-too-short"] }],
    ],
    "security.hsts.preload-no-same-host-redirect": [
      ["no redirect", plain(answer({ url: "http://site.example/" })), { values: { target: "http://site.example/" } }],
      [
        "directly to www",
        plain(redirect("http://site.example/", "https://www.site.example/"), answer({ url: "https://www.site.example/" })),
        { values: { target: "https://www.site.example/" } },
      ],
      [
        "to http first",
        plain(
          redirect("http://site.example/", "http://site.example/x"),
          redirect("http://site.example/x", "https://site.example/"),
          answer({ url: "https://site.example/" }),
        ),
      ],
    ],
    "security.hsts.preload-redirect-chain": [
      [
        "four steps",
        { ...sts(full), navigation: { hops: [1, 2, 3, 4].map((at) => hop(`https://site.example/${at}`)) } },
        { values: { count: 4 } },
      ],
    ],
    "security.hsts.preload-redirect-downgrade": [
      [
        "in the chain from port 80",
        plain(
          redirect("http://site.example/", "https://site.example/"),
          redirect("https://site.example/", "http://www.site.example/"),
          answer({ url: "http://www.site.example/" }),
        ),
        { values: { from: "https://site.example/", to: "http://www.site.example/" } },
      ],
    ],
    "security.hsts.preload-certificate-not-accepted": [["not trusted", { ...sts(full), tls: { trusted: false } }]],
  },
});
