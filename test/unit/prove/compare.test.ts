/** What an enforced visit shows against two visits without the policy. */
import { describe, expect, test } from "vitest";
import type { VisitFacts } from "../../../src/prove/compare.ts";
import { attackUntold, compare, heedingReactions, inBoth } from "../../../src/prove/compare.ts";
import { blockedBy, loaded, shapeOf, visitOf } from "../../support/visited.ts";

const plain = visitOf();
const error = (text: string) => ({ text, url: null, line: null });
const elements = (count: number) =>
  shapeOf({
    elements: [
      { name: "html", count: 1 },
      { name: "p", count },
    ],
  });

test("three equal visits: it works", () => {
  expect(compare([plain, plain], plain)).toMatchObject({ verdict: "works", because: null, noise: 0 });
});

describe("what policies block", () => {
  test("is named once for each address", () => {
    const blocked = [1, 2].map((line) => blockedBy({ url: "https://cdn.test/lib.js", line }));
    expect(compare([plain, plain], visitOf({ blocked }))).toMatchObject({ verdict: "blocks", blocked: [{ line: 2 }] });
  });

  test("counts also on a page that differs from visit to visit", () => {
    const other = visitOf({ requests: [loaded("https://site.test/other.js")] });
    const enforced = visitOf({ blocked: [blockedBy({ kind: "inline" })], shape: null });
    expect(compare([plain, other], enforced)).toMatchObject({ verdict: "blocks", because: null });
  });

  test("does not count if it only reports, or if the page blocks it anyway", () => {
    const own = blockedBy({ url: "https://cdn.test/own.js" });
    const reported = blockedBy({ url: "https://cdn.test/lib.js", reportOnly: true });
    const before = visitOf({ blocked: [own] });
    expect(compare([before, before], visitOf({ blocked: [own, reported] })).verdict).toBe("works");
  });
});

describe("a page that changes without a block", () => {
  test.each([
    ["a lost request", visitOf({ requests: [loaded("https://site.test/app.js")] }), { lost: [{ kind: "stylesheet" }] }],
    ["a request that fails", visitOf({ requests: plain.observation.requests.map((one) => ({ ...one, outcome: "failed" as const })) }), {}],
    ["a new error", visitOf({ errors: [error("x is not defined")] }), { newErrors: [error("x is not defined")] }],
    ["lost elements", visitOf({ shape: elements(3) }), { elements: [{ name: "p", before: 4, after: 3 }] }],
    ["lost text", visitOf({ shape: shapeOf({ textChars: 900 }) }), { elements: [{ name: "#text", before: 1_000, after: 900 }] }],
    ["another address", visitOf({}, { url: "https://site.test/blocked" }), { movedTo: "https://site.test/blocked" }],
  ])("%s", (_words, enforced, expected) => {
    expect(compare([plain, plain], enforced)).toMatchObject({ verdict: "changes", blocked: [], ...expected });
  });

  test("chance is what a second visit does not show", () => {
    const one = compare([plain, plain], visitOf({ errors: [error("late")], shape: elements(3) }));
    const other = compare([plain, plain], visitOf({ shape: elements(3) }));
    expect(inBoth(one, other)).toMatchObject({ verdict: "changes", newErrors: [], elements: [{ name: "p" }] });
    expect(inBoth(one, compare([plain, plain], plain)).verdict).toBe("works");
    expect(inBoth(one, compare([plain, plain], visitOf({ shape: null })))).toMatchObject({ verdict: "unknown" });
  });
});

describe("noise of the page is left out", () => {
  test.each([
    ["requests of one visit only", visitOf({ requests: [...plain.observation.requests, loaded("https://ads.test/1.js")] }), plain],
    ["errors of one visit", visitOf({ errors: [error("timer 17 failed")] }), visitOf({ errors: [error("timer 99 failed")] })],
    ["queries", plain, visitOf({ requests: plain.observation.requests.map((one) => ({ ...one, url: `${one.url}?t=2` })) })],
    ["a clock", plain, visitOf({ shape: shapeOf({ textChars: 1_004 }) })],
    ["elements whose number varies", visitOf({ shape: elements(5) }), visitOf({ shape: elements(6) })],
  ])("%s", (_words, second, enforced) => {
    expect(compare([plain, second], enforced).verdict).toBe("works");
  });

  test("a number of requests that varies must not become none", () => {
    const polls = (count: number) =>
      visitOf({
        requests: [...plain.observation.requests, ...Array.from({ length: count }, () => loaded("https://site.test/poll", "fetch"))],
      });
    expect(compare([polls(3), polls(5)], polls(1)).verdict).toBe("works");
    expect(compare([polls(3), polls(5)], polls(0)).lost).toMatchObject([{ kind: "fetch" }]);
  });
});

