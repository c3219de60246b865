/** Laboratory domains for the rules of SPF: the record, its policy and its lookups. */
import type { CaseZone, DnsCase, Outcome } from "./dns-case.ts";

type SpfStates = readonly [spf: Outcome, policy: Outcome, lookups: Outcome];

const allPassed: SpfStates = ["passed", "passed", "passed"];
const weakPolicy = (code: string): SpfStates => ["passed", `security.mail.spf-${code}`, "passed"];
const weakLookups = (code: string): SpfStates => ["passed", "passed", `security.mail.spf-${code}`];
const absent = (code: string): SpfStates => [`security.mail.spf-${code}`, "notApplicable", "notApplicable"];

/** The policy and the number of lookups of an unread include or redirect are unknown. */
const undecided: SpfStates = ["passed", "notChecked", "notChecked"];

/** A case for `assay-spf-<label>.org` with these zone-file lines. */
function spfCase(label: string, name: string, records: string, states: SpfStates, more: Partial<DnsCase> = {}): DnsCase {
  const [spf, policy, lookups] = states;
  return {
    name: `SPF: ${name}`,
    ...more,
    zones: [{ name: `assay-spf-${label}.org`, records }, ...(more.zones ?? [])],
    expected: { "mail-spf": spf, "mail-spf-policy": policy, "mail-spf-lookups": lookups },
  };
}

/** A case with one SPF record at the apex. */
function recordCase(label: string, record: string, states: SpfStates, others = ""): DnsCase {
  return spfCase(
    label,
    record.length < 80 ? record : `${label}, ${record.slice(0, 40)} ...`,
    `@ IN TXT ${quoted(record)}\n${others}`,
    states,
  );
}

/** RFC 1035 section 3.3: a character string has at most 255 bytes. */
function quoted(text: string): string {
  return (text.match(/.{1,255}/g) ?? []).map((part) => `"${part}"`).join(" ");
}

/** `_spf1` to `_spf<count>`, each with a record without further lookups. */
function includable(count: number): string {
  return numbered(count, (at) => `_spf${at} IN TXT "v=spf1 ip4:192.0.2.${at} -all"`).join("\n");
}

function numbered(count: number, term: (at: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, at) => term(at + 1));
}

function includes(domain: string, count: number): string {
  return numbered(count, (at) => `include:_spf${at}.${domain}`).join(" ");
}

/** A delegated zone whose server fails. */
function failingZone(name: string): CaseZone {
  return { name, records: "", unloadable: true };
}

