/** Only two definite refusals prove that the server supports no modern version. */
import check from "../../../checks/tls-modern-protocol.ts";
import type { TlsVersionAnswer } from "../../../src/evidence/tls-facts.ts";
import { testCheck } from "../../support/check-tester.ts";

const current = (first: TlsVersionAnswer, second: TlsVersionAnswer) => ({
  tls: {
    negotiated: { protocol: "TLSv1.1", cipher: "ECDHE-RSA-AES128-SHA", alpn: null },
    versions: { "1.0": "accepted", "1.1": "accepted", "1.2": first, "1.3": second } as const,
  },
});

testCheck(check, {
  passed: [
    ["both", current("accepted", "accepted")],
    ["only 1.2", current("accepted", "refused")],
    ["only 1.3", current("unknown", "accepted")],
  ],
  notApplicable: [["a page over http", { url: "http://site.example/" }]],
  notChecked: [
    ["no handshake", { tls: "tls" }],
    ["both unknown", current("unknown", "unknown")],
    ["one refused, one unknown", current("refused", "unknown")],
  ],
  violated: {
    "security.tls.modern-protocol-missing": [["both refused", current("refused", "refused"), { values: { negotiated: "TLSv1.1" } }]],
  },
});
