/** Every weak suite that the server accepts counts, apart from the one that the browser negotiates. */
import check from "../../../checks/tls-weak-ciphers.ts";
import { testCheck } from "../../support/check-tester.ts";
import { type EvidenceGiven, weakOffer, weakSuites } from "../../support/evidence.ts";

type Offers = Parameters<typeof weakSuites>[0];

const offers = (given: Offers): EvidenceGiven => ({ tlsOffers: weakSuites(given) });
const negotiating = (keyExchange: string, cipher: string, given: Offers): EvidenceGiven => ({
  ...offers(given),
  navigation: { security: { protocol: "TLS 1.2", cipher, keyExchange, certificateTransparency: "unknown" } },
});

testCheck(check, {
  passed: [
    ["all refused", {}],
    ["all refused, with a modern suite negotiated", negotiating("ECDHE_RSA", "AES_128_GCM", {})],
    ["all refused, with nothing known about the browser's connection", { navigation: { security: null } }],
  ],
  notApplicable: [["a page over http", { url: "http://site.example/" }]],
  notChecked: [
    ["connections with such hellos are reset", offers({ null: weakOffer([], "unknown"), rc4: weakOffer([], "unknown") })],
    [
      "the negotiated suite alone, and no answer for the others",
      negotiating("RSA", "AES_128_CBC", { staticKey: weakOffer(["AES128-SHA"], "unknown") }),
    ],
  ],
  violated: {
    "security.tls.cipher-null-offered": [
      [
        "without encryption",
        offers({ null: weakOffer(["NULL-SHA256"], "not-asked") }),
        { values: { suites: "NULL-SHA256", tlsHost: "site.example" } },
      ],
    ],
    "security.tls.cipher-anonymous-offered": [["without certificate", offers({ anonymous: weakOffer(["ADH-AES128-SHA"], "not-asked") })]],
    "security.tls.cipher-export-offered": [
      ["an export suite", offers({ export: weakOffer(["EXP-RC4-MD5"], "not-asked") })],
      ["DES", offers({ export: weakOffer(["DES-CBC-SHA"], "not-asked") })],
    ],
    "security.tls.cipher-rc4-offered": [
      ["RC4", offers({ rc4: weakOffer(["RC4-SHA"], "not-asked") })],
      ["RC4, and no answer for other kinds", offers({ rc4: weakOffer(["RC4-SHA"], "not-asked"), cbc: weakOffer([], "unknown") })],
    ],
    "security.tls.cipher-small-block-offered": [["3DES", offers({ smallBlock: weakOffer(["DES-CBC3-SHA"], "not-asked") })]],
    "security.tls.cipher-static-key-offered": [
      ["in TLS 1.2, while the browser negotiates TLS 1.3", offers({ staticKey: weakOffer(["AES128-SHA"]) })],
      [
        "besides the negotiated one",
        negotiating("RSA", "AES_128_CBC", { staticKey: weakOffer(["AES128-SHA", "AES256-SHA"], "not-asked") }),
        { values: { suites: "AES256-SHA" } },
      ],
      [
        "besides CBC",
        offers({ staticKey: weakOffer(["AES256-SHA256"], "not-asked"), cbc: weakOffer(["ECDHE-RSA-AES128-SHA"]) }),
        { also: ["security.tls.cipher-cbc-offered"] },
      ],
    ],
    "security.tls.cipher-cbc-offered": [
      [
        "besides the negotiated one, which is of another kind",
        negotiating("RSA", "AES_128_GCM", { staticKey: weakOffer(["AES128-GCM-SHA256"]), cbc: weakOffer(["ECDHE-RSA-AES128-SHA"]) }),
      ],
    ],
    "security.tls.cipher-weak-negotiated-only": [
      [
        "CBC",
        negotiating("ECDHE_ECDSA", "AES_256_CBC", { cbc: weakOffer(["ECDHE-ECDSA-AES256-SHA"]) }),
        { values: { suites: "ECDHE-ECDSA-AES256-SHA" } },
      ],
      ["static RSA", negotiating("RSA", "AES_256_GCM", { staticKey: weakOffer(["AES256-GCM-SHA384"]) })],
    ],
  },
});
