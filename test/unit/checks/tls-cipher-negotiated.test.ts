/** Forward secrecy and authenticated encryption, by Chromium's names. */
import check from "../../../checks/tls-cipher-negotiated.ts";
import { testCheck } from "../../support/check-tester.ts";

const agreed = (protocol: string, keyExchange: string, cipher: string) => ({
  navigation: { security: { protocol, cipher, keyExchange, certificateTransparency: "unknown" as const } },
});

testCheck(check, {
  passed: [
    ["TLS 1.3", {}],
    ["TLS 1.3 with any group name", agreed("TLS 1.3", "X25519MLKEM768", "CHACHA20_POLY1305")],
    ["QUIC", agreed("QUIC", "", "AES_256_GCM")],
    ["ECDHE with RSA and GCM", agreed("TLS 1.2", "ECDHE_RSA", "AES_256_GCM")],
    ["ECDHE with ECDSA and ChaCha20", agreed("TLS 1.2", "ECDHE_ECDSA", "CHACHA20_POLY1305")],
    ["DHE", agreed("TLS 1.2", "DHE_RSA", "AES_128_GCM")],
  ],
  notApplicable: [["a page over http", { url: "http://site.example/" }]],
  notChecked: [
    ["no security information from the browser", { navigation: { security: null } }],
    ["an unknown cipher", agreed("TLS 1.2", "ECDHE_RSA", "AEGIS_256")],
    ["an unknown key exchange", agreed("TLS 1.2", "", "AES_128_GCM")],
  ],
  violated: {
    "security.tls.forward-secrecy-missing": [
      [
        "RSA as key exchange",
        agreed("TLS 1.2", "RSA", "AES_128_GCM"),
        { values: { tlsHost: "site.example", protocol: "TLS 1.2", keyExchange: "RSA", cipher: "AES_128_GCM" } },
      ],
      ["with an unknown cipher", agreed("TLS 1.2", "RSA", "AEGIS_256")],
    ],
    "security.tls.authenticated-encryption-missing": [
      ["CBC", agreed("TLS 1.2", "ECDHE_RSA", "AES_128_CBC")],
      ["3DES without forward secrecy", agreed("TLS 1.0", "RSA", "3DES_EDE_CBC"), { also: ["security.tls.forward-secrecy-missing"] }],
    ],
  },
});
