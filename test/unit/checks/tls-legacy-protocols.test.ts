/** A handshake proves that an old version is accepted; a refusal must be definite. */
import check from "../../../checks/tls-legacy-protocols.ts";
import type { TlsVersionAnswer } from "../../../src/evidence/tls-facts.ts";
import { testCheck } from "../../support/check-tester.ts";

const old = (first: TlsVersionAnswer, second: TlsVersionAnswer) => ({
  tls: { versions: { "1.0": first, "1.1": second, "1.2": "accepted", "1.3": "accepted" } as const },
});

testCheck(check, {
  passed: [["both refused", old("refused", "refused")]],
  notApplicable: [["a page over http", { url: "http://site.example/" }]],
  notChecked: [
    ["no handshake", { tls: "tls" }],
    ["both unknown", old("unknown", "unknown")],
    ["one refused, one unknown", old("refused", "unknown")],
    ["one unknown, one refused", old("unknown", "refused")],
  ],
  violated: {
    "security.tls.legacy-protocol-accepted": [
      ["both", old("accepted", "accepted"), { values: { versions: "TLS 1.0, TLS 1.1" } }],
      ["1.0, with any result for 1.1", old("accepted", "unknown"), { values: { versions: "TLS 1.0" } }],
      ["only 1.1", old("refused", "accepted"), { values: { versions: "TLS 1.1", tlsHost: "site.example" } }],
    ],
  },
});
