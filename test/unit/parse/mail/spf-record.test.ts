/**
 * Every grammar rule of RFC 7208 section 12, and frequent mistakes. Examples of RFC 7208 section 7.4 that do not depend on a mail, and
 * edge cases of the grammar.
 */
import { describe, expect, test } from "vitest";
import {
  expandSpfDomain,
  isMisspeltSpf,
  isSpfMacroString,
  parseSpf,
  type SpfDefectKind,
  type SpfRecord,
  spfDomainDefect,
} from "../../../../src/parse/mail/spf-record.ts";

function recordOf(terms: string): SpfRecord {
  const record = parseSpf(`v=spf1 ${terms}`);
  if (record === null) throw new Error("that is no SPF record");
  return record;
}

/** Kinds and terms of the defects. */
function defectsOf(terms: string): readonly (readonly [SpfDefectKind, string])[] {
  return recordOf(terms).defects.map(({ kind, text }) => [kind, text]);
}

describe("version (section 4.5)", () => {
  test.each(["v=spf1", "v=spf1 ", "V=SPF1 -all", "v=spf1 -all", "v=spf1  mx"])("%p is a record", (text) => {
    expect(parseSpf(text)).not.toBeNull();
    expect(isMisspeltSpf(text)).toBe(false);
  });
  test.each([
    "v=spf10 -all",
    "v=spf1;-all",
    "v=spf1\t-all",
    "v=spf1-all",
    " v=spf1 -all",
    "v=spf1,mx",
    '"v=spf1 -all"',
    "spf1 mx",
    "v = spf1 -all",
    "v=spf-1 -all",
  ])("%p looks like a record", (text) => {
    expect(parseSpf(text)).toBeNull();
    expect(isMisspeltSpf(text)).toBe(true);
  });
  test.each(["", "v=spf", "v=spf2.0/pra -all", "spf2.0/mfrom +mx -all", "google-site-verification=spf1", "v=DMARC1; p=none"])(
    "%p does not look like a record",
    (text) => {
      expect(parseSpf(text)).toBeNull();
      expect(isMisspeltSpf(text)).toBe(false);
    },
  );
});

describe("terms", () => {
  test("qualifiers; the default is plus", () => {
    expect(
      recordOf("mx +a -ptr ~ip4:192.0.2.1 ?all")
        .mechanisms.map(({ qualifier }) => qualifier)
        .join(""),
    ).toBe("++-~?");
  });
  test("names are case-insensitive, texts are kept as written", () => {
    const plain = { address: null, prefixes: { ip4: 32, ip6: 128 } };
    expect(recordOf("INCLUDE:Spf.Example.ORG -ALL")).toEqual({
      mechanisms: [
        { name: "include", qualifier: "+", domain: "Spf.Example.ORG", ...plain, text: "INCLUDE:Spf.Example.ORG" },
        { name: "all", qualifier: "-", domain: null, ...plain, text: "-ALL" },
      ],
      redirect: null,
      defects: [],
    });
  });
  test("any number of spaces between terms", () => {
    expect(recordOf("  mx   a  -all   ").mechanisms).toHaveLength(3);
  });
  test("a defect in one term does not affect the others", () => {
    const { mechanisms, redirect, defects } = recordOf("mx nonsense redirect=_spf.example.org");
    expect([mechanisms.length, redirect?.domain, defects.length]).toEqual([1, "_spf.example.org", 1]);
  });
});

