/** Access that the answer grants to another origin. */
import check from "../../../checks/cors-configuration.ts";
import { testCheck } from "../../support/check-tester.ts";

import { headerFields } from "../../support/evidence.ts";

const originSent = "https://cross-origin.invalid";
const answered = (origin: string | readonly string[], credentials?: string | readonly string[]) => ({
  crossOrigin: {
    originSent,
    headers: headerFields({
      "Access-Control-Allow-Origin": origin,
      ...(credentials === undefined ? {} : { "Access-Control-Allow-Credentials": credentials }),
    }),
  },
});

testCheck(check, {
  passed: [
    ["a plain *", answered("*")],
    ["* with credentials that are not allowed", answered("*", "false")],
    ["a partner's origin", answered("https://partner.example", "true")],
    ["a reflected origin without credentials", answered(originSent)],
    ["a host of anyone's pages, without credentials, like *", answered("https://storage.googleapis.com")],
    ["one tenant of a shared domain", answered("https://acme.vercel.app", "true")],
    ["one bucket", answered("https://acme.s3.eu-west-1.amazonaws.com", "true")],
    ["one storage account", answered("https://acme.blob.core.windows.net", "true")],
    ["a host of anyone's scripts, which serves no documents", answered("https://cdn.jsdelivr.net", "true")],
    ["raw files, which browsers show as text", answered("https://raw.githubusercontent.com", "true")],
    ["a wildcard in a host matches no origin", answered("https://*.github.io", "true")],
    ["a shared host with a slash, which matches no origin", answered("https://storage.googleapis.com/", "true")],
    ["a shared host with its default port, which matches no origin", answered("https://storage.googleapis.com:443", "true")],
    ["a shared host in capitals, which matches no origin", answered("https://Storage.googleapis.com", "true")],
    ["a shared host at a port that it does not serve", answered("https://storage.googleapis.com:8443", "true")],
    ["a shared host beside another origin", answered("https://storage.googleapis.com, https://partner.example", "true")],
    ["a reflected origin, and credentials in an invalid letter case", answered(originSent, "TRUE")],
    ["a reflected origin, and repeated credentials, which browsers reject", answered(originSent, ["true", "true"])],
    ["two origins match none", answered([originSent, "https://partner.example"], "true")],
    ["an origin with a slash is invalid", answered(`${originSent}/`, "true")],
    ["NULL in capitals is invalid", answered("NULL", "true")],
    ["the page itself was not read", { page: "crashed", ...answered("*") }],
  ],
  notApplicable: [
    ["no header", {}],
    ["only Vary", { crossOrigin: { headers: headerFields({ vary: "Origin" }) } }],
  ],
  notChecked: [
    ["a cut header", { crossOrigin: { headers: [{ name: "access-control-allow-origin", value: "x".repeat(512), truncated: true }] } }],
  ],
  violated: {
    "security.cors.reflected-origin-with-credentials": [
      ["a reflected origin with credentials", answered(originSent, "true"), { values: { originSent } }],
    ],
    "security.cors.null-origin-with-credentials": [["null with credentials", answered("null", "true")]],
    "security.cors.open-host-with-credentials": [
      ["buckets in paths", answered("https://storage.googleapis.com", "true"), { values: { origin: "https://storage.googleapis.com" } }],
      ["buckets of a region", answered("https://s3.eu-west-1.amazonaws.com", "true")],
      ["buckets of a firm that is not Amazon", answered("https://s3.us-west-004.backblazeb2.com", "true")],
      ["pages of repositories", answered("https://raw.githack.com", "true")],
      ["pages of IPFS", answered("https://ipfs.io", "true")],
      ["over http too", answered("http://storage.googleapis.com", "true")],
    ],
    "security.cors.null-origin": [
      ["null", answered("null")],
      ["null, and credentials that are not allowed", answered("null", "false")],
    ],
    "security.cors.wildcard-with-credentials": [["* with credentials", answered("*", "true")]],
  },
});
