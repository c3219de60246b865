/** The effective policy must be quarantine or reject, for the domain and the scanned name, without testing mode and faults. */
import check from "../../../checks/mail-dmarc-policy.ts";
import type { TextRecords } from "../../../src/evidence/dns-facts.ts";
import { testCheck } from "../../support/check-tester.ts";
import { textRecords } from "../../support/evidence.ts";

const domain = "shop.bank";
const site = { url: `https://${domain}/`, registrableDomain: domain };
const below = { url: `https://www.${domain}/`, registrableDomain: domain };
const at = (name: string, ...texts: string[]) => textRecords(`_dmarc.${name}`, ...texts);
const walk = (...answers: TextRecords[]) => ({ mailDmarc: { domain, walk: answers } });
const own = (text: string) => ({ ...site, ...walk(at(domain, text)) });
const ofSuffix = (text: string) => ({ ...site, ...walk(at(domain), at("bank", text)) });
const scannedBelow = (text: string, ...more: string[]) => ({ ...below, ...walk(at(`www.${domain}`, ...more), at(domain, text)) });
const cut = { name: `_dmarc.${domain}`, nameExists: true, records: [{ text: "v=DMARC1; p=none", truncated: true }], recordsDropped: 0 };

testCheck(check, {
  passed: [
    ["reject", own("v=DMARC1; p=reject")],
    ["quarantine, in capitals", own("v=DMARC1;P=QUARANTINE")],
    ["obsolete tags of RFC 7489 and unknown tags are ignored", own("v=DMARC1; p=reject; pct=0; rf=afrf; ri=86400; x=1")],
    ["t=n", own("v=DMARC1; p=reject; t=n")],
    ["sp and np as strict as p", own("v=DMARC1; p=quarantine; sp=quarantine; np=quarantine")],
    ["sp stricter than p", own("v=DMARC1; p=quarantine; sp=reject")],
    ["np weaker than sp, but not than p", own("v=DMARC1; p=quarantine; sp=reject; np=quarantine")],
    ["np without sp", own("v=DMARC1; p=reject; np=reject")],
    [
      "every tag",
      own("v=DMARC1; p=reject; sp=reject; np=reject; adkim=s; aspf=r; fo=1:d:s; psd=n; rua=mailto:a@shop.bank; ruf=mailto:a@b"),
    ],
    ["sp of a suffix", ofSuffix("v=DMARC1; p=none; sp=reject; psd=y")],
    ["p of a suffix without sp", ofSuffix("v=DMARC1; p=quarantine; psd=y")],
    [
      "a suffix's np, for a domain that does not exist",
      { ...ofSuffix("v=DMARC1; p=none; np=reject; psd=y"), mailMx: { nameExists: false } },
    ],
    [
      "equal result whether or not the domain exists",
      { ...ofSuffix("v=DMARC1; p=none; sp=reject; np=quarantine; psd=y"), mailMx: "timeout" },
    ],
    ["a subdomain", scannedBelow("v=DMARC1; p=reject")],
    ["a subdomain with its own record", scannedBelow("v=DMARC1; p=reject; sp=none", "v=DMARC1; p=quarantine")],
    ["a subdomain with sp=quarantine", scannedBelow("v=DMARC1; p=reject; sp=quarantine")],
    ["sp of a suffix, below which the domain is scanned", ofSuffix("v=DMARC1; p=reject; sp=quarantine; np=none; psd=y")],
    ["a subdomain's own record is not for names below it", scannedBelow("v=DMARC1; p=reject", "v=DMARC1; p=reject; sp=none")],
    ["the subdomain exists, so np does not apply", scannedBelow("v=DMARC1; p=reject; np=none")],
    ["the domain's own record, with an unread MX", { ...own("v=DMARC1; p=reject"), mailMx: "timeout" }],
  ],
  notApplicable: [
    ["no record", { ...site, ...walk(at(domain)) }],
    ["several records", { ...site, ...walk(at(domain, "v=DMARC1; p=none", "v=DMARC1; p=none")) }],
    ["an IP address", { url: "https://192.0.2.1/", registrableDomain: null }],
  ],
  notChecked: [
    ["the walk of the scanned name failed", { ...below, mailDmarc: { ...own("v=DMARC1; p=reject").mailDmarc, hostUnread: "unresolved" } }],
    ["a cut record", { ...site, ...walk(cut) }],
    ["texts were dropped", { ...site, ...walk({ ...at(domain, "v=DMARC1; p=none"), recordsDropped: 1 }) }],
    ["the result depends on whether the domain exists", { ...ofSuffix("v=DMARC1; p=none; np=reject; psd=y"), mailMx: "timeout" }],
  ],
  violated: {
    "security.mail.dmarc-policy-none": [
      ["p=none", own("v=DMARC1; p=none"), { values: { domain, policyDomain: domain, tag: "p", record: "v=DMARC1; p=none" } }],
      ["p=none, to which sp=none adds nothing", own("v=DMARC1; p=none; sp=none; np=none")],
      ["p=none, to which t=y adds nothing", own("v=DMARC1; p=none; t=y")],
      ["sp of a suffix", ofSuffix("v=DMARC1; p=reject; sp=none; psd=y"), { values: { policyDomain: "bank", tag: "sp" } }],
      ["np of a suffix does not protect an existing domain", ofSuffix("v=DMARC1; p=none; np=reject; psd=y")],
      ["the domain is unprotected, the scanned name is not", scannedBelow("v=DMARC1; p=none; sp=reject")],
      [
        "the domain is unprotected, and the walk of the scanned name failed",
        { ...below, mailDmarc: { ...own("v=DMARC1; p=none").mailDmarc, hostUnread: "unresolved" } },
      ],
      ["reported once for both", scannedBelow("v=DMARC1; p=none")],
    ],
    "security.mail.dmarc-policy-missing": [
      ["with a report address", own("v=DMARC1; rua=mailto:a@shop.bank"), { values: { domain } }],
      ["only the version", own("v=DMARC1")],
      ["sp=none adds nothing", own("v=DMARC1; sp=none")],
      ["sp does not replace p", own("v=DMARC1; sp=reject")],
    ],
    "security.mail.dmarc-policy-invalid": [
      ["misspelt", own("v=DMARC1; p=rejct"), { values: { part: "p=rejct" } }],
      ["an invalid sp makes the policy p=none", own("v=DMARC1; p=reject; sp=block")],
      ["an invalid np beside a weak sp", own("v=DMARC1; p=reject; sp=none; np=x")],
      ["an invalid np does so too", own("v=DMARC1; p=reject; np=x")],
    ],
    "security.mail.dmarc-subdomain-policy-none": [
      ["sp=none", scannedBelow("v=DMARC1; p=reject; sp=none"), { values: { domain, tag: "sp", name: `www.${domain}`, part: "sp=none" } }],
      [
        "sp=none, scanned at the domain itself",
        own("v=DMARC1; p=reject; sp=none"),
        { values: { domain, policyDomain: domain, name: `*.${domain}`, part: "sp=none" } },
      ],
      ["np=none: every invented subdomain", own("v=DMARC1; p=reject; np=none"), { values: { part: "np=none" } }],
      ["np=none beside a strict sp", own("v=DMARC1; p=reject; sp=reject; np=none"), { values: { part: "np=none" } }],
      ["sp=none beside a strict np", own("v=DMARC1; p=quarantine; sp=none; np=reject"), { values: { part: "sp=none" } }],
      ["both, in capitals", own("v=DMARC1; P=Reject; NP=NONE; SP=None"), { values: { part: "sp=none; np=none" } }],
      [
        "sp=quarantine and np=none",
        own("v=DMARC1; p=reject; sp=quarantine; np=none"),
        { also: ["security.mail.dmarc-subdomain-policy-weaker"], values: { part: "np=none" } },
      ],
      ["in test mode", own("v=DMARC1; p=reject; sp=none; t=y"), { also: ["security.mail.dmarc-testing"] }],
      ["with an unread MX", { ...own("v=DMARC1; p=reject; sp=none"), mailMx: "timeout" }],
      [
        "the scanned name's own record only observes",
        scannedBelow("v=DMARC1; p=reject", "v=DMARC1; p=none"),
        { values: { domain: `www.${domain}`, tag: "p" } },
      ],
    ],
    "security.mail.dmarc-subdomain-policy-weaker": [
      [
        "sp=quarantine",
        own("v=DMARC1; p=reject; sp=quarantine"),
        { values: { domain, policyDomain: domain, name: `*.${domain}`, part: "sp=quarantine" } },
      ],
      ["np=quarantine", own("v=DMARC1; p=reject; np=quarantine"), { values: { part: "np=quarantine" } }],
      ["both", own("v=DMARC1; p=reject; sp=quarantine; np=quarantine"), { values: { part: "sp=quarantine; np=quarantine" } }],
      ["np=quarantine beside a strict sp", own("v=DMARC1; p=reject; sp=reject; np=quarantine")],
    ],
    "security.mail.dmarc-testing": [
      ["quarantine counts as none", own("v=DMARC1; p=quarantine; t=y"), { values: { domain } }],
      ["reject counts as quarantine", own("v=DMARC1; p=reject; t=Y")],
    ],
    "security.mail.dmarc-syntax": [
      ["a part without an equals sign", own("v=DMARC1; p=reject; rua"), { values: { part: "rua" } }],
      ["p twice", own("v=DMARC1; p=reject; p=none"), { values: { part: "p=none" } }],
      ["a t that is neither y nor n", own("v=DMARC1; p=reject; t=maybe")],
      ["an invalid adkim", own("v=DMARC1; p=reject; adkim=strict")],
      ["beside an unprotecting policy", own("v=DMARC1; p=none; fo=9"), { also: ["security.mail.dmarc-policy-none"] }],
    ],
  },
});
