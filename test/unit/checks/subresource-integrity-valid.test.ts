/** Integrity attributes that are effective and match their files. */
import check from "../../../checks/subresource-integrity-valid.ts";
import { testCheck } from "../../support/check-tester.ts";
import { subresource } from "../../support/subresources.ts";

const page = (...subresources: ReturnType<typeof subresource>[]) => ({ dom: { subresources } });
const script = (integrity: string, given: Parameters<typeof subresource>[0] = {}) =>
  subresource({ integrity, crossOrigin: "anonymous", ...given });
const sha256 = `sha256-${"A".repeat(43)}=`;
const sha384 = `sha384-${"a".repeat(64)}`;
const url = "https://cdn.example/lib.js";

const key = "ed25519-JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=";

testCheck(check, {
  passed: [
    ["one hash", page(script(sha384))],
    ["several hashes", page(script(`${sha256} ${sha384}`))],
    ["options", page(script(`${sha384}?ct=text/javascript`))],
    ["crossorigin without a value means anonymous", page(script(sha384, { crossOrigin: "" }))],
    ["the same origin needs no crossorigin", page(script(sha384, { crossOrigin: null, sameOrigin: true, sameSite: true }))],
    ["a weak hash beside a valid one", page(script(`md5-x ${sha256}`))],
    ["an invalid hash beside a valid one of its algorithm", page(script(`sha384-x ${sha384}`))],
    ["an invalid hash beside a stronger one", page(script(`sha256-x ${sha384}`))],
    ["beside scripts without integrity", page(script(sha384), subresource())],
    ["a hash beside a key of signatures", page(script(`${sha384} ${key}`))],
  ],
  notApplicable: [
    ["nothing", {}],
    ["no attribute", page(subresource())],
    ["an empty attribute", page(script(" "))],
    ["on an element that ignores it", page(script("md5-x", { kind: "other" }))],
  ],
  notChecked: [
    ["subresources were dropped", { dom: { subresourcesDropped: 1 } }],
    ["a cut attribute", page(script("x".repeat(512)))],
    ["blocked requests were not read", { ...page(script(sha384)), requests: "crashed" }],
  ],
  violated: {
    "security.content.integrity-ineffective": [
      ["SHA-1", page(script("sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=")), { values: { resources: url, total: 1 } }],
      ["MD5", page(script("md5-1B2M2Y8AsgTpgAmY7PhCfg=="))],
      ["a hash without its algorithm", page(script("a".repeat(64)))],
      ["an algorithm in capitals", page(script(sha384.toUpperCase()))],
      ["a key of the wrong length", page(script("ed25519-JrQLj5P="))],
      ["blocked requests were not read", { ...page(script("md5-x")), requests: "crashed" }],
    ],
    "security.content.integrity-malformed": [
      ["too short", page(script("sha384-abc")), { values: { resources: url, total: 1 } }],
      ["hexadecimal", page(script(`sha256-${"0f".repeat(32)}`, { kind: "style" }))],
      ["the strongest hash can never match", page(script(`${sha256} sha512-x`))],
      ["blocked for that reason, and reported once", { ...page(script("sha384-abc")), requests: { integrityBlocked: [url] } }],
    ],
    "security.content.integrity-without-crossorigin": [
      ["no crossorigin", page(script(sha384, { crossOrigin: null })), { values: { resources: url, total: 1 } }],
      ["another host of the same site", page(script(sha384, { crossOrigin: null, sameSite: true }))],
      ["a preload", page(script(sha384, { crossOrigin: null, kind: "preload" }))],
    ],
    "security.content.integrity-mismatch": [
      ["the file differs", { ...page(script(sha384)), requests: { integrityBlocked: [url] } }, { values: { resources: url, total: 1 } }],
      ["the element no longer exists", { requests: { integrityBlocked: [url, url] } }, { values: { total: 1 } }],
      [
        "beside a weak hash",
        { ...page(script("md5-x")), requests: { integrityBlocked: ["https://cdn.example/other.js"] } },
        { also: ["security.content.integrity-ineffective"] },
      ],
    ],
    "security.content.integrity-signature-only": [
      ["a key alone", page(script(key)), { values: { resources: url, total: 1 } }],
      [
        "a key whose signature is missing",
        { ...page(script(key)), requests: { integrityBlocked: [url] } },
        { also: ["security.content.integrity-mismatch"] },
      ],
    ],
  },
});
