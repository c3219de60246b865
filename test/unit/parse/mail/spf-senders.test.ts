/** Senders that pass any tree of SPF records, compared with an evaluation for one address at a time; and the time for large trees. */
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, test } from "vitest";
import type { MailSpfFacts } from "../../../../src/evidence/dns-facts.ts";
import { spfQuestionsMax, spfRecordCharsMax } from "../../../../src/evidence/limits.ts";
import { ownSpf, type PublishedSpf } from "../../../../src/parse/mail/spf-evaluation.ts";
import { spfSenders } from "../../../../src/parse/mail/spf-senders.ts";
import { cpuMs } from "../../../support/cpu-time.ts";
import { type SpfDnsAnswers, spfEvidence } from "../../../support/spf.ts";

function sendersOf(record: string, answers: SpfDnsAnswers) {
  const { mailSpf } = spfEvidence(record, answers) as { mailSpf: MailSpfFacts };
  return spfSenders(mailSpf, ownSpf(mailSpf) as PublishedSpf);
}

const layer = (at: number) => `n${at}.example.org`;
const tops = Array.from({ length: 8 }, (_, at) => 32 * at);

/** Result of RFC 7208 section 4.6.2 for one address, in records with only `ip4`, `include`, `all` and `redirect`. */
function isPassed(record: string, answers: SpfDnsAnswers, address: string): boolean {
  const textOf = (name: string) => (answers[`TXT ${name}`] as readonly string[])[0] as string;
  const terms = record.split(" ").slice(1);
  for (const term of terms.filter((each) => !each.startsWith("redirect="))) {
    const [, sign, name, value = ""] = /^([-~?]?)(\w+):?(.*)$/.exec(term) as RegExpExecArray;
    const matches =
      name === "all" ||
      (name === "ip4" && ipaddr.IPv4.parse(address).match(ipaddr.IPv4.parseCIDR(value))) ||
      (name === "include" && isPassed(textOf(value), answers, address));
    if (matches) return sign === "";
  }
  const redirect = terms.find((each) => each.startsWith("redirect="));
  return redirect !== undefined && isPassed(textOf(redirect.slice("redirect=".length)), answers, address);
}

/** Networks of 1 to 3 bits, so that eight addresses stand for all. */
const network = fc.tuple(fc.constantFrom(...tops), fc.integer({ min: 1, max: 3 })).map(([top, prefix]) => `ip4:${top}.0.0.0/${prefix}`);
const sign = fc.constantFrom("", "", "-", "?");
/** Terms and an end, with the records from `lowest` on as targets. */
const recordOver = (lowest: number) => {
  const deeper = fc.constantFrom(...[0, 1, 2, 3, 4].slice(lowest).map(layer));
  const term = fc.oneof({ weight: 3, arbitrary: network }, { weight: 1, arbitrary: deeper.map((name) => `include:${name}`) });
  const signed = fc.tuple(sign, term).map((parts) => parts.join(""));
  const end = fc.oneof(
    fc.constantFrom("-all", "all"),
    deeper.map((name) => `redirect=${name}`),
  );
  return fc.tuple(fc.array(signed, { maxLength: 6 }), end).map(([terms, last]) => ["v=spf1", ...terms, last].join(" "));
};
const lastRecord = fc
  .array(fc.tuple(sign, network), { maxLength: 4 })
  .map((terms) => ["v=spf1", ...terms.map((parts) => parts.join("")), "?all"].join(" "));
const tree = fc.tuple(recordOver(0), recordOver(1), recordOver(2), recordOver(3), recordOver(4), lastRecord);
const answersOf = (records: readonly string[]): SpfDnsAnswers =>
  Object.fromEntries(records.map((text, at) => [`TXT ${layer(at)}`, [text]]));

/** IPv6 senders match nothing but `all`, which this record in front leaves out. */
const ip4Only = "-ip6:::/0";

describe("properties of any tree", () => {
  const rounds = { numRuns: 500 };

  test("the result is that of every address together", () => {
    fc.assert(
      fc.property(tree, ([own, ...others]) => {
        const answers = answersOf(others);
        // The last eighth is multicast and reserved.
        const passed = tops.slice(0, -1).filter((top) => isPassed(own, answers, `${top}.1.2.3`));
        const { reach } = sendersOf(own.replace("v=spf1", `v=spf1 ${ip4Only}`), answers);
        expect(reach).toBe(passed.length === 7 ? "every" : passed.length > 0 ? "many" : "few");
      }),
      rounds,
    );
  });

  test("what is read later never contradicts what was proved without it", () => {
    fc.assert(
      fc.property(tree, fc.nat({ max: 3 }), ([own, ...others], lost) => {
        const answers = answersOf(others);
        const { reach } = sendersOf(own, { ...answers, [`TXT ${layer(lost)}`]: "timeout" });
        const known = sendersOf(own, answers).reach;
        if (reach === "every") expect(known).toBe("every");
        if (reach === "many") expect(["many", "every"]).toContain(known);
        if (reach === "few") expect(known).toBe("few");
      }),
      rounds,
    );
  });

  test("the terms that are named suffice", () => {
    fc.assert(
      fc.property(tree, ([own, ...others]) => {
        const answers = answersOf(others);
        const { reach, published, terms } = sendersOf(own, answers);
        if (reach !== "every" && reach !== "many") return;
        expect(published.text.split(" ")).toEqual(expect.arrayContaining([...terms]));
        const refused = published.text.split(" ").filter((term) => /^[-?]/.test(term));
        const rest = published.text.split(" ").filter((term) => terms.includes(term) || refused.includes(term));
        // The record behind a redirect may pass more by itself than it does behind the terms in front.
        const enough = reach === "every" ? ["every"] : ["every", "many"];
        expect(enough).toContain(sendersOf(["v=spf1", ...rest].join(" "), answers).reach);
      }),
      rounds,
    );
  });
});

test("records of the greatest length that each include all others are judged in time", () => {
  const names = Array.from({ length: spfQuestionsMax }, (_, at) => layer(at));
  const includes = names.map((name) => `include:${name}`).join(" ");
  const record = (at: number) => {
    let text = `v=spf1 ${includes}`;
    for (let each = 0; text.length < spfRecordCharsMax - 25; each++)
      text += ` ${each % 2 === 0 ? "" : "-"}ip4:${at}.${each}.${(2 * each) % 256}.0/31`;
    return text;
  };
  const fromMs = cpuMs();
  expect(sendersOf(record(100), Object.fromEntries(names.map((name, at) => [`TXT ${name}`, [record(at)]]))).reach).toBe("few");
  expect(cpuMs() - fromMs).toBeLessThan(2_000);
});
