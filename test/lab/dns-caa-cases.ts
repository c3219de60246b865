/** Laboratory domains for the rules of CAA: tree climbing, aliases and record contents. */

import type { CaseZone, DnsCase, Outcome } from "./dns-case.ts";

function caaCase(name: string, zones: readonly CaseZone[], outcome: Outcome, more: Partial<DnsCase> = {}): DnsCase {
  return { name: `CAA: ${name}`, ...more, zones, expected: { "dns-caa": outcome } };
}

/** The records at the apex of `assay-caa-<label>.org`. */
function recordsCase(label: string, name: string, records: readonly string[], outcome: Outcome): DnsCase {
  // The signer rejects CAA records in bytes, as the name server does.
  const delegation = records.some((record) => record.startsWith("TYPE")) ? "unsigned" : "secure";
  return caaCase(
    name,
    [{ name: `assay-caa-${label}.org`, delegation, records: records.map((record) => `@ IN ${record}`).join("\n") }],
    outcome,
  );
}

/** An invalid record as raw bytes, which name servers serve unparsed (RFC 3597 section 5). */
function caaInBytes(tag: string, value: string): string {
  const bytes = Buffer.from([0, tag.length, ...Buffer.from(tag + value)]);
  return `TYPE257 \\# ${bytes.length} ${bytes.toString("hex")}`;
}

export const caaCases: readonly DnsCase[] = [
  recordsCase("none", "none at any level", ["A 127.0.0.1"], "security.dns.caa-missing"),
  recordsCase("issue", "one authority", ['CAA 0 issue "ca.example"'], "passed"),
  recordsCase("nobody", "no authority may issue", ['CAA 0 issue ";"'], "passed"),
  recordsCase("empty", "no authority may issue, with an empty value", ['CAA 0 issue ""'], "passed"),
  recordsCase("malformed", "an invalid value", ['CAA 0 issue "%%%%%"'], "security.dns.caa-issuer-invalid"),
  recordsCase("capitals", "the tag in capitals", [caaInBytes("ISSUE", "ca.example")], "passed"),
  recordsCase("wildcards-only", "only wildcards are limited", ['CAA 0 issuewild "ca.example"'], "security.dns.caa-issue-missing"),
  recordsCase("iodef-only", "only iodef", ['CAA 0 iodef "mailto:security@assay-caa-iodef-only.org"'], "security.dns.caa-issue-missing"),
  recordsCase(
    "account",
    "with parameters",
    ['CAA 0 issue "ca.example; accounturi=https://ca.example/acct/1; validationmethods=dns-01"'],
    "passed",
  ),
  recordsCase(
    "bad-parameter",
    "a parameter without a value",
    ['CAA 0 issue "ca.example; accounturi"'],
    "security.dns.caa-parameter-invalid",
  ),
  recordsCase("bad-domain", "an authority that is not a domain name", ['CAA 0 issue "ca example"'], "security.dns.caa-issuer-invalid"),
  recordsCase(
    "bad-tag",
    "a tag with a dash",
    ['CAA 0 issue "ca.example"', caaInBytes("is-sue", "ca.example")],
    "security.dns.caa-tag-invalid",
  ),
  recordsCase(
    "bad-iodef",
    "a contact without its scheme",
    ['CAA 0 issue "ca.example"', 'CAA 0 iodef "security@x.org"'],
    "security.dns.caa-iodef-invalid",
  ),
  recordsCase(
    "critical",
    "an unknown critical tag",
    ['CAA 0 issue "ca.example"', 'CAA 128 tbs "unknown"'],
    "security.dns.caa-critical-unknown",
  ),
  recordsCase("future", "an unknown tag that is not critical", ['CAA 0 issue "ca.example"', 'CAA 0 tbs "unknown"'], "passed"),
  recordsCase("critical-known", "a known critical tag", ['CAA 128 issue "ca.example"'], "passed"),
  caaCase("found by climbing", [{ name: "assay-caa-climb.org", records: '@ IN CAA 0 issue "ca.example"' }], "passed", {
    host: "deep.www.assay-caa-climb.org",
  }),
  caaCase(
    "the closest records decide, not those above",
    [{ name: "assay-caa-closest.org", records: '@ IN CAA 0 issue "ca.example"\nwww IN CAA 0 iodef "mailto:a@assay-caa-closest.org"' }],
    "security.dns.caa-issue-missing",
    { host: "www.assay-caa-closest.org" },
  ),
  caaCase(
    "found at the top-level domain",
    // The case with an unknown algorithm defines the zone of this top-level domain.
    [{ name: "assay-caa-top.page", records: "@ IN A 127.0.0.1" }],
    "passed",
  ),
  caaCase(
    "an alias: the target's records apply",
    [
      { name: "assay-caa-alias.org", records: "www IN CNAME edge.assay-caa-target.net." },
      { name: "assay-caa-target.net", records: 'edge IN A 127.0.0.1\nedge IN CAA 0 issue "ca.example"' },
    ],
    "passed",
    { host: "www.assay-caa-alias.org" },
  ),
  caaCase(
    "an alias: the climb goes on above the alias, not above its target",
    [
      { name: "assay-caa-alias-parent.org", records: "www IN CNAME edge.assay-caa-target-parent.net." },
      { name: "assay-caa-target-parent.net", records: 'edge IN A 127.0.0.1\n@ IN CAA 0 issue "ca.example"' },
    ],
    "security.dns.caa-missing",
    { host: "www.assay-caa-alias-parent.org" },
  ),
  caaCase(
    "a loop of aliases",
    [{ name: "assay-caa-circle.org", records: '@ IN CAA 0 issue "ca.example"\nwww IN CNAME web\nweb IN CNAME www' }],
    "notChecked",
    { host: "www.assay-caa-circle.org" },
  ),
  caaCase(
    "a failing server during the climb",
    [
      { name: "assay-caa-servfail.org", records: '@ IN CAA 0 issue "ca.example"' },
      { name: "www.assay-caa-servfail.org", records: "", unloadable: true },
    ],
    "notChecked",
    { host: "www.assay-caa-servfail.org" },
  ),
];
