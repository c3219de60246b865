/** Fuzz targets for DNS records and well-known files. */
import * as dns from "../../src/parse/dns.ts";
import * as internetDate from "../../src/parse/internet-date.ts";
import * as jsonTexts from "../../src/parse/json.ts";
import * as dmarc from "../../src/parse/mail/dmarc.ts";
import * as mtaSts from "../../src/parse/mail/mta-sts.ts";
import * as recordFields from "../../src/parse/mail/record-fields.ts";
import * as spfRecord from "../../src/parse/mail/spf-record.ts";
import * as securityTxt from "../../src/parse/security-txt.ts";
import type { FuzzTarget } from "./target.ts";

const same = (a: unknown, b: unknown): boolean => Bun.deepEquals(a, b);
const uriTokens = ["mailto:", "https://", "http:", "a@", "site.example", "!10m", "?subject=x", "%20", ",", "tel:+1"];
const pgpTokens = [
  "-----BEGIN PGP SIGNED MESSAGE-----\n",
  "Hash: SHA512\n",
  "\n",
  "-----BEGIN PGP SIGNATURE-----\n",
  "-----END PGP SIGNATURE-----\n",
  "- -",
];

function isJsonOf(value: unknown, text: string): boolean {
  try {
    return same(JSON.parse(text), value);
  } catch {
    return false;
  }
}

