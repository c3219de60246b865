/** Groups of DHE by length and prime, weak curves, and suites without forward secrecy. */
import { createHash, getDiffieHellman } from "node:crypto";
import check from "../../../checks/tls-key-exchange.ts";
import { testCheck } from "../../support/check-tester.ts";
import { type EvidenceGiven, weakOffer, weakSuites } from "../../support/evidence.ts";
import { oakleyPrimes } from "../../support/hello-server.ts";

const group = (bits: number, primeSha256 = "00".repeat(32)): EvidenceGiven => ({
  tlsOffers: { dhe: { answer: "accepted", group: { bits, primeSha256 } } },
});
const curves = (...accepted: readonly string[]): EvidenceGiven => ({ tlsOffers: { weakCurves: { accepted, others: "refused" } } });

const oakley2 = createHash("sha256").update(oakleyPrimes.group2).digest("hex");
const modp14 = createHash("sha256").update(getDiffieHellman("modp14").getPrime()).digest("hex");
/** Section 2.3 of RFC 5114. */
const rfc5114 = "0b7835722cb619827610c2549fdda5587421686c4409a13865e76225522ddcc9";

testCheck(check, {
  passed: [
    ["no DHE, no weak curve", {}],
    ["a group of 2048 bits", group(2_048, modp14)],
    ["a hybrid group", { tlsOffers: { hybrid: { answer: "accepted", group: "X25519MLKEM768" } } }],
    ["nothing known about hybrid groups", { tlsOffers: { hybrid: { answer: "unknown", group: null } } }],
  ],
  notApplicable: [["a page over http", { url: "http://site.example/" }]],
  notChecked: [
    ["DHE unknown", { tlsOffers: { dhe: { answer: "unknown", group: null } } }],
    ["DHE with unreadable parameters", { tlsOffers: { dhe: { answer: "accepted", group: null } } }],
    ["weak curves unknown", { tlsOffers: { weakCurves: { accepted: [], others: "unknown" } } }],
    ["static suites unknown", { tlsOffers: weakSuites({ staticKey: weakOffer([], "unknown") }) }],
  ],
  violated: {
    "security.tls.dh-group-broken": [
      ["export strength", group(512), { values: { bits: 512, tlsHost: "site.example" } }],
      ["one bit short of 1024", group(1_023)],
    ],
    "security.tls.dh-prime-known-weak": [
      ["Oakley group 2", group(1_024, oakley2), { values: { prime: "Oakley group 2 (RFC 2409)", bits: 1_024 } }],
      ["2048 bits of RFC 5114", group(2_048, rfc5114)],
    ],
    "security.tls.dh-group-short": [
      ["1024 bits of an own prime", group(1_024)],
      ["one bit short of 2048", group(2_047)],
    ],
    "security.tls.curve-short": [
      ["a prime curve", curves("secp192r1"), { values: { curve: "secp192r1" } }],
      ["a binary curve, which is told once", curves("sect163k1")],
    ],
    "security.tls.curve-binary": [
      ["long enough", curves("sect571r1"), { values: { curve: "sect571r1" } }],
      ["besides a short one", curves("sect283k1", "secp160r1"), { also: ["security.tls.curve-short"] }],
    ],
    "security.tls.forward-secrecy-optional": [
      ["static RSA", { tlsOffers: weakSuites({ staticKey: weakOffer(["AES128-SHA"]) }) }, { values: { suites: "AES128-SHA" } }],
      [
        "RC4, 3DES and export suites, some of them with ephemeral keys",
        {
          tlsOffers: weakSuites({
            export: weakOffer(["EXP-DHE-RSA-DES-CBC-SHA"], "not-asked"),
            rc4: weakOffer(["ECDHE-RSA-RC4-SHA"], "not-asked"),
            smallBlock: weakOffer(["DES-CBC3-SHA"], "not-asked"),
          }),
        },
        { values: { suites: "DES-CBC3-SHA" } },
      ],
    ],
  },
});