const valid = [
  // Section 5.1.
  ["all", "+all", "-all", "~all", "?all"],
  // Section 5.2.
  ["include:example.org", "-include:_spf.%{d}", "include:example.org."],
  // Sections 5.3 and 5.4.
  ["a", "a:example.org", "a/24", "a//64", "a/24//64", "a:example.org/24//64", "a/0", "a//128", "mx", "mx:example.org/32", "mx//0"],
  // A macro literal may be a slash or a colon.
  ["a:foo:bar/baz.example.org", "a::example.org", "a:example.org/8/mail.example.org"],
  // The last label: letters, digits and inner hyphens, but not only digits.
  ["a:mail.1a", "a:mail.a1", "a:mail.xn--zckzah", "a:mail.1-2", "a:mail.a--b", "a:_mail.example.org", "a:127.0.0.1.example.org"],
  // Section 5.5.
  ["ptr", "ptr:example.org"],
  // Section 5.6.
  ["ip4:192.0.2.1", "ip4:0.0.0.0/0", "ip4:255.255.255.255/32", "IP4:192.0.2.0/24"],
  ["ip6:::", "ip6:::1", "ip6:2001:DB8::/32", "ip6:2001:db8:0:0:0:0:0:1/128", "ip6:::ffff:192.0.2.1/96", "ip6:1:2:3:4:5:6:192.0.2.1"],
  // Section 5.7.
  ["exists:example.org", "exists:%{ir}.%{l1r+-}._spf.%{d}", "exists:%{i}._spf.%{d2}", "exists:%{v}.%{h}.example.org"],
  // Section 6.
  ["redirect=_spf.example.org", "exp=explain._spf.%{d}", "REDIRECT=%{d}", "redirect=%{o}"],
  ["unknown=", "moo=%{i}%%%_%-", "v=spf1", "a.b-c_d=x", "all=-all", "ip4=192.0.2.1", "default=softfail", "accredit=%{s}"],
].flat();

test.each(valid)("%p is valid", (term) => {
  expect(defectsOf(term)).toEqual([]);
});

const defective: Readonly<Record<SpfDefectKind, readonly string[]>> = {
  "unknown-mechanism": [
    ...[
      "moo",
      "ipv4:192.0.2.1",
      "ipv6:::1",
      "spf",
      "includes:example.org",
      "host:example.org",
      "redirect:example.org",
      "constructor:x",
      "toString",
    ],
    ...[
      "-all.",
      "all,",
      "mx;",
      "a,b",
      "-",
      "+",
      "=",
      "=x",
      ":",
      "/24",
      "192.0.2.1",
      "2001:db8::1",
      "%{d}",
      "a\tmx",
      "a\u00a0mx",
      "\u2013all",
      "--all",
      "- all",
    ],
    ...["-redirect=example.org", "+exp=example.org", "?moo=x", "1a=x", "_a=x", "moo;=x", "a%=x"],
  ],
  "bad-address": [
    ...[
      "ip4",
      "ip4:",
      "ip4:192.0.2",
      "ip4:192.0.2.1.1",
      "ip4:192.0.2.256",
      "ip4:192.0.2.01",
      "ip4:192.0.2.1:25",
      "ip4:example.org",
      "ip4:::1",
    ],
    ...[
      "ip4:192.0.2.1/",
      "ip4:192.0.2.1/33",
      "ip4:192.0.2.1/024",
      "ip4:192.0.2.1/-1",
      "ip4:192.0.2.1/2.4",
      "ip4:192.0.2.0/24/24",
      "ip4/24",
      "ip4:192.0.2.1//32",
    ],
    ...["ip4:192.0.2.1-192.0.2.9", "ip4:192.0.2.1,192.0.2.2", "ip4:0xc0.0.2.1", "ip4:3221225985", "ip4:%{i}"],
    ...[
      "ip6",
      "ip6:",
      "ip6:192.0.2.1",
      "ip6:2001:db8",
      "ip6:1::2::3",
      "ip6::::1",
      "ip6:2001:db8::g",
      "ip6:[::1]",
      "ip6:fe80::1%eth0",
      "ip6:::1/129",
      "ip6:::1//64",
    ],
    ...["ip6:::ffff:192.0.2.256", "ip6:::ffff:192.0.2.01", "ip6:12345::"],
    ...["a/33", "a//129", "a/024", "a/24/64", "a/", "a//", "mx/24//", "a:example.org/33", "mx:example.org//129", "a/x", "a/24//64//1"],
  ],
  "bad-domain": [
    ...["include", "include:", "exists", "exists:", "ptr:", "a:", "mx:", "redirect=", "exp="],
    ...[
      "a:museum",
      "a:museum.",
      "include:localhost",
      "a:192.0.2.1",
      "a:mail.123",
      "a:mail.-a",
      "a:mail.a-",
      "a:mail.a_b",
      "a:example.org:25",
      "a:https://example.org/",
    ],
    ...[
      "include:example.org/24",
      "exists:example.org/24",
      "ptr:example.org/24",
      "a:example..org",
      "a:.example.org",
      "a:example.org..",
      "include:b\u00fccher.example",
      "a:exa\u0001mple.org",
    ],
    ...[`a:${"x".repeat(64)}.example.org`, `a:example.${"x".repeat(64)}`, `a:${"abcdefg.".repeat(32)}org`, "a:%{d}com", "include:%{d}.1"],
  ],
  "bad-macro": [
    ...[
      "exists:%{}.example.org",
      "exists:%{q}.example.org",
      "exists:%{d0}.example.org",
      "exists:%{dd}.example.org",
      "exists:%{d",
      "exists:%d.example.org",
      "exists:100%.example.org",
    ],
    ...[
      "exists:%{c}.example.org",
      "exists:%{r}.example.org",
      "exists:%{t}.example.org",
      "exists:%{i4x}.example.org",
      "exists:%{ir2}.example.org",
      "a:%",
      "a:example.org%",
      "redirect=%{x}",
    ],
    ...["moo=%", "moo=%x", "moo=%{z}", "exp=%(d).example.org"],
  ],
  "bad-argument": ["all:example.org", "-all/8", "all:", "include/24", "exists//64", "ptr/0"],
  "repeated-modifier": [
    "exp=a.example.org exp=a.example.org",
    "redirect=a.example.org mx redirect=b.example.org",
    "redirect=a.example.org REDIRECT=a.example.org",
  ],
};

