/** Answers of servers to a hello with hybrid groups alone. */

import check from "../../../checks/tls-post-quantum.ts";
import type { TlsVersionAnswer } from "../../../src/evidence/tls-facts.ts";
import { testCheck } from "../../support/check-tester.ts";

const hybrid = (answer: TlsVersionAnswer, group: string | null = null) => ({ tlsOffers: { hybrid: { answer, group } } });

testCheck(check, {
  passed: [
    ["X25519MLKEM768", hybrid("accepted", "X25519MLKEM768")],
    ["another hybrid group", hybrid("accepted", "SecP384r1MLKEM1024")],
  ],
  notApplicable: [["a page over http", { url: "http://site.example/" }]],
  notChecked: [["no clear answer", hybrid("unknown")]],
  violated: {
    "security.tls.post-quantum-missing": [["refused", hybrid("refused"), { values: { tlsHost: "site.example" } }]],
  },
});