describe("a page that reacts to policies", () => {
  const changed = { shape: shapeOf({ textChars: 10 }) };
  const own = loaded("https://site.test/?self", "fetch");
  const verdictOf = (before: VisitFacts, enforced: VisitFacts) => {
    const { verdict, because } = heedingReactions(compare([before, before], enforced), [before, before], enforced);
    return [verdict, because];
  };

  test.each<[string, VisitFacts, VisitFacts]>([
    ["hears of violations, and changes", visitOf({ hearsViolations: true }), visitOf({ ...changed, hearsViolations: true })],
    ["listens only without the policy", visitOf({ hearsViolations: true }), visitOf(changed)],
    ["fetches itself, and changes", visitOf({ requests: [own] }), visitOf({ ...changed, requests: [own] })],
    [
      "asks for itself by XMLHttpRequest",
      visitOf({ requests: [{ ...own, kind: "xhr" }] }),
      visitOf({ ...changed, requests: [{ ...own, kind: "xhr" }] }),
    ],
  ])("%s", (_words, before, enforced) => {
    expect(verdictOf(before, enforced)).toEqual(["unknown", "reacts"]);
  });

  test("one that only listens, or changes without listening, does not", () => {
    const listening = visitOf({ hearsViolations: true });
    expect(verdictOf(listening, listening)).toEqual(["works", null]);
    expect(verdictOf(plain, visitOf(changed))).toEqual(["changes", null]);
    const framed = [{ ...own, kind: "document" }];
    expect(verdictOf(visitOf({ requests: framed }), visitOf({ ...changed, requests: framed }))).toEqual(["changes", null]);
  });

  test("what it blocks is told as such", () => {
    const enforced = visitOf({ ...changed, hearsViolations: true, blocked: [blockedBy({ kind: "inline" })] });
    expect(verdictOf(plain, enforced)).toEqual(["blocks", null]);
  });

  const attacked = visitOf({ canariesPressed: 2, canaries: ["inline-script"] });
  test.each([
    ["stays", attacked, visitOf({ canariesPressed: 2 }), null],
    ["goes elsewhere", attacked, visitOf({ canariesPressed: 2 }, { url: "https://site.test/blocked" }), "reacts"],
    ["takes the code away", attacked, visitOf({ canariesPressed: 1 }), "reacts"],
    ["cannot be read under attack", attacked, visitOf({ shape: null }), "not-read"],
    ["cannot be read with injected code", visitOf({ shape: null }), visitOf({ canariesPressed: 2 }), "not-read"],
    ["lets no injected code run", visitOf({ canariesPressed: 2 }), visitOf({ canariesPressed: 2 }), "hides-code"],
    ["has no place for injected code", visitOf({ unchanged: "document-unreadable" }), visitOf(), "document-unreadable"],
  ] as const)("under attack: one that %s", (_words, without, within, because) => {
    expect(attackUntold([plain, plain], without, within)).toBe(because);
  });
});

describe("no verdict, and never a pass", () => {
  test.each([
    ["a document that kept its headers", [plain, plain], visitOf({ unchanged: "document-too-large" }), "document-too-large"],
    ["a visit without document", [plain, plain], visitOf({ shape: null }), "not-read"],
    ["a page that never settles", [plain, visitOf({}, { stillChanging: true })], plain, "never-settles"],
    ["a page without a load event", [plain, visitOf({ stillLoading: true })], plain, "never-settles"],
    ["a flood", [plain, plain], visitOf({ errorsDropped: 1 }), "never-settles"],
    ["visits at two addresses", [plain, visitOf({}, { url: "https://site.test/b" })], plain, "differs"],
    ["other requests each time", [plain, visitOf({ requests: [1, 2, 3].map((n) => loaded(`https://site.test/${n}`)) })], plain, "differs"],
    ["other elements each time", [plain, visitOf({ shape: shapeOf({ elements: [{ name: "table", count: 9 }] }) })], plain, "differs"],
  ] as const)("%s", (_words, [one, other], enforced, because) => {
    expect(compare([one, other], enforced)).toMatchObject({ verdict: "unknown", because });
  });
});