describe.each(Object.entries(defective) as [SpfDefectKind, readonly string[]][])("%s", (kind, terms) => {
  test.each(terms)("%p", (text) => {
    expect(defectsOf(text).map(([each]) => each)).toEqual([kind]);
  });
});

test("a defect quotes its term as written", () => {
  expect(defectsOf("MX Ipv4:192.0.2.1 -all a:Mail redirect=A.example.org redirect=B.example.org")).toEqual([
    ["unknown-mechanism", "Ipv4:192.0.2.1"],
    ["bad-domain", "a:Mail"],
    ["repeated-modifier", "redirect=B.example.org"],
  ]);
});

test("an unknown modifier may repeat, and each known one may be anywhere", () => {
  expect(defectsOf("moo=a exp=e.example.org moo=b redirect=r.example.org mx -all")).toEqual([]);
});

test.each([
  ["ip4:0.0.0.0/0", "0.0.0.0", 0, 128],
  ["ip4:192.0.2.1/0", "192.0.2.1", 0, 128],
  ["ip6:::/0", "::", 32, 0],
  ["a/0", null, 0, 128],
  ["a//0", null, 32, 0],
  ["mx:example.org/24//0", null, 24, 0],
  ["ip4:0.0.0.0/1", "0.0.0.0", 1, 128],
  ["ip4:0.0.0.0", "0.0.0.0", 32, 128],
  ["all", null, 32, 128],
])("%p has the address %p and the prefixes %p and %p", (term, address, ip4, ip6) => {
  expect(recordOf(term).mechanisms[0]).toMatchObject({ address, prefixes: { ip4, ip6 } });
});

const scope = { domain: "email.example.com", senderDomain: "mail-out.sender.example.com" };

