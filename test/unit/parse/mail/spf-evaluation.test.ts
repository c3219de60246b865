/** SPF records that grow without limit, form loops or change: evaluation stays fast and bounded. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { MailSpfFacts } from "../../../../src/evidence/dns-facts.ts";
import { spfQuestionsMax } from "../../../../src/evidence/limits.ts";
import { ownSpf, type PublishedSpf, spfCosts, spfPolicy } from "../../../../src/parse/mail/spf-evaluation.ts";
import { cpuMs } from "../../../support/cpu-time.ts";
import { type SpfDnsAnswers, spfEvidence } from "../../../support/spf.ts";

const judgeMsMax = 2_000;

function judged(record: string, answers: SpfDnsAnswers) {
  const { mailSpf } = spfEvidence(record, answers) as { mailSpf: MailSpfFacts };
  const own = ownSpf(mailSpf) as PublishedSpf;
  const fromMs = cpuMs();
  const seen = { costs: spfCosts(mailSpf, own), policy: spfPolicy(mailSpf, own) };
  expect(cpuMs() - fromMs).toBeLessThan(judgeMsMax);
  return seen;
}

const layers = Array.from({ length: spfQuestionsMax }, (_, at) => at);
const layer = (at: number) => `n${at}.example.org`;

describe("growth", () => {
  test("forty records that each include the next one twice", () => {
    const tree = Object.fromEntries(
      layers.map((at) => [`TXT ${layer(at)}`, [`v=spf1 include:${layer(at + 1)} include:${layer(at + 1)} -all`]]),
    );
    const { costs } = judged(`v=spf1 include:${layer(0)} -all`, { ...tree, [`TXT ${layer(spfQuestionsMax - 1)}`]: ["v=spf1 -all"] });
    expect(costs.lookups).toBe(2 ** spfQuestionsMax - 1);
    expect(costs.loops).toEqual([]);
  });
  test("forty records that each include all others", () => {
    const all = layers.map((at) => `include:${layer(at)}`).join(" ");
    const { costs, policy } = judged(`v=spf1 ${all}`, Object.fromEntries(layers.map((at) => [`TXT ${layer(at)}`, [`v=spf1 ${all} ?all`]])));
    expect(costs.loops.length).toBeGreaterThan(0);
    expect(policy.end).toMatchObject({ mechanism: null });
  });
  test("redirects that form a loop", () => {
    const ring = Object.fromEntries(layers.map((at) => [`TXT ${layer(at)}`, [`v=spf1 redirect=${layer((at + 1) % spfQuestionsMax)}`]]));
    const { costs, policy } = judged(`v=spf1 redirect=${layer(0)}`, ring);
    expect(costs.loops).toEqual([`redirect=${layer(0)}`]);
    expect(policy).toEqual({ faults: [], end: "unknown", unread: false });
  });
  test("a record with 2,000 terms", () => {
    const { costs } = judged(`v=spf1 ${"a ".repeat(2_000)}-all`, { "A site.example": ["192.0.2.1"] });
    expect(costs.lookups).toBe(2_000);
  });
});

const word = fc.constantFrom("include:", "redirect=", "a:", "mx:", "exists:", "-include:", "?include:");
const term = fc.oneof(
  fc.tuple(word, fc.nat({ max: 5 })).map(([kind, at]) => kind + layer(at)),
  fc.constantFrom(
    "all",
    "-all",
    "~all",
    "?all",
    "mx",
    "ptr",
    "nonsense",
    "ip4:0.0.0.0/0",
    "exists:%{i}.example.org",
    "include:%{i}.example.org",
  ),
);
const record = fc.array(term, { maxLength: 6 }).map((terms) => ["v=spf1", ...terms].join(" "));
const answer = fc.oneof(fc.constantFrom("absent" as const, "timeout" as const), fc.array(record, { maxLength: 2 }));
const answers = fc.dictionary(
  fc.tuple(fc.constantFrom("TXT", "A", "MX"), fc.nat({ max: 5 })).map(([type, at]) => `${type} ${layer(at)}`),
  answer,
  { maxKeys: 18 },
);

describe("properties of any tree", () => {
  const rounds = { numRuns: 2_000 };

  test("an additional answer never removes a fault or lowers the cost", () => {
    fc.assert(
      fc.property(record, answers, (text, given) => {
        const unread = Object.fromEntries(Object.keys(given).map((question) => [question, "timeout" as const]));
        const [whole, less] = [judged(text, given), judged(text, unread)];
        expect(whole.policy.faults).toEqual(expect.arrayContaining([...less.policy.faults]));
        expect(whole.costs.lookups).toBeGreaterThanOrEqual(less.costs.lookups);
        expect(whole.costs.voids + whole.costs.voidsPossible).toBeGreaterThanOrEqual(less.costs.voids);
      }),
      rounds,
    );
  });
  test("with all answers, the evaluation ends, loops or reports a fault", () => {
    fc.assert(
      fc.property(record, answers, (text, given) => {
        const { policy, costs } = judged(text, given);
        if (policy.end === "unknown" && !policy.unread) expect(policy.faults.length + costs.loops.length).toBeGreaterThan(0);
      }),
      rounds,
    );
  });
  test("the order of answers does not matter", () => {
    fc.assert(
      fc.property(record, answers, (text, given) => {
        const turned = Object.fromEntries(Object.entries(given).reverse());
        expect(judged(text, turned)).toEqual(judged(text, given));
      }),
      rounds,
    );
  });
});
