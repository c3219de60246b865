/** Grammar of RFC 9989 section 4.8, defaults for discarded tags, and names of the tree walk. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DmarcRecord, dmarcWalkNames, isMeantAsDmarc, parseDmarc } from "../../../../src/parse/mail/dmarc.ts";

const record = (given: Partial<DmarcRecord>): DmarcRecord => ({
  p: null,
  sp: null,
  np: null,
  psd: "u",
  testing: false,
  rua: null,
  defects: [],
  ...given,
});

test.each<[string, Partial<DmarcRecord>]>([
  ["v=DMARC1", {}],
  ["v=DMARC1;", {}],
  ["V = DMARC1 ; P = Reject ;", { p: "reject" }],
  ["v=DMARC1; p=reject", { p: "reject" }],
  ["v=DMARC1; np=none; sp=quarantine; p=reject", { p: "reject", sp: "quarantine", np: "none" }],
  ["v=DMARC1;;p=none; ;", { p: "none" }],
  ["v=DMARC1; p=none; psd=y; t=y; adkim=s; aspf=S; fo=1:d", { p: "none", psd: "y", testing: true }],
  ["v=DMARC1; p=none; pct=abc; rf=x; ri=-1; unknown=1", { p: "none" }],
  [
    "v=DMARC1; p=none; constructor=1; __proto__=1; toString=1",
    { p: "none", defects: [{ kind: "not-a-tag", tag: "", text: "__proto__=1" }] },
  ],
  ["v=DMARC1; rua=mailto:a@b.example", { rua: [{ text: "mailto:a@b.example", kind: "mailto", host: "b.example" }] }],
  [
    "v=DMARC1; ruf=mailto:x@y.example; rua=mailto:a@B.example!10m , https://c.example/x",
    {
      rua: [
        { text: "mailto:a@B.example", kind: "mailto", host: "b.example" },
        { text: "https://c.example/x", kind: "https", host: "c.example" },
      ],
    },
  ],
  ["v=DMARC1; p=reject; p=none", { p: "reject", defects: [{ kind: "repeated-tag", tag: "p", text: "p=none" }] }],
  ["v=DMARC1; p=rejct; p=none", { p: "none", defects: [{ kind: "bad-value", tag: "p", text: "p=rejct" }] }],
  ["v=DMARC1; p=", { defects: [{ kind: "not-a-tag", tag: "", text: "p=" }] }],
  ["v=DMARC1; p", { defects: [{ kind: "not-a-tag", tag: "", text: "p" }] }],
  ["v=DMARC1; p=reject, sp=none", { defects: [{ kind: "bad-value", tag: "p", text: "p=reject, sp=none" }] }],
  ["v=DMARC1; t=yes", { defects: [{ kind: "bad-value", tag: "t", text: "t=yes" }] }],
  ["v=DMARC1; fo=0:", { defects: [{ kind: "bad-value", tag: "fo", text: "fo=0:" }] }],
  ["v=DMARC1; psd=maybe", { defects: [{ kind: "bad-value", tag: "psd", text: "psd=maybe" }] }],
])("%s", (text, expected) => {
  expect(parseDmarc(text)).toEqual(record(expected));
});

test.each([
  "",
  "v=dmarc1; p=reject",
  "v=DMARC1 p=reject",
  " v=DMARC1; p=reject",
  "p=reject; v=DMARC1",
  "v=DMARC10",
  "v=DMARC2",
  "v=spf1 -all",
])("%j is not a record", (text) => {
  expect(parseDmarc(text)).toBeNull();
});

test("texts that look like records are recognized", () => {
  expect(["v=dmarc1; p=none", "p=none; v=DMARC1", '"v=DMARC1"', "V = DMARC2"].every(isMeantAsDmarc)).toBe(true);
  expect(["v=spf1 -all", "dmarc", "", "xv=dmarc"].some(isMeantAsDmarc)).toBe(false);
});

describe("names of the walk", () => {
  test.each<[string, readonly string[]]>([
    ["com", ["com"]],
    ["example.com", ["example.com", "com"]],
    ["a.mail.example.com", ["a.mail.example.com", "mail.example.com", "example.com", "com"]],
    ["a.b.c.d.e.f.g.h", ["a.b.c.d.e.f.g.h", "b.c.d.e.f.g.h", "c.d.e.f.g.h", "d.e.f.g.h", "e.f.g.h", "f.g.h", "g.h", "h"]],
  ])("%s", (domain, names) => {
    expect(dmarcWalkNames(domain)).toEqual(names);
  });
  test("the example of section 4.10: names between the first one and the last seven labels are skipped", () => {
    expect(dmarcWalkNames("a.b.c.d.e.f.g.h.i.j.mail.example.com")).toEqual([
      "a.b.c.d.e.f.g.h.i.j.mail.example.com",
      "g.h.i.j.mail.example.com",
      "h.i.j.mail.example.com",
      "i.j.mail.example.com",
      "j.mail.example.com",
      "mail.example.com",
      "example.com",
      "com",
    ]);
  });
  test("at most eight names", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 130 }),
        (labels) => dmarcWalkNames(labels.join(".")).length <= 8,
      ),
    );
  });
});