describe("names that do not depend on a mail", () => {
  test.each([
    ["%{d}", "email.example.com"],
    ["%{d4}", "email.example.com"],
    ["%{d3}", "email.example.com"],
    ["%{d2}", "example.com"],
    ["%{d1}", "com"],
    ["%{dr}", "com.example.email"],
    ["%{d2r}", "example.email"],
    ["%{D}", "email.example.com"],
    ["%{o}", "mail-out.sender.example.com"],
    ["%{o2}", "example.com"],
    ["%{o1-}", "out.sender.example.com"],
    ["%{or-}", "out.sender.example.com.mail"],
    ["%{o2.-}", "example.com"],
    ["_spf.%{d2}.", "_spf.example.com"],
    ["%{d}._spf.%{o}", "email.example.com._spf.mail-out.sender.example.com"],
    ["MAIL.Example.ORG.", "mail.example.org"],
    ["a%%b.example.org", "a%b.example.org"],
    ["a%_b.example.org", "a b.example.org"],
    ["a%-b.example.org", "a%20b.example.org"],
    ["%{d999}.org", "email.example.com.org"],
  ])("%p is %p", (text, name) => {
    expect(expandSpfDomain(text, scope)).toBe(name);
  });
});

describe("names that depend on a mail", () => {
  test.each(["%{s}", "%{l}.x.org", "%{i}", "%{ir}.%{v}._spf.%{d2}", "%{p}", "%{h}", "x.%{lr-}", "%{S}"])("%p", (text) => {
    expect(expandSpfDomain(text, scope)).toBeNull();
    expect(spfDomainDefect(text)).toBeNull();
  });
});

describe("lengths (section 7.3)", () => {
  const long = Array.from({ length: 30 }, (_, at) => `label-${at}`.padEnd(9, "x")).join(".");
  test("labels are dropped from the left until the name fits", () => {
    const name = expandSpfDomain("%{d}.example.org", { ...scope, domain: long }) ?? "";
    expect(name.length).toBeLessThanOrEqual(253);
    expect(name.length).toBeGreaterThan(253 - 11);
    expect(`${long}.example.org`.endsWith(`.${name}`)).toBe(true);
  });
  test("null for names that DNS cannot query", () => {
    expect(expandSpfDomain(`${"x".repeat(40)}%{d}.org`, { ...scope, domain: "y".repeat(40) })).toBeNull();
    expect(expandSpfDomain("a..%{d}", scope)).toBeNull();
    expect(expandSpfDomain("%{d}", { ...scope, domain: "" })).toBeNull();
  });
});

describe("invalid macro-strings", () => {
  test.each([
    "%",
    "a%",
    "%a",
    "%{",
    "%{d",
    "%{}",
    "%{d0}",
    "%{d00}",
    "%{0d}",
    "%{rd}",
    "%{dr2}",
    "%{d!}",
    "%{d1234}",
    "%{c}",
    "%{r}",
    "%{t}",
    "a b",
    "a\tb",
    "\u00fc",
    "\u0000",
  ])("%p", (text) => {
    expect(isSpfMacroString(text)).toBe(false);
    expect(spfDomainDefect(text)).not.toBeNull();
    expect(expandSpfDomain(text, scope)).toBeNull();
  });
});

test.each(["", "%%", "%_%-", "%{d}", "%{L2r+-.,/_=}", "plain", "!#$&'()*+,-./:;<=>?@[]^_`{|}~"])("%p is a macro-string", (text) => {
  expect(isSpfMacroString(text)).toBe(true);
});

test("a domain may end in any macro, percent signs included", () => {
  expect(["%{d}", "x.%{d}", "x.org%%", "%_", "%%"].map(spfDomainDefect)).toEqual([null, null, null, null, null]);
  expect(["", "%{d}x", "%%-", "x%_org", "%{d}."].map(spfDomainDefect)).toEqual(Array(5).fill("bad-domain"));
});

test("delimiters are literal characters, not a regular expression", () => {
  expect(expandSpfDomain("%{d=/}", { ...scope, domain: "a.b=c/d" })).toBe("a.b.c.d");
  expect(expandSpfDomain("%{d+-_}", { ...scope, domain: "a+b-c_d,e.f" })).toBe("a.b.c.d,e.f");
});
