/** The parsers of DNS records and of well-known files, as the fuzzing knows them. */
import * as caa from "../../src/parse/caa.ts";
import * as dmarc from "../../src/parse/dmarc.ts";
import * as internetDate from "../../src/parse/internet-date.ts";
import * as mtaSts from "../../src/parse/mta-sts.ts";
import * as recordFields from "../../src/parse/record-fields.ts";
import * as reportUri from "../../src/parse/report-uri.ts";
import * as securityTxt from "../../src/parse/security-txt.ts";
import * as spf from "../../src/parse/spf.ts";
import * as spfMacro from "../../src/parse/spf-macro.ts";
import * as tlsRpt from "../../src/parse/tls-rpt.ts";
import type { FuzzedParser } from "./parser.ts";

const same = (a: unknown, b: unknown): boolean => Bun.deepEquals(a, b);
const uriWords = ["mailto:", "https://", "http:", "a@", "site.example", "!10m", "?subject=x", "%20", ",", "tel:+1"];
const pgp = [
  "-----BEGIN PGP SIGNED MESSAGE-----\n",
  "Hash: SHA512\n",
  "\n",
  "-----BEGIN PGP SIGNATURE-----\n",
  "-----END PGP SIGNATURE-----\n",
  "- -",
];

export const recordParsers: readonly FuzzedParser[] = [
  {
    file: "caa",
    words: [
      ..."; =.-:@/ \t\n",
      "issue",
      "issuewild",
      "iodef",
      "ca.example",
      "accounturi=",
      "validationmethods=dns-01",
      "mailto:",
      "\u00fc",
    ],
    samples: ["issue\nca.example; accounturi=https://ca.example/1; validationmethods=dns-01", "iodef\nmailto:a@site.example", "issue\n;"],
    functions: {
      parseCaaProperty: (text) => {
        const [tag = "", value = ""] = text.split("\n", 2);
        return [caa.parseCaaProperty(tag, value), caa.parseCaaProperty("issue", text), caa.parseCaaProperty("iodef", text)];
      },
    },
  },
  {
    file: "dmarc",
    words: [
      ...'=;:,. \t!"',
      "v=DMARC1",
      "p=",
      "sp=",
      "np=",
      "reject",
      "none",
      "t=y",
      "psd=n",
      "fo=1:d",
      "adkim=s",
      "rua=",
      "constructor=",
      "; ",
      ...uriWords,
    ],
    samples: [
      "v=DMARC1; p=reject; sp=quarantine; np=none; t=y; adkim=s; fo=1:d:s; rua=mailto:a@site.example!10m,https://b.example/x",
      "mail.a.b.c.d.e.f.g.h.site.example",
    ],
    functions: {
      parseDmarc: dmarc.parseDmarc,
      isMeantAsDmarc: dmarc.isMeantAsDmarc,
      dmarcNameOf: dmarc.dmarcNameOf,
      dmarcWalkNames: dmarc.dmarcWalkNames,
    },
    laws: {
      "what is a record is meant as one": (text) => dmarc.parseDmarc(text) === null || dmarc.isMeantAsDmarc(text),
      "no walk has more than eight names": (text) => dmarc.dmarcWalkNames(text).length <= 8,
      "a semicolon more changes nothing": (text) =>
        !text.startsWith("v=DMARC1;") || same(dmarc.parseDmarc(`${text};`), dmarc.parseDmarc(text)),
    },
  },
  {
    file: "record-fields",
    words: [..."=;:,. \t_-", "id", "rua", "a=b;", "; ", "\u00fc"],
    samples: ["id=20260101; a_b=c d", "rua=mailto:a@site.example"],
    functions: { parseRecordFields: recordFields.parseRecordFields },
    laws: {
      "fields that are written again read the same": (text) => {
        const found = recordFields.parseRecordFields(text);
        if (found === null) return true;
        const written = [...found].flatMap(([name, values]) => values.map((value) => `${name}=${value}`));
        return same(recordFields.parseRecordFields(written.join(";")), found);
      },
    },
  },
  {
    file: "internet-date",
    words: [..."0123456789-:.TZz+ ", "2026-11-21", "T12:00:00", "+01:00", "60"],
    samples: ["2026-11-21T12:00:00Z", "1985-04-12t23:20:50.52-00:30", "2028-02-29T23:59:60+23:59"],
    functions: { parseInternetDate: internetDate.parseInternetDate },
    laws: {
      "an instant that is written again reads the same": (text) => {
        const at = internetDate.parseInternetDate(text);
        // Years beyond four digits have another form.
        if (at === null || at < Date.parse("0000-01-01T00:00:00Z") || at > Date.parse("9999-12-31T23:59:59Z")) return true;
        return internetDate.parseInternetDate(new Date(at).toISOString()) === at;
      },
    },
  },
  {
    file: "mta-sts",
    words: [
      ..."=;:.* \t\r\n",
      "v=STSv1",
      "id=",
      "20260101",
      "version: STSv1\n",
      "mode: ",
      "enforce",
      "testing",
      "max_age: ",
      "604800",
      "mx: ",
      "*.",
      "site.example",
    ],
    samples: [
      "v=STSv1; id=20260101T000000;",
      "version: STSv1\r\nmode: enforce\r\nmx: mail.site.example\r\nmx: *.site.example\r\nmax_age: 604800\r\n",
      "mail.site.example",
    ],
    functions: {
      parseMtaStsRecord: mtaSts.parseMtaStsRecord,
      isMeantAsMtaSts: mtaSts.isMeantAsMtaSts,
      parseMtaStsPolicy: mtaSts.parseMtaStsPolicy,
      isMailHostCovered: (text) => [
        mtaSts.isMailHostCovered(text, ["*.site.example", "site.example"]),
        mtaSts.isMailHostCovered("mail.site.example", [text]),
      ],
    },
    laws: {
      "what is a record is meant as one": (text) => mtaSts.parseMtaStsRecord(text) === null || mtaSts.isMeantAsMtaSts(text),
      "an asterisk stands for one label": (text) =>
        !mtaSts.isMailHostCovered(text, ["*.site.example"]) || text === "*.site.example" || text.split(".").length === 3,
      "a policy that is written again reads the same": (text) => {
        const policy = mtaSts.parseMtaStsPolicy(text);
        if ("defects" in policy) return true;
        const lines = [
          "version: STSv1",
          `mode: ${policy.mode}`,
          `max_age: ${policy.maxAgeSeconds}`,
          ...policy.mx.map((host) => `mx: ${host}`),
        ];
        return same(mtaSts.parseMtaStsPolicy(lines.join("\n")), policy);
      },
    },
  },
  {
    file: "report-uri",
    words: [..."!,:/@?.%[] \t", ...uriWords],
    samples: ["mailto:a@site.example!10m, https://b.example:8443/x?y=1", "MAILTO:a@[192.0.2.1]"],
    functions: { parseReportUris: reportUri.parseReportUris },
    laws: {
      "only what can be sent to has a host": (text) =>
        reportUri.parseReportUris(text).every(({ kind, host }) => (host !== "") === (kind === "mailto" || kind === "https")),
    },
  },
  {
    file: "security-txt",
    words: [
      ..."#: \t\r\n-",
      "Contact: ",
      "Expires: ",
      "2026-12-31T00:00:00Z",
      "Preferred-Languages: en, de\n",
      "Canonical: ",
      "\ufeff",
      "\ufffd",
      ...pgp,
      ...uriWords,
    ],
    samples: [
      "# Ours\nContact: mailto:a@site.example\r\nExpires: 2026-12-31T00:00:00Z\nPreferred-Languages: en, de\nCanonical: https://site.example/.well-known/security.txt\n",
      "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nContact: https://site.example/\n- -x\n-----BEGIN PGP SIGNATURE-----\n\nabc=\n-----END PGP SIGNATURE-----\n",
    ],
    functions: {
      parseSecurityTxt: securityTxt.parseSecurityTxt,
      securityTxtValues: (text) => securityTxt.securityTxtValues(securityTxt.parseSecurityTxt(text), "contact"),
      isMeantAsSecurityTxt: securityTxt.isMeantAsSecurityTxt,
    },
    laws: {
      "fields stand in lines of the file, in order": (text) => {
        const lines = securityTxt.parseSecurityTxt(text).fields.map(({ line }) => line);
        return lines.every((line, at) => line >= (lines[at - 1] ?? 1) && line <= text.split("\n").length);
      },
      "a comment at the end changes no field": (text) => {
        if (!text.endsWith("\n")) return true;
        return same(securityTxt.parseSecurityTxt(`${text}# x\n`).fields, securityTxt.parseSecurityTxt(text).fields);
      },
    },
  },
  {
    file: "spf",
    words: [
      ..." +-~?:/=.%{}0\t",
      "v=spf1 ",
      "all",
      "include:",
      "a",
      "mx/24",
      "ptr:",
      "ip4:192.0.2.1",
      "ip6:2001:db8::",
      "exists:",
      "redirect=",
      "exp=",
      "%{ir}.",
      "_spf.site.example",
      "//64",
      "constructor:",
    ],
    samples: [
      "v=spf1 +a:b.example/24//64 mx ptr include:_spf.site.example ip4:192.0.2.0/24 ip6:::/0 exists:%{ir}.%{v}.x.example ~all",
      "V=SPF1 redirect=%{d2}.example exp=why.site.example x-y=%%",
    ],
    functions: { parseSpf: spf.parseSpf, isMisspeltSpf: spf.isMisspeltSpf },
    laws: {
      "no text is a record and misspelt": (text) => spf.parseSpf(text) === null || !spf.isMisspeltSpf(text),
      "mechanisms that are written again read the same": (text) => {
        const record = spf.parseSpf(text);
        if (record === null) return true;
        const written = `v=spf1 ${record.mechanisms.map((mechanism) => mechanism.text).join(" ")}`;
        return same(spf.parseSpf(written)?.mechanisms, record.mechanisms) && spf.parseSpf(written)?.defects.length === 0;
      },
    },
  },
  {
    file: "spf-macro",
    words: [..."%{}.-+,/_= 0123", "%{", "%{d}", "%{o2r-}", "%{S}", "%%", "%_", "%-", "r", "site", ".example", "\u00fc"],
    samples: ["%{d2r.}.%{o}.site.example", "%{ir}.%{v}._spf.site.example.", "a%%b%_c%-.example"],
    functions: {
      isSpfMacroString: spfMacro.isSpfMacroString,
      spfDomainDefect: spfMacro.spfDomainDefect,
      expandSpfDomain: (text) => spfMacro.expandSpfDomain(text, { domain: "a.b.site.example", senderDomain: "site.example" }),
    },
    laws: {
      "a name that comes out can be asked for": (text) => {
        const name = spfMacro.expandSpfDomain(text, { domain: "a.b.site.example", senderDomain: "site.example" });
        return name === null || (name.length <= 253 && name.split(".").every((label) => label !== "" && label.length <= 63));
      },
      "a sound name is a macro-string": (text) => spfMacro.spfDomainDefect(text) !== null || spfMacro.isSpfMacroString(text),
    },
  },
  {
    file: "tls-rpt",
    words: [..."=;:, \t", "v=TLSRPTv1", "rua=", "; ", ...uriWords],
    samples: ["v=TLSRPTv1; rua=mailto:a@site.example,https://b.example/x", "v=TLSRPTv1;"],
    functions: { parseTlsRpt: tlsRpt.parseTlsRpt, isMeantAsTlsRpt: tlsRpt.isMeantAsTlsRpt },
    laws: { "what is a record is meant as one": (text) => tlsRpt.parseTlsRpt(text) === null || tlsRpt.isMeantAsTlsRpt(text) },
  },
];