export const recordTargets: readonly FuzzTarget[] = [
  {
    name: "json-position",
    tokens: ["{", "}", "[", "]", ",", ":", '"a"', '"', "\\", "\\u00e4", "-0.5e3", "01", "true", "null", " ", "\n"],
    samples: ['{"a": [1, -0.5e3, true, null, "b\\u00e4"], "c": {}}', "[[]]"],
    heads: ["[", '{"a":', '"', "1"],
    functions: {
      jsonFaultPosition: jsonTexts.jsonFaultPosition,
      jsonValuePosition: (text) => (jsonTexts.jsonFaultPosition(text) === null ? jsonTexts.jsonValuePosition(text, ["a", "1"]) : null),
    },
    properties: {
      "the text of a value begins at its position": (text) => {
        if (jsonTexts.jsonFaultPosition(text) !== null) return true;
        const value: unknown = JSON.parse(text);
        return Object.entries(typeof value === "object" && value !== null ? value : {}).every(([name, inner]) => {
          const { line, column } = jsonTexts.jsonValuePosition(text, [name]);
          const rest = text
            .split("\n")
            .slice(line - 1)
            .join("\n")
            .slice(column - 1);
          return Array.from(rest, (_, at) => rest.slice(0, at + 1)).some((start) => isJsonOf(inner, start));
        });
      },
      "there is no position exactly where JSON.parse accepts the text": (text) => {
        try {
          JSON.parse(text);
          return jsonTexts.jsonFaultPosition(text) === null;
        } catch {
          return jsonTexts.jsonFaultPosition(text) !== null;
        }
      },
    },
  },
  {
    name: "language-tag",
    tokens: [..."-*_;, x1", "en", "de", "zho", "Hant", "AT", "419", "1996", "rozaj", "i-klingon", "English"],
    heads: ["en", "en-a", "x", "en-x", "en-1996"],
    samples: ["zh-yue-Hant-TW-rozaj-1996-a-bbb-ccc-x-own", "x-whatever", "sgn-BE-FR"],
    functions: { isLanguageTag: securityTxt.isLanguageTag },
    properties: {
      "a tag consists of letters, digits and hyphens": (text) => !securityTxt.isLanguageTag(text) || /^[a-z\d-]+$/i.test(text),
    },
  },
  {
    name: "caa",
    tokens: [
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
    heads: ["ca.example; a=", "a", "mailto:a@", "https://"],
    samples: ["issue\nca.example; accounturi=https://ca.example/1; validationmethods=dns-01", "iodef\nmailto:a@site.example", "issue\n;"],
    functions: {
      parseCaaProperty: (text) => {
        const [tag = "", value = ""] = text.split("\n", 2);
        return [dns.parseCaaProperty(tag, value), dns.parseCaaProperty("issue", text), dns.parseCaaProperty("iodef", text)];
      },
    },
  },
  {
    name: "dmarc",
    tokens: [
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
      ...uriTokens,
    ],
    heads: ["v=DMARC1; p=", "v=DMARC1; rua=mailto:a@", "v=DMARC1; rua=", "v"],
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
    properties: {
      "every valid record is meant as one": (text) => dmarc.parseDmarc(text) === null || dmarc.isMeantAsDmarc(text),
      "a requested policy is one of the three": (text) =>
        [text, `v=DMARC1;${text}`].every((record) =>
          [null, undefined, "none", "quarantine", "reject"].includes(dmarc.parseDmarc(record)?.p),
        ),
      "a DMARC tree walk has at most eight names": (text) => dmarc.dmarcWalkNames(text).length <= 8,
      "a trailing semicolon changes nothing": (text) =>
        !text.startsWith("v=DMARC1;") || same(dmarc.parseDmarc(`${text};`), dmarc.parseDmarc(text)),
    },
  },
  {
    name: "record-fields",
    tokens: [..."=;:,. \t_-", "id", "rua", "a=b;", "; ", "\u00fc"],
    samples: ["id=20260101; a_b=c d", "rua=mailto:a@site.example"],
    functions: { parseRecordFields: recordFields.parseRecordFields },
    properties: {
      "serialized fields parse to the same fields": (text) => {
        const found = recordFields.parseRecordFields(text);
        if (found === null) return true;
        const serialized = [...found].flatMap(([name, values]) => values.map((value) => `${name}=${value}`));
        return same(recordFields.parseRecordFields(serialized.join(";")), found);
      },
    },
  },
  {
    name: "internet-date",
    tokens: [..."0123456789-:.TZz+ ", "2026-11-21", "T12:00:00", "+01:00", "60"],
    samples: ["2026-11-21T12:00:00Z", "1985-04-12t23:20:50.52-00:30", "2028-02-29T23:59:60+23:59"],
    functions: { parseInternetDate: internetDate.parseInternetDate },
    properties: {
      "a formatted instant parses to the same instant": (text) => {
        const at = internetDate.parseInternetDate(text);
        // toISOString() writes years beyond four digits in another form.
        if (at === null || at < Date.parse("0000-01-01T00:00:00Z") || at > Date.parse("9999-12-31T23:59:59Z")) return true;
        return internetDate.parseInternetDate(new Date(at).toISOString()) === at;
      },
    },
  },
  {
    name: "mta-sts",
    tokens: [
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
    heads: ["mx: ", "mx: a", "version: ", "v=STSv1; id="],
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
    properties: {
      "every valid record is meant as one": (text) => mtaSts.parseMtaStsRecord(text) === null || mtaSts.isMeantAsMtaSts(text),
      "a policy has a positive max_age and mail hosts, or defects": (text) => {
        const policy = mtaSts.parseMtaStsPolicy(text);
        if ("defects" in policy) return policy.defects.length > 0;
        return policy.maxAgeSeconds > 0 && (policy.mode === "none" || policy.mx.length > 0);
      },
      "a wildcard matches one label": (text) =>
        !mtaSts.isMailHostCovered(text, ["*.site.example"]) || text === "*.site.example" || text.split(".").length === 3,
      "a serialized policy parses to the same policy": (text) => {
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
    name: "report-uri",
    tokens: [..."!,:/@?.%[] \t", ...uriTokens],
    samples: ["mailto:a@site.example!10m, https://b.example:8443/x?y=1", "MAILTO:a@[192.0.2.1]"],
    functions: { parseReportUris: recordFields.parseReportUris },
    properties: {
      "only mailto and https URIs have a host": (text) =>
        recordFields.parseReportUris(text).every(({ kind, host }) => (host !== "") === (kind === "mailto" || kind === "https")),
    },
  },
  {
    name: "security-txt",
    tokens: [
      ..."#: \t\r\n-",
      "Contact: ",
      "Expires: ",
      "2026-12-31T00:00:00Z",
      "Preferred-Languages: en, de\n",
      "Canonical: ",
      "\ufeff",
      "\ufffd",
      ...pgpTokens,
      ...uriTokens,
    ],
    heads: ["Contact: ", "Contact: mailto:a@", "Contact: tel:1", "Preferred-Languages: ", "-----BEGIN PGP SIGNED MESSAGE-----\n"],
    samples: [
      "# Ours\nContact: mailto:a@site.example\r\nExpires: 2026-12-31T00:00:00Z\nPreferred-Languages: en, de\nCanonical: https://site.example/.well-known/security.txt\n",
      "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nContact: https://site.example/\n- -x\n-----BEGIN PGP SIGNATURE-----\n\nabc=\n-----END PGP SIGNATURE-----\n",
    ],
    functions: {
      parseSecurityTxt: securityTxt.parseSecurityTxt,
      securityTxtValues: (text) => securityTxt.securityTxtValues(securityTxt.parseSecurityTxt(text), "contact"),
      isMeantAsSecurityTxt: securityTxt.isMeantAsSecurityTxt,
    },
    properties: {
      "line numbers are in order and within the file": (text) => {
        const lines = securityTxt.parseSecurityTxt(text).fields.map(({ line }) => line);
        return lines.every((line, at) => line >= (lines[at - 1] ?? 1) && line <= text.split("\n").length);
      },
      "a defect has a line of the file": (text) => {
        const count = text.split("\n").length;
        return securityTxt.parseSecurityTxt(text).defects.every(({ line }) => line >= 1 && line <= count);
      },
      "a comment at the end changes no field": (text) => {
        if (!text.endsWith("\n")) return true;
        return same(securityTxt.parseSecurityTxt(`${text}# x\n`).fields, securityTxt.parseSecurityTxt(text).fields);
      },
    },
  },
  {
    name: "spf",
    tokens: [
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
    functions: { parseSpf: spfRecord.parseSpf, isMisspeltSpf: spfRecord.isMisspeltSpf },
    properties: {
      "a valid record is never misspelt": (text) => spfRecord.parseSpf(text) === null || !spfRecord.isMisspeltSpf(text),
      "serialized mechanisms parse to the same mechanisms": (text) => {
        const record = spfRecord.parseSpf(text);
        if (record === null) return true;
        const serialized = `v=spf1 ${record.mechanisms.map((mechanism) => mechanism.text).join(" ")}`;
        return same(spfRecord.parseSpf(serialized)?.mechanisms, record.mechanisms) && spfRecord.parseSpf(serialized)?.defects.length === 0;
      },
    },
  },
  {
    name: "spf-macro",
    tokens: [..."%{}.-+,/_= 0123", "%{", "%{d}", "%{o2r-}", "%{S}", "%%", "%_", "%-", "r", "site", ".example", "\u00fc"],
    samples: ["%{d2r.}.%{o}.site.example", "%{ir}.%{v}._spf.site.example.", "a%%b%_c%-.example"],
    functions: {
      isSpfMacroString: spfRecord.isSpfMacroString,
      spfDomainDefect: spfRecord.spfDomainDefect,
      expandSpfDomain: (text) => spfRecord.expandSpfDomain(text, { domain: "a.b.site.example", senderDomain: "site.example" }),
    },
    properties: {
      "an expanded name is a valid DNS name": (text) => {
        const name = spfRecord.expandSpfDomain(text, { domain: "a.b.site.example", senderDomain: "site.example" });
        return name === null || (name.length <= 253 && name.split(".").every((label) => label !== "" && label.length <= 63));
      },
      "a name without defect is a macro-string": (text) => spfRecord.spfDomainDefect(text) !== null || spfRecord.isSpfMacroString(text),
    },
  },
  {
    name: "tls-rpt",
    tokens: [..."=;:, \t", "v=TLSRPTv1", "rua=", "; ", ...uriTokens],
    heads: ["v=TLSRPTv1;", "v=TLSRPTv1; rua=mailto:a@", "v=TLSRPTv1; a=b"],
    samples: ["v=TLSRPTv1; rua=mailto:a@site.example,https://b.example/x", "v=TLSRPTv1;"],
    functions: { parseTlsRpt: mtaSts.parseTlsRpt, isMeantAsTlsRpt: mtaSts.isMeantAsTlsRpt },
    properties: {
      "every valid record is meant as one": (text) => mtaSts.parseTlsRpt(text) === null || mtaSts.isMeantAsTlsRpt(text),
      "a record has a report address or a defect": (text) =>
        [text, `v=TLSRPTv1;${text}`].every((record) => {
          const parsed = mtaSts.parseTlsRpt(record);
          return parsed === null || !("rua" in parsed) || parsed.rua.length > 0;
        }),
    },
  },
];