export const spfCases: readonly DnsCase[] = [
  spfCase("none", "no record", '@ IN TXT "verification=abc"', absent("missing")),
  spfCase("nothing", "no text record", "@ IN A 127.0.0.1", absent("missing")),
  spfCase("version", "an unknown version is not a record", '@ IN TXT "v=spf10 -all"', absent("misspelt")),
  spfCase("several", "two records", '@ IN TXT "v=spf1 -all"\n@ IN TXT "v=spf1 mx -all"', absent("several")),
  spfCase(
    "beside",
    "one record among other texts",
    '@ IN TXT "verification=abc"\n@ IN TXT "v=spf1 -all"\n@ IN TXT "v=spf2.0/pra ?all"',
    allPassed,
  ),
  spfCase("strings", "one record in several strings, joined without a space", '@ IN TXT "v=spf1 ip4:192." "0.2.1 -a" "ll"', allPassed),
  recordCase("capitals", "V=SPF1 IP4:192.0.2.1 -ALL", allPassed),
  recordCase("bare", "v=spf1", weakPolicy("all-missing")),
  recordCase("softfail", "v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 ~all", allPassed),
  recordCase("plus", "v=spf1 ip4:192.0.2.1 +all", weakPolicy("all-pass")),
  recordCase("all", "v=spf1 all", weakPolicy("all-pass")),
  recordCase("neutral", "v=spf1 ip4:192.0.2.1 ?all", weakPolicy("all-neutral")),
  recordCase("open-end", "v=spf1 ip4:192.0.2.1", weakPolicy("all-missing")),
  recordCase("ptr", "v=spf1 ptr -all", weakPolicy("ptr")),
  recordCase("unknown", "v=spf1 ipv4:192.0.2.1 -all", weakPolicy("mechanism-unknown")),
  recordCase("bad-address", "v=spf1 ip4:192.0.2.400 -all", weakPolicy("address-invalid")),
  recordCase("bad-prefix", "v=spf1 ip4:192.0.2.0/33 -all", weakPolicy("address-invalid")),
  recordCase("no-domain", "v=spf1 include: -all", weakPolicy("name-invalid")),
  recordCase(
    "redirect-twice",
    "v=spf1 redirect=_one.assay-spf-redirect-twice.org redirect=_two.assay-spf-redirect-twice.org",
    weakPolicy("modifier-repeated"),
  ),
  recordCase("modifier", "v=spf1 ip4:192.0.2.1 -all exp=why.assay-spf-modifier.org future=thing", allPassed),
  recordCase("redirect", "v=spf1 redirect=_spf1.assay-spf-redirect.org", allPassed, includable(1)),
  recordCase("redirect-open", "v=spf1 redirect=_open.assay-spf-redirect-open.org", weakPolicy("all-pass"), '_open IN TXT "v=spf1 +all"'),
  recordCase("redirect-lost", "v=spf1 redirect=_lost.assay-spf-redirect-lost.org", weakPolicy("redirect-without-record")),
  recordCase("redirect-idle", "v=spf1 -all redirect=_open.assay-spf-redirect-idle.org", allPassed, '_open IN TXT "v=spf1 +all"'),
  recordCase("include-lost", "v=spf1 include:_lost.assay-spf-include-lost.org -all", weakPolicy("include-without-record")),
  recordCase("ten", `v=spf1 ${includes("assay-spf-ten.org", 10)} -all`, allPassed, includable(10)),
  recordCase("eleven", `v=spf1 ${includes("assay-spf-eleven.org", 11)} -all`, weakLookups("lookups-too-many"), includable(11)),
  recordCase(
    "nested",
    "v=spf1 include:_left.assay-spf-nested.org include:_right.assay-spf-nested.org mx a:mail.assay-spf-nested.org a -all",
    weakLookups("lookups-too-many"),
    `@ IN A 127.0.0.1
mail IN A 127.0.0.1
@ IN MX 10 mail
_left IN TXT "v=spf1 ${includes("assay-spf-nested.org", 3)} -all"
_right IN TXT "v=spf1 ${includes("assay-spf-nested.org", 3)} -all"
${includable(3)}`,
  ),
  recordCase(
    "loop",
    "v=spf1 include:_loop.assay-spf-loop.org -all",
    weakLookups("loop"),
    '_loop IN TXT "v=spf1 include:_loop.assay-spf-loop.org -all"',
  ),
  recordCase("void-two", "v=spf1 a:one.assay-spf-void-two.org a:two.assay-spf-void-two.org -all", allPassed),
  recordCase(
    "void-three",
    `v=spf1 ${["one", "two", "three"].map((name) => `a:${name}.assay-spf-void-three.org`).join(" ")} -all`,
    weakLookups("void-lookups-too-many"),
  ),
  recordCase(
    "void-kinds",
    "v=spf1 a:exists.assay-spf-void-kinds.org a:mail.assay-spf-void-kinds.org mx:lost.assay-spf-void-kinds.org -all",
    weakLookups("void-lookups-too-many"),
    'exists IN TXT "no address"\nmail IN TXT "none here"',
  ),
  recordCase("argument", "v=spf1 ip4:192.0.2.1 -all:everybody", weakPolicy("argument-invalid")),
  recordCase("every-address", "v=spf1 ip4:0.0.0.0/0 -all", weakPolicy("passes-everybody")),
  recordCase("halves", "v=spf1 ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all", weakPolicy("passes-everybody")),
  recordCase("half", "v=spf1 ip4:0.0.0.0/1 -all", weakPolicy("addresses-too-many")),
  recordCase(
    "include-open",
    "v=spf1 include:_open.assay-spf-include-open.org -all",
    weakPolicy("passes-everybody"),
    '_open IN TXT "v=spf1 +all"',
  ),
  recordCase("macro-known", "v=spf1 include:_spf1.%{d} -all", allPassed, includable(1)),
  recordCase("macro-mail", "v=spf1 include:%{l}._spf.%{d} -all", undecided),
  recordCase("alias", "v=spf1 include:_spf.assay-spf-alias.org -all", allPassed, `_spf IN CNAME _spf1\n${includable(1)}`),
  recordCase(
    "many-hosts",
    "v=spf1 mx -all",
    weakLookups("mx-hosts-too-many"),
    numbered(11, (at) => `@ IN MX ${at} mx${at}\nmx${at} IN A 192.0.2.${at}`).join("\n"),
  ),
  recordCase("macro", "v=spf1 exists:%{ir}.list.assay-spf-macro.org -all", allPassed),
  recordCase("macro-bad", "v=spf1 exists:%{q}.list.assay-spf-macro-bad.org -all", weakPolicy("macro-invalid")),
  spfCase(
    "include-servfail",
    "an include with a failing server",
    '@ IN TXT "v=spf1 include:_spf.assay-spf-include-servfail.org -all"',
    undecided,
    { zones: [failingZone("_spf.assay-spf-include-servfail.org")] },
  ),
  spfCase(
    "redirect-servfail",
    "a redirect with a failing server: the policy is unknown",
    '@ IN TXT "v=spf1 redirect=_spf.assay-spf-redirect-servfail.org"',
    undecided,
    { zones: [failingZone("_spf.assay-spf-redirect-servfail.org")] },
  ),
  spfCase(
    "include-silent",
    "an include that never answers, with too many other lookups",
    `@ IN TXT ${quoted(`v=spf1 include:_spf.assay-spf-include-silent.org ${includes("assay-spf-include-silent.org", 10)} -all`)}\n${includable(10)}`,
    ["passed", "notChecked", "security.mail.spf-lookups-too-many"],
    { zones: [{ name: "_spf.assay-spf-include-silent.org", records: "", servedBy: "silent" }] },
  ),
];
