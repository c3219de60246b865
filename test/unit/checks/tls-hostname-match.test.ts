/** A subjectAltName must cover the host; the common name never does. */
import check from "../../../checks/tls-hostname-match.ts";
import { testCheck } from "../../support/check-tester.ts";
import { certificate } from "../../support/evidence.ts";

const shown = (names: readonly string[], more = 0) => ({
  tls: { hostMatches: false, chain: [certificate({ names, namesDropped: more })] },
});

testCheck(check, {
  passed: [
    ["the name covers the host", {}],
    ["the matching name was dropped", { tls: { hostMatches: true, chain: [certificate({ names: ["a.example"], namesDropped: 900 })] } }],
    ["expired, but for this host", { tls: { chain: [certificate({ validTo: "2020-01-01T00:00:00.000Z" })] } }],
  ],
  notApplicable: [["a page over http", { url: "http://site.example/" }]],
  notChecked: [
    ["no handshake", { tls: "timeout" }],
    ["the certificate could not be read", { tls: { hostMatches: false, chain: [] } }],
  ],
  violated: {
    "security.tls.certificate-name-mismatch": [
      [
        "another host's certificate",
        shown(["other.example", "www.other.example"]),
        { values: { names: "other.example, www.other.example", count: 2 } },
      ],
      ["many names", shown(["a", "b", "c", "d", "e", "f"], 94), { values: { names: "a, b, c, d, e, ...", count: 100 } }],
    ],
    "security.tls.certificate-without-names": [
      ["only a common name, although it matches", shown([]), { values: { subject: "CN=site.example", tlsHost: "site.example" } }],
    ],
  },
});
